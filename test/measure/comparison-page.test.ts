// The cells of the comparison: a measured figure beside the claim of its source.
import { expect, test } from 'vitest';
import { centralCoordinator, changRoberts, lamport, suzukiKasami } from '../../src/algorithms/index.ts';
import type { Bound } from '../../src/core/algorithm.ts';
import { alone, longestChain, synchronisationDelay } from '../../src/core/bounds.ts';
import { atlasMarkdown, type Compared, comparisonBlocks } from '../../src/measure/index.ts';

const pageOf = (...algorithms: Compared['algorithm'][]): string =>
  atlasMarkdown(
    comparisonBlocks(
      algorithms.map((algorithm) => ({ algorithm, hasMessages: true })),
      'baton measure --compare',
    ),
    'comparison',
  );

/** Returns the cells of an algorithm at a size, by the heads of their columns. */
function cellsOf(page: string, name: string, n: number): Record<string, string> {
  const table = page.split(/^### /m).find((part) => part.split('\n')[0]!.endsWith(`n = ${n}`))!;
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  const cells = (line: string) => line.slice(2, -2).split(' | ');
  const row = cells(lines.find((line) => line.startsWith(`| \`${name}\` |`))!);
  return Object.fromEntries(cells(lines[0]!).map((head, k) => [head, row[k]!]));
}

test('an exact claim, a claim that is attained, and none', () => {
  const page = pageOf(lamport, centralCoordinator);
  expect(cellsOf(page, 'lamport', 9)).toMatchObject({
    'messages per entry, all ask': '**24** = `3(n-1)`',
    'synchronisation delay in T, all ask': '**1** = `T`',
  });
  expect(cellsOf(page, 'central-coordinator', 36)).toMatchObject({
    'messages per entry, one asks': '2.92 (0 to **3**) ≤ `3`',
    'synchronisation delay in T, all ask': '1.95 (1 to **2**) ≤ 2 = `2T`',
    'bits per entry, all ask': '0 —',
    "busiest process's share, all ask": '**50\u00a0%** = `1/2`',
  });
});

test('claims on sizes name the kind of message, those on means are of random ids', () => {
  const page = pageOf(suzukiKasami, changRoberts);
  expect(cellsOf(page, 'suzuki-kasami', 9)['elements of a message, all ask']).toMatch(
    /^`request`: 2 ≤ `3`; `privilege`: 10 = `n\+1` ≤ .*\(\*\*10\*\* to .*\) ≤ 17 = `2n-1`$/,
  );
  const messages = cellsOf(page, 'chang-roberts', 8);
  expect(messages['messages per election, all start']).toMatch(/, mean 29\.74 = `n H_n \+ n`$/);
  expect(messages['time until the winner knows in T, all start']).toBe('8 = `nT` ≤ **8** ≤ 15 = `(2n-1)T`');
});

test('a claim about another measure than the columns has a row of its own, a broken one is shown', () => {
  const { bounds } = lamport;
  const withBound = (bound: Bound): Compared['algorithm'] =>
    ({ ...lamport, bounds: [...bounds, bound] }) as never;
  expect(pageOf(lamport)).not.toContain('## Further claims');
  const late = synchronisationDelay.atMost('T/2', 'nobody', ({ T }) => T / 2);
  expect(pageOf(withBound(late))).toContain('**VIOLATED: the bounds of the measures: ');
  const chain = longestChain.atMost(['request'], 'one', 'nobody', () => 1, alone);
  const [, further] = pageOf(withBound(chain)).split('## Further claims');
  expect(further).toContain('| `lamport` | 9 | longest chain, one asks | **1** ≤ 1 = `one` |');
});
