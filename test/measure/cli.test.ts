// `baton measure` as users run it: the built file, in its own process, with threads.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WriteStream } from 'node:tty';
import { afterAll, expect, test } from 'vitest';
import { ProgressBar } from '../../src/cli/output/progress-bar.ts';
import type { Row } from '../../src/measure/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-measure-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const measure = (...args: string[]) =>
  spawnSync(process.execPath, ['packages/batonjs/dist/cli.cjs', 'measure', ...args], { encoding: 'utf8' });
const contents = (name: string): Map<string, string> =>
  new Map(
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.includes('.'))
      .sort()
      .map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]),
  );

const sweep = ['chang-roberts', 'raymond', '--sizes', '4,16', '--runs', '21'];

test('one thread or three: the same report, byte for byte', () => {
  const one = measure(...sweep, '--workers', '1', '--out', join(folder, 'one'));
  const three = measure(...sweep, '--workers', '3', '--out', join(folder, 'three'));
  expect([one.status, one.stderr]).toEqual([0, '']);
  expect(three.stdout.replaceAll('three', 'one')).toBe(one.stdout);
  expect([...contents('one').keys()]).toEqual(
    expect.arrayContaining([
      'atlas.html',
      'atlas.md',
      'atlas/elections-bounds.svg',
      'atlas/elections-elected.svg',
      'atlas/elections.svg',
      'atlas/mutual-exclusion-bounds.svg',
      'atlas/mutual-exclusion-busiest.svg',
      'atlas/mutual-exclusion-delay.svg',
      'atlas/mutual-exclusion.svg',
      'comparison.md',
    ]),
  );
  expect(contents('three')).toEqual(contents('one'));
});

test('--json prints the documented fields and nothing else', () => {
  const { status, stdout, stderr } = measure(...sweep, '--json');
  expect([status, stderr]).toEqual([0, '']);
  const rows: Row[] = JSON.parse(stdout);
  expect(rows).toHaveLength((6 + 3) * 2);
  expect(rows.find((row) => row.case === 'ids descending' && row.n === 16)).toMatchObject({
    algorithm: 'chang-roberts',
    messages: { min: 152, mean: 152, max: 152 },
    bounds: { atLeast: 47, mean: null, atMost: 152 },
    withinBounds: true,
    violation: null,
    T: 10,
    measures: {
      elected: { claims: [{ formula: 'nT' }, { formula: '(2n-1)T' }] },
      chain: { least: 32, mean: 32, most: 32 },
    },
  });
});

test('the table has columns for delay, time, bits and load', () => {
  const { status, stdout } = measure('lamport', 'chang-roberts', '--sizes', '8', '--runs', '3');
  expect(status).toBe(0);
  const [head, ...lines] = stdout.split('\n');
  expect(head).toMatch(/most +said +delay +time +bits +load +verdict/);
  expect(lines.find((line) => /^lamport +heavy/.test(line))).toMatch(
    / 21 +0\.\d+ +\d.*% +exactly as predicted$/,
  );
  expect(lines.find((line) => /^chang-roberts +all/.test(line))).toMatch(/ - +\d/);
  expect(stdout).toContain('T, the longest time of a message: 10 ticks');
});

test('--measure prints a table for each measure, with its bounds', () => {
  const { status, stdout } = measure(
    'central-coordinator',
    '--sizes',
    '8',
    '--runs',
    '3',
    '--measure',
    'delay,busiest',
  );
  expect(status).toBe(0);
  expect(stdout).toMatch(/^synchronisation delay in T: from a release, /);
  expect(stdout).toMatch(/heavy load +8 +3 .* at most 2 = 2T +at most 2T, (not )?attained/);
  expect(stdout).toMatch(/one asks +8 .* exactly 50.% = 1\/2 +exactly 1\/2/);
  expect(measure('raymond', '--measure', 'dely').stderr).toMatch(/no measure is called 'dely'.*delay/);
});

test('--measures-budget counts only messages beyond it', () => {
  const { stdout } = measure(
    'chang-roberts',
    '--sizes',
    '4,64',
    '--runs',
    '1',
    '--measures-budget',
    '500',
    '--json',
  );
  const rows: Row[] = JSON.parse(stdout);
  expect(rows.map(({ n, measures }) => [n, measures === null])).toContainEqual([64, true]);
  expect(rows.filter(({ n }) => n === 4).every(({ measures }) => measures !== null)).toBe(true);
});

test('--compare prints a page, or rows as JSON, and refuses the options of sweeps', () => {
  const page = measure('raymond', 'dekker', '--compare');
  expect([page.status, page.stderr]).toEqual([0, '']);
  expect(page.stdout).toContain('### Locks by messages, n = 9');
  expect(page.stdout).toContain('### Locks on shared memory, n = 2');
  expect(page.stdout).toContain('`baton measure raymond dekker --compare --out DIR` makes this page again');
  const rows: Row[] = JSON.parse(measure('raymond', '--compare', '--json').stdout);
  expect(rows.map(({ n, case: which }) => [n, which])).toEqual([
    [9, 'all ask'],
    [9, 'one asks'],
    [36, 'all ask'],
    [36, 'one asks'],
  ]);
  const wrong = measure('--compare', '--sizes', '8');
  expect([wrong.status, wrong.stderr]).toEqual([
    2,
    'baton: --compare has its own sizes and runs: leave out --sizes\n',
  ]);
});

test('a broken bound exits with 1 and says which', () => {
  const { status, stdout } = measure('chang-roberts-lost-negation', '--sizes', '4,8', '--runs', '3');
  expect(status).toBe(1);
  expect(stdout).toMatch(/chang-roberts-lost-negation\s+all start .* VIOLATED: the message bound/);
});

test('it reports what it left out', () => {
  const { status, stdout } = measure('lamport', '--sizes', '4,5000', '--runs', '1');
  expect(status).toBe(0);
  expect(stdout).toContain('3 sizes were left out');
});

test('an unwritable report is rejected before the sweep', () => {
  mkdirSync(join(folder, 'blocked'));
  writeFileSync(join(folder, 'blocked', 'atlas'), 'in the way');
  const { status, stderr } = measure('lamport', '--out', join(folder, 'blocked'));
  expect([status, stderr.split('\n')]).toEqual([2, [expect.stringContaining('atlas is a file'), '']]);
  expect(readdirSync(join(folder, 'blocked'))).toEqual(['atlas']);
});

test('progress and remaining time are shown only in a terminal', () => {
  const shown: string[] = [];
  const terminal = (isTTY: boolean) =>
    ({ isTTY, columns: 60, write: (text: string) => shown.push(text) }) as unknown as WriteStream;
  new ProgressBar(terminal(false), 8).advance(2, 'lamport');
  expect(shown).toEqual([]);
  const progress = new ProgressBar(terminal(true), 8);
  progress.advance(2, `lamport${' and others'.repeat(9)}`);
  progress.advance(2, 'too soon to show');
  progress.clear();
  expect(shown).toEqual([
    `\r${'░'.repeat(24)} 0 %\x1b[K`,
    expect.stringMatching(/^\r█{6}░{18} 25 %, \d+ s left {2}lamport and/),
    '\r\x1b[K',
  ]);
  expect(shown[1]!.length).toBeLessThanOrEqual('\r\x1b[K'.length + 59);
});

test('an interrupted sweep leaves nothing behind', async () => {
  const out = join(folder, 'interrupted');
  const args = ['measure', 'chang-roberts', '--max', '65536', '--budget', '100000000', '--out', out];
  const child = spawn(process.execPath, ['packages/batonjs/dist/cli.cjs', ...args], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  child.kill('SIGINT');
  await new Promise((resolve) => child.on('exit', resolve));
  expect(child.signalCode).toBe('SIGINT');
  expect(readdirSync(folder)).not.toContain('interrupted');
});
