import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Installs the libraries that Baton is compared with, in bench/packages/. */
export function installPackages(): void {
  const folder = fileURLToPath(new URL('../../../bench/packages/', import.meta.url));
  if (existsSync(`${folder}node_modules`)) return;
  console.error('installing what is compared with');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('npm ci failed in bench/packages/');
}
