// npm run soak -- groups|algorithms: many more seeds than the tests have. The other arguments go to the program.
//   npm run soak -- groups --seeds 100000                 simulated groups with faults
//   npm run soak -- algorithms --seeds 100000             random algorithms: the checker against an independent explorer
//   npm run soak -- groups --from 17 --seeds 1 --trace    one seed again
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = {
  groups: { project: 'test/cluster/simulation', file: 'build/test/cluster/simulation/soak.js' },
  algorithms: { project: 'test/opponent', file: 'build/test/opponent/soak-algorithms.js' },
};

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(programs, name ?? '')) {
  console.error('Say what to soak: npm run soak -- groups, or npm run soak -- algorithms.');
  process.exit(2);
}
const { project, file } = programs[name];
run('node_modules/typescript/bin/tsc', '-p', project);
run(file, ...rest);
