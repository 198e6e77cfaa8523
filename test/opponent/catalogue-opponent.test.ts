// The opponent agrees with the checker on every algorithm of the catalogue and on every mutant, where few processes have few states.
import { describe, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm, ChannelKind } from '../../src/core/algorithm.ts';
import { mutants, sharedMutants } from '../../src/mutants/index.ts';
import { isVerify } from '../tiers.ts';
import { compare, disagreementText } from './compare.ts';
import type { Case } from './verdict.ts';

const limit = isVerify ? 4000 : 1200;

const named = <A extends { readonly name: string }>(list: readonly A[]) =>
  list.map((algorithm) => [algorithm.name, algorithm] as const);

const agrees = (given: Case): string => {
  const { disagreements, verdict } = compare(given, limit);
  expect(disagreements.map(disagreementText).join('\n')).toBe('');
  return verdict;
};

/** The opponent has no clocks and no time, takes no snapshots, and its links do not change. */
const isSupported = ({ name, problem, assumes }: AnyAlgorithm) =>
  problem !== 'clocks' && assumes.timing === 'asynchronous' && !name.includes('+');

const shapeOf = ({ assumes }: AnyAlgorithm) =>
  assumes.topology === 'connected' || assumes.topology === 'tree' ? { topology: 'line' } : {};

describe.each(named([...algorithms, ...mutants].filter(isSupported)))('%s', (_, algorithm) => {
  const capacity = algorithm.timers ? { capacity: 1 } : {};
  const spaces = [
    { n: 2, ids: [2, 1] },
    { n: 2, ids: [1, 2], together: true },
    { n: 2, ids: [1, 2], entries: 2 },
    { n: 3, ids: [2, 3, 1] },
    { n: 3, ids: [1, 3, 2], together: true },
  ].filter(({ entries }) => algorithm.problem === 'mutex' || entries === undefined);
  const cases = (channels: ChannelKind): Case[] =>
    spaces.map((space) => ({ algorithm, channels, ...shapeOf(algorithm), ...capacity, ...space }));

  const kinds = ['unordered', 'fifo', 'causal'] as const;

  test.each(kinds)('on %s channels', (channels) => {
    for (const given of cases(channels)) agrees(given);
  });

  test.each(['crashes', 'losses', 'repeats'] as const)('with %s', (fault) => {
    for (const channels of kinds)
      for (const given of cases(channels).slice(0, 2)) agrees({ ...given, [fault]: 1 });
  });
});

describe.each(named([...sharedAlgorithms, ...sharedMutants]))('%s', (_, algorithm) => {
  const { min = 1, max = Infinity } = algorithm.processes ?? {};
  const sizes = [2, 3].filter((n) => min <= n && n <= max);

  test('on shared memory', () => {
    for (const n of sizes)
      for (const entries of [1, 2, Infinity])
        for (const crashes of [0, 1])
          for (const together of [false, true]) agrees({ algorithm, n, entries, crashes, together });
  });
});
