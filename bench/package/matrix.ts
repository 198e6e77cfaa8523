// The tools and runtimes that work: what the tests of them say, in the tier that tries them all. Takes half an hour.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../locks/report.js';

const files = ['test/pack/toolchains.test.ts', 'test/pack/runtimes.test.ts'];

interface Assertion {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** A row of the report of scripts/test-runtimes.js. */
interface Part {
  readonly runtime: string;
  readonly part: string;
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: number;
}

/** Runs the tests, and returns a table with a row for each tool, and one with a row for each runtime. */
export function matrixLines(runtimes: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'baton-matrix-'));
  try {
    return [...toolLines(folder), '', ...runtimeLines(folder, runtimes)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toolLines(folder: string): string[] {
  const report = join(folder, 'report.json');
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...files,
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  spawnSync(process.execPath, args, {
    stdio: 'ignore',
    env: { ...process.env, BATON_BUILT: '1', BATON_TIER: 'verify' },
  });
  const { testResults }: { testResults: { assertionResults: Assertion[] }[] } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const rows = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ ancestorTitles, title, status }) => [[...ancestorTitles, title].join(': '), status]);
  return table([`tried by \`npm run verify -- ${files.join(' ')}\``, 'result'], rows);
}

/** The tests of join, locks and elections on each runtime. */
function runtimeLines(folder: string, chosen: string): string[] {
  const report = join(folder, 'runtimes.json');
  spawnSync(process.execPath, ['scripts/test-runtimes.js', '--report', report, chosen], { stdio: 'ignore' });
  const found: Part[] = JSON.parse(readFileSync(report, 'utf8'));
  const counts = ({ passed, failed, skipped }: Part) =>
    [`${passed} passed`, ...some(failed.length, 'failed'), ...some(skipped, 'skipped')].join(', ');
  const parts = [...new Set(found.map(({ part }) => part))];
  const runtimes = [...new Set(found.map(({ runtime }) => runtime))];
  const rows = runtimes.map((runtime) => [
    runtime,
    ...parts.map((part) => counts(found.find((one) => one.runtime === runtime && one.part === part)!)),
  ]);
  return table(['tried by `npm run verify -- runtimes`', ...parts], rows);
}

const some = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
