import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from '../../src/cluster/transport/security.ts';

/** An authority of its own and a certificate of it, made in this folder as docs/network.md says. */
export function certificatesIn(folder: string, name: string): Certificates {
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const [ca, member] = [`${name}-ca`, `${name}-member`];
  openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${ca}.key`,
    '-out',
    `${ca}.crt`,
  );
  openssl('req', ...key, '-subj', '/CN=member', '-keyout', `${member}.key`, '-out', `${member}.csr`);
  const signer = ['-CA', `${ca}.crt`, '-CAkey', `${ca}.key`, '-CAcreateserial'];
  openssl('x509', '-req', '-days', '2', ...signer, '-in', `${member}.csr`, '-out', `${member}.crt`);
  return { key: read(`${member}.key`), cert: read(`${member}.crt`), ca: read(`${ca}.crt`) };
}
