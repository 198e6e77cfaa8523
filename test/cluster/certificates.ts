import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from '../../src/cluster/transport/certificates.ts';

/** Creates an authority and a certificate, by the commands of docs/network.md. */
export function certificatesIn(folder: string): Certificates {
  const cwd = mkdtempSync(join(folder, 'authority-'));
  const commands = readFileSync('docs/network.md', 'utf8').match(/^openssl .*$/gm)!;
  for (const command of commands)
    execFileSync('sh', ['-c', command], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return { key: read('member.key'), cert: read('member.crt'), ca: read('ca.crt') };
}
