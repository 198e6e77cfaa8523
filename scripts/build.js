// Compiles src/ to dist/, bundles that into the packages and, unless `--without-lab` is given, builds the page of the lab.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
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
await import('./packages.js');
if (!process.argv.includes('--without-lab')) await build({ root: `${root}src/lab`, logLevel: 'warn' });
