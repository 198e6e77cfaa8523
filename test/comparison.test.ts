// docs/comparison.md is what the command writes, byte for byte.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { comparisonFiles } from '../src/cli/commands/compare.ts';

const path = 'docs/comparison.md';

test('the comparison is up to date, and has every lock and every election', () => {
  const page = comparisonFiles([]).get('comparison.md')!;
  if (process.env.BATON_REWRITE === '1') writeFileSync(path, page);
  expect(readFileSync(path, 'utf8'), `${path} is out of date: npm test -- comparison --rewrite`).toBe(page);
  for (const { name } of [...algorithms, ...sharedAlgorithms]) expect(page).toContain(`| \`${name}\` |`);
  expect(page).not.toMatch(/NaN|undefined|Infinity|VIOLATED/);
});
