// The test command.
//   npm test                style, types, build, and the tests that find most mistakes
//   CI=true npm test        everything
//   npm test -- raymond     the tests whose path contains a word; builds only what these need
// `--rewrite` regenerates the golden traces, the measured parts of docs/algorithms and the API reference. Other options go to vitest.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findOrInstallBrowsers } from './browsers.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const rewrite = process.argv.includes('--rewrite');
const rest = process.argv.slice(2).filter((argument) => argument !== '--rewrite');
const words = rest.filter((argument) => !argument.startsWith('-'));
const isFull = process.env.CI === 'true' || (rewrite && words.length === 0);
const tier = isFull ? 'full' : words.length > 0 ? 'named' : 'quick';

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
const tsc = (name, project) => run(name, node, [tool('typescript/bin/tsc'), '-p', project]);

/** The texts of the test files whose path contains a word. */
const named = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && words.some((word) => `test/${file}`.includes(word)))
  .map((file) => readFileSync(`${root}test/${file}`, 'utf8'));
const needsLab = named.some((text) => /browsers|lab-page|lab-process|empty-folder/.test(text));
const needsBuild =
  needsLab || named.some((text) => /dist\/|batonjs|processes\/|campaign|sourceText|catalogue/.test(text));

if (tier !== 'named') {
  run('style', node, [tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']);
  tsc('types', '.');
  tsc('types of the pure folders, without Node or DOM', 'tsconfig.pure.json');
  tsc('types of the lab', 'src/lab');
}
const isBuilt = tier !== 'named' || needsBuild || rewrite;
if (isBuilt)
  run('build', node, ['scripts/build.js', ...(tier === 'named' && !needsLab ? ['--without-lab'] : [])]);
const browsers = tier !== 'named' || needsLab ? findOrInstallBrowsers() : null;
const vitest = (name, args) =>
  run(name, node, [tool('vitest/vitest.mjs'), 'run', ...args], {
    BATON_REWRITE: rewrite ? '1' : '',
    BATON_CHROMIUM: browsers?.chromium ?? '',
    BATON_FIREFOX: browsers?.firefox ?? '',
    BATON_BUILT: isBuilt ? '1' : '',
    BATON_TIER: tier,
  });
vitest('tests', rest);
if (tier === 'named' && rewrite) {
  vitest('the page', ['test/pages.test.ts', '-t', words.join('|')]);
  run('the API reference', node, ['scripts/api.js']);
}
if (tier === 'quick')
  console.log(
    '\nThe quick tier passed. CI=true npm test runs the rest: more seeds, large state spaces, all engines, all views of the lab.',
  );
