// The tools and runtimes that work: what the tests of them say, in the tier that tries them all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../locks/report.js';

const files = ['test/pack/toolchains.test.ts'];

interface Assertion {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** Runs the tests, and returns a table with a row for each. */
export function matrixLines(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'baton-matrix-'));
  try {
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
