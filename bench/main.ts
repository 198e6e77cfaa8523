// Runs all benchmarks, one after the other, or the named one.
//
//   npm run bench                        prints, and with --write puts the figures into bench/RESULTS.md
//   npm run bench -- locks               only this one, with its own options; see the comment at the top of its file
//   npm run bench -- --against <commit>  compares this working tree with an earlier commit; see against/main.ts
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benches: Record<string, string> = {
  simulate: 'simulate.js',
  check: 'check.js',
  locks: 'locks/main.js',
  algorithms: 'locks/algorithms.js',
  package: 'package/main.js',
};

function measure(): void {
  const [first = '', ...rest] = process.argv.slice(2);
  const isNamed = first in benches;
  const isOption = first === '' || first.startsWith('--');
  if (!isNamed && !isOption) {
    console.error(`no bench is called '${first}'; there are ${Object.keys(benches).join(', ')}`);
    process.exit(2);
  }
  for (const bench of isNamed ? [benches[first]!] : Object.values(benches)) {
    const file = fileURLToPath(new URL(bench, import.meta.url));
    const options = isNamed ? rest : process.argv.filter((word) => word === '--write');
    const { status } = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

if (process.argv.some((word) => /^--against(=|$)/.test(word))) await import('./against/main.js');
else measure();
