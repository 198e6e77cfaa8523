// Compiles src/ to dist/, makes the command executable and, unless `--without-lab` is given, bundles the lab into dist/lab.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`],
  {
    stdio: 'inherit',
  },
);
chmodSync(`${root}dist/cli/main.js`, 0o755);
if (!process.argv.includes('--without-lab')) await build({ root: `${root}src/lab`, logLevel: 'warn' });
