// The independent explorer agrees with the checker on elections that happen again, with crashes that are noticed.
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { repeatedElection } from '../../src/compositions/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { mutants } from '../../src/mutants/index.ts';
import { compare, disagreementText } from '../opponent/compare.ts';

const named = <A extends { readonly name: string }>(list: readonly A[]) =>
  list.map((algorithm) => [algorithm.name, algorithm] as const);

const repeated = algorithms
  .filter(({ problem, assumes }) => problem === 'election' && assumes.failures === 'none')
  .filter(({ assumes }) => assumes.timing === 'asynchronous')
  .map(repeatedElection);

describe.each(named<AnyAlgorithm>([...repeated, ...mutants.filter(({ of }) => of.endsWith('+rounds'))]))(
  '%s',
  (_, algorithm) => {
    test.each([1, 2])('with %i crashes', (crashes) => {
      const verdicts = [2, 3].map((n) =>
        compare({ algorithm, n, channels: algorithm.assumes.channels, crashes }, 6000),
      );
      for (const { disagreements } of verdicts)
        expect(disagreements.map(disagreementText).join('\n')).toBe('');
      if (algorithm.name !== 'itai-rodeh+rounds') expect(verdicts[0]!.verdict).not.toBe('too large');
    });
  },
);
