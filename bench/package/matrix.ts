// The tools and runtimes that work: what the tests of them say, in the tier that tries them all. Takes half an hour.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../locks/report.js';
import { sectionOf } from '../results.js';

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

export const runtimesTitle = 'Package: runtimes';

/** Calls `work` with a new folder, and removes it in the end. */
function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'baton-matrix-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the tests with other tools, and of all runtimes in one group. Returns a table with a row for each. */
export const toolLines = (): string[] => inFolder(triedTools);

function triedTools(folder: string): string[] {
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

/** Runs the tests of join, locks and elections on the runtimes whose name contains the word. The rows of others stay as they were. */
export function runtimeLines(word: string): string[] {
  const found = inFolder((folder): Part[] => {
    const report = join(folder, 'runtimes.json');
    spawnSync(process.execPath, ['scripts/test-runtimes.js', '--report', report, word], { stdio: 'ignore' });
    return JSON.parse(readFileSync(report, 'utf8'));
  });
  const counts = ({ passed, failed, skipped }: Part) =>
    [`${passed} passed`, ...some(failed.length, 'failed'), ...some(skipped, 'skipped')].join(', ');
  const parts = [...new Set(found.map(({ part }) => part))];
  const measured = [...new Set(found.map(({ runtime }) => runtime))].map((runtime) => [
    runtime,
    ...parts.map((part) => counts(found.find((one) => one.runtime === runtime && one.part === part)!)),
  ]);
  const rows = new Map([...rowsBefore(), ...measured].map((row) => [row[0]!, row]));
  return table(['tried by `npm run verify -- runtimes`', ...parts], [...rows.values()].sort(byName));
}

const byName = ([a = '']: readonly string[], [b = '']: readonly string[]): number =>
  a.localeCompare(b, 'en', { numeric: true });

/** The rows of the last run. */
const rowsBefore = (): string[][] =>
  sectionOf(runtimesTitle)
    .filter((line) => /^\| (Node|Bun|Deno) /.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const some = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
