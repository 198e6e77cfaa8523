// Everything that takes too long for the test command. Every night, and before a release:
//   npm run verify                    all steps; exits with 1 if one fails
//   npm run verify -- groups          only this step; several can be named
//   npm run verify -- korach          only the tests whose path contains a word
//   npm run verify -- --list          the steps
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findOrInstallBrowsers } from './browsers.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The steps, by name. `npm test` has a short test of each kind. */
const steps = {
  tests: {
    about:
      'all tests, with ten times the seeds, the long ones, every view in Firefox, and other versions of TypeScript',
    run: (words) => {
      const { chromium, firefox } = findOrInstallBrowsers();
      return run('node_modules/vitest/vitest.mjs', ['run', ...words], {
        BATON_CHROMIUM: chromium ?? '',
        BATON_FIREFOX: firefox ?? '',
        BATON_BUILT: '1',
        BATON_TIER: 'verify',
      });
    },
  },
  runtimes: {
    about: 'the tests of join, locks and elections on Node 20, 22 and 24, on Bun and on Deno',
    run: () => run('scripts/test-runtimes.js', []),
  },
  groups: {
    about: '100,000 simulated groups with faults',
    run: () => run('scripts/soak.js', ['groups', '--seeds', '100000']),
  },
  algorithms: {
    about: '100,000 random algorithms: the checker against an independent explorer',
    run: () => run('scripts/soak.js', ['algorithms', '--seeds', '100000']),
  },
  campaign: {
    about: 'groups of real processes on files and on every engine, a minute of faults each',
    run: () =>
      run('node_modules/typescript/bin/tsc', ['-p', 'campaign']) &&
      run('build/campaign/main.js', ['--on', 'embedded,etcd,postgres,redis,nats,mysql', '--seed', `${seed}`]),
  },
};

const seed = Math.floor(Date.now() / 86_400_000); // another one every day; the report names it

function run(script, args, env = {}) {
  const { status } = spawnSync(process.execPath, [root + script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status === 0;
}

const words = process.argv.slice(2);
if (words.includes('--list')) {
  for (const [name, { about }] of Object.entries(steps)) console.log(`${name}: ${about}`);
  process.exit();
}
const named = words.filter((word) => Object.hasOwn(steps, word));
const paths = words.filter((word) => !Object.hasOwn(steps, word));
const chosen =
  words.length === 0 ? Object.keys(steps) : paths.length > 0 ? [...new Set(['tests', ...named])] : named;

if (!run('scripts/build.js', [])) process.exit(1);
const results = chosen.map((name) => {
  const { about, run } = steps[name];
  console.log(`\n> ${name}: ${about}`);
  const startedAt = performance.now();
  const isOk = run(paths);
  return { name, isOk, minutes: (performance.now() - startedAt) / 60_000 };
});
for (const { name, isOk, minutes } of results)
  console.log(`${isOk ? 'passed' : 'FAILED'}  ${name}, ${minutes.toFixed(1)} min`);
process.exitCode = results.every(({ isOk }) => isOk) ? 0 : 1;
