// All that is measured, one after the other.
//
//   npm run bench            prints, and with --write puts the figures into bench/RESULTS.md
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const bench of ['simulate.js', 'check.js']) {
  const file = fileURLToPath(new URL(bench, import.meta.url));
  const options = process.argv.filter((word) => word === '--write');
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
