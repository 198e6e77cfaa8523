// The test command: style, types, build, tests. `--rewrite` regenerates the golden traces and the figures in docs/algorithms;
// other arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findOrInstallChromium } from './chromium.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const rewrite = process.argv.includes('--rewrite');
const rest = process.argv.slice(2).filter((argument) => argument !== '--rewrite');

function run(name, command, args, env = {}) {
  console.log(`\n> ${name}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

const node = process.execPath;
const tool = (path) => `${root}node_modules/${path}`;

run('style', node, [tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']);
run('types', node, [tool('typescript/bin/tsc'), '-p', '.']);
run('types of the pure folders, without Node or DOM', node, [
  tool('typescript/bin/tsc'),
  '-p',
  'tsconfig.pure.json',
]);
run('types of the lab', node, [tool('typescript/bin/tsc'), '-p', 'src/lab']);
run('build', node, ['scripts/build.js']);
const chromium = findOrInstallChromium();
run('tests', node, [tool('vitest/vitest.mjs'), 'run', ...rest], {
  BATON_REWRITE: rewrite ? '1' : '',
  BATON_CHROMIUM: chromium ?? '',
  BATON_BUILT: '1',
});
