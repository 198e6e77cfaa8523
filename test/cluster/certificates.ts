import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from '../../src/cluster/transport/certificates.ts';

/** Creates an authority and a certificate, by the commands of docs/network.md. `name` is that of the authority. */
export function certificatesIn(folder: string, name = 'orders'): Certificates {
  const cwd = mkdtempSync(join(folder, 'authority-'));
  const commands = readFileSync('docs/network.md', 'utf8').match(/^openssl .*$/gm)!;
  for (const command of commands)
    execFileSync('sh', ['-c', command.replace('/CN=orders', `/CN=${name}`)], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return { key: read('member.key'), cert: read('member.crt'), ca: read('ca.crt') };
}

/** Creates an authority, and a certificate for servers at an IP address and for their clients. */
export function certificatesFor(address: string, folder: string): Certificates {
  const cwd = mkdtempSync(join(folder, 'authority-'));
  const run = (command: string) =>
    execFileSync('sh', ['-c', `openssl ${command}`], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  writeFileSync(join(cwd, 'names'), `subjectAltName=IP:${address}`);
  run(`req -x509 ${key} -days 9 -subj /CN=authority -keyout ca.key -out ca.crt`);
  run(`req ${key} -subj /CN=server -keyout server.key -out server.csr`);
  run(
    'x509 -req -days 9 -CA ca.crt -CAkey ca.key -CAcreateserial -in server.csr -extfile names -out server.crt',
  );
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return { key: read('server.key'), cert: read('server.crt'), ca: read('ca.crt') };
}
