// A run that was covered, as a trace: what the search knows of it is enough to run it again.
import { expect, test } from 'vitest';
import { algorithms, korachMoranZaks, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { Check, type Space } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { replay } from '../../src/sim/index.ts';

function isReplayed(algorithm: AnyAlgorithm | AnySharedAlgorithm, space: Space): boolean {
  const search = new Check(algorithm, space, { maxStates: 20_000 });
  while (search.advance(1000));
  const sample = search.sample();
  return sample !== null && replay(algorithm, parseTrace(sample)).ok;
}

const ending = algorithms.filter(({ perpetual }) => !perpetual);

test.each([...ending, ...sharedAlgorithms].map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s',
  (_, algorithm) => {
    expect(isReplayed(algorithm, { n: 2 })).toBe(true);
  },
);

test('messages are found again whatever the order of their fields', () => {
  expect(isReplayed(korachMoranZaks, { n: 4, start: [{ process: 0 }, { process: 1 }] })).toBe(true);
});
