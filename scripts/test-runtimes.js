// Runs the tests of join, locks and elections on Node 20, 22 and 24, on Bun and on Deno, one after another:
//   npm run verify -- runtimes              all of them
//   node scripts/test-runtimes.js Bun       those whose name contains a word, after a build
//     --report FILE                         also writes the counts as JSON
// Vitest itself runs on each runtime, and so do the processes that the tests start.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installRuntimes } from './runtimes.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is tried, as names of files in test/cluster. */
const parts = {
  'join and leave': 'arguments errors leaving lifecycle listeners membership wrong-arguments',
  locks: 'contract-breach epochs event-limit fences group leases many-locks pending-waits with-lock',
  elections: 'election-processes elections',
  inspection: 'clock-skew consistent-inspection metrics',
  'files and Unix sockets': 'embedded-engine lost-files private-directory processes spin-wait unix',
  TCP: 'protocol-versions reachability strangers tcp tcp-security',
  engines: 'engine-outage etcd mysql nats open-engine postgres redis',
  commands: 'cli-group-commands',
};

const { values, positionals } = parseArgs({
  options: { report: { type: 'string' } },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'baton-runtimes-'));
let isOk = true;
try {
  const chosen = installRuntimes(folder).filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  );
  const rows = chosen.flatMap((runtime) =>
    Object.entries(parts).map(([part, files]) => ({
      runtime: runtime.name,
      part,
      ...run(runtime, part, files),
    })),
  );
  isOk = rows.every(({ failed, passed }) => failed.length === 0 && passed > 0);
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isOk ? 0 : 1;

/** Runs test files on a runtime, and prints what failed and what was skipped for which reason. */
function run({ name, command, run: before }, part, files) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const paths = files.split(' ').map((file) => `test/cluster/${file}.test.ts`);
  const options = ['run', '--reporter=./scripts/runtime-reporter.js', '--retry=1'];
  const { stderr, signal } = spawnSync(
    command,
    [...before, 'node_modules/vitest/vitest.mjs', ...options, ...paths],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      timeout: 1_800_000,
      env: { ...process.env, BATON_BUILT: '1', BATON_TIER: 'full', BATON_REPORT: report },
    },
  );
  const tests = readReport(report) ?? [
    { file: files, name: `no report: ${signal ?? stderr}`, state: 'failed' },
  ];
  const of = (state) => tests.filter((one) => one.state === state);
  const [passed, failed, skipped] = [of('passed').length, of('failed'), of('skipped')];
  console.log(`${name}, ${part}: ${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
  for (const { file, name: test, error = '' } of failed)
    console.log(`  FAILED ${file}: ${test}\n    ${error}`);
  for (const { file, name: test, isRetried } of of('passed'))
    if (isRetried) console.log(`  passed at the second attempt: ${file}: ${test}`);
  for (const { name: test, reason } of skipped)
    console.log(`  skipped ${test}${reason ? `: ${reason}` : ''}`);
  return { passed, failed: failed.map(({ name: test }) => test), skipped: skipped.length };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
