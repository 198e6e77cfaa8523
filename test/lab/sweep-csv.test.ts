import { expect, test } from 'vitest';
import { changRoberts, suzukiKasami } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { sweepCsv } from '../../src/lab/measure/sweep-csv.ts';
import { planOf, type Row, rowOf, samplesOf, tasksOf } from '../../src/measure/index.ts';

function rowsOf(algorithm: AnyAlgorithm): Row[] {
  const options = { sizes: [4], runs: 2, budget: 100_000 };
  const plan = planOf([algorithm], options);
  return tasksOf(plan, options).map((task) => rowOf(plan.points[task.point]!, samplesOf(algorithm, task)));
}

const cellsOf = (csv: string, which: string): string[] =>
  csv
    .split('\n')
    .find((line) => line.includes(`,${which},`))!
    .split(',');

const head =
  'algorithm,case,n,runs,measure,unit,least,mean,most,claim_at_least,claim_mean,claim_at_most,claim';

test('messages: a line for each case, with the claims on both sides and on the mean', () => {
  const csv = sweepCsv('election', 'messages', rowsOf(changRoberts));
  expect(csv.split('\n')[0]).toBe(head);
  expect(csv.endsWith('\n')).toBe(true);
  expect(cellsOf(csv, 'all start').slice(0, 6)).toEqual([
    ...['chang-roberts', 'all start', '4', '2', 'messages', 'messages per election'],
  ]);
  expect(csv).not.toContain('\u00a0');
});

test('times are in T; cases without figures have no line', () => {
  const csv = sweepCsv('mutex', 'delay', rowsOf(suzukiKasami));
  const cells = cellsOf(csv, 'heavy load');
  expect(cells.slice(4, 6)).toEqual(['synchronisation delay', 'T']);
  for (const figure of cells.slice(6, 9)) expect(figure).toMatch(/^\d+(\.\d+)?$/);
  expect(cells.slice(9)).toEqual(['', '', '2', 'at most 2 = 2T']);
  expect(csv).not.toContain('one asks');
});

test('claims on several kinds of messages are in the last column; shares are in percent', () => {
  const rows = rowsOf(suzukiKasami);
  const sizes = cellsOf(sweepCsv('mutex', 'elements', rows), 'heavy load');
  expect(sizes.at(-1)).toContain('(request)');
  expect(sizes.at(-1)).toContain('(privilege)');
  const [least, mean] = cellsOf(sweepCsv('mutex', 'busiest', rows), 'heavy load')
    .slice(6, 8)
    .map(Number);
  expect(least).toBeGreaterThan(1);
  expect(mean).toBeLessThanOrEqual(50);
});

test('a cell with a comma or a quote is quoted', () => {
  const [row] = rowsOf(suzukiKasami);
  const csv = sweepCsv('mutex', 'messages', [{ ...row!, algorithm: 'a, "b" (yours)' }]);
  expect(csv.split('\n')[1]).toMatch(/^"a, ""b"" \(yours\)",/);
});
