// The checker and the opponent agree on the longest chain and on the sizes of messages: a bound at the figure of the opponent holds, and one
// below it is violated, with and without reductions.
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm, Bound } from '../../src/core/algorithm.ts';
import { bitsOf, elementsOf, longestChain } from '../../src/core/bounds.ts';
import { seedsOf } from '../tiers.ts';
import { violatedBound } from './compare.ts';
import { Figures } from './figures.ts';
import { randomCase } from './random-cases.ts';
import { type Case, verdictOf } from './verdict.ts';

type MessageCase = Case & { readonly algorithm: AnyAlgorithm };

interface Planted {
  readonly bound: Bound;
  readonly broken: string | null; // the property that it breaks
}

const [chain, size] = ['the chain bound', 'the size bound'];

/** Bounds at the figures of the opponent, which hold, and bounds beyond them. */
function plantedBounds(figures: Figures, kinds: readonly string[], isPerpetual: boolean): Planted[] {
  const make = { elements: elementsOf, bits: bitsOf };
  const sizes = (['elements', 'bits'] as const).flatMap((measure) =>
    Object.entries(figures[measure]).flatMap(([kind, { least, most }]): Planted[] => [
      { bound: make[measure].atMost([kind], 'k', 'planted', () => most), broken: null },
      { bound: make[measure].atMost([kind], 'k', 'planted', () => most - 1), broken: size },
      { bound: make[measure].atLeast([kind], 'k', 'planted', () => least), broken: null },
      { bound: make[measure].atLeast([kind], 'k', 'planted', () => least + 1), broken: size },
    ]),
  );
  if (isPerpetual) return sizes;
  const { longestChain: most, shortestAtEnd: least } = figures;
  const ends: Planted[] = [
    { bound: longestChain.atLeast(kinds, 'k', 'planted', () => least), broken: null },
    { bound: longestChain.atLeast(kinds, 'k', 'planted', () => least + 1), broken: chain },
  ];
  return [
    ...sizes,
    { bound: longestChain.atMost(kinds, 'k', 'planted', () => most), broken: null },
    { bound: longestChain.atMost(kinds, 'k', 'planted', () => most - 1), broken: chain },
    ...(least < Infinity ? ends : []),
  ];
}

/** Compares the figures of one case. Returns how many bounds were compared. */
function compareFigures(given: MessageCase, limit: number): number {
  const { algorithm, channels = algorithm.assumes.channels, ...space } = given;
  const kinds = Object.keys(algorithm.on).slice(0, 2);
  const figures = new Figures(kinds);
  const verdict = verdictOf({ ...given, figures }, { limit });
  if (verdict === null || verdict.safety !== null || verdict.endless) return 0;
  const assumes = { ...algorithm.assumes, channels };
  const planted = plantedBounds(figures, kinds, algorithm.perpetual === true);
  for (const { bound, broken } of planted) {
    const one = { ...space, channels, algorithm: { ...algorithm, assumes, bounds: [bound] } };
    const where = `${algorithm.name} ${JSON.stringify(space)} ${channels}: ${bound.measures} of ${bound.counts} ${bound.case} ${bound.value({} as never)}`;
    for (const reduction of [true, false]) expect(violatedBound(one, reduction), where).toBe(broken);
  }
  return planted.length;
}

const isSupported = ({ name, problem, assumes, timers }: AnyAlgorithm) =>
  problem !== 'clocks' && assumes.timing === 'asynchronous' && !name.includes('+') && timers === undefined;

const shapeOf = ({ assumes }: AnyAlgorithm) =>
  assumes.topology === 'connected' || assumes.topology === 'tree' ? { topology: 'line' } : {};

test('the algorithms of the catalogue', () => {
  let compared = 0;
  for (const algorithm of algorithms.filter(isSupported))
    for (const channels of ['unordered', 'fifo', 'causal'] as const)
      for (const together of [false, true])
        compared += compareFigures(
          { algorithm, channels, n: 2, ids: [2, 1], together, ...shapeOf(algorithm) },
          300,
        );
  expect(compared).toBeGreaterThan(500);
});

describe('random algorithms', () => {
  test.each([0, 1, 2, 3])('part %i', (part) => {
    let compared = 0;
    for (let seed = part + 1; seed <= seedsOf(600); seed += 4) {
      const { crashes, losses, repeats, capacity, ...given } = randomCase(seed);
      if ('on' in given.algorithm && given.algorithm.timers === undefined)
        compared += compareFigures(given as MessageCase, 200);
    }
    expect(compared).toBeGreaterThan(seedsOf(100));
  });
});
