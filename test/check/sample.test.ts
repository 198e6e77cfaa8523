// A covered run as a trace: the search knows enough of it to run it again.
import { expect, test } from 'vitest';
import { algorithms, korachMoranZaks, lamport, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { Check, RandomWalk, type Space } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { type AnySharedAlgorithm, isShared } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { mutants, sharedMutants } from '../../src/mutants/index.ts';
import { replay } from '../../src/sim/index.ts';

function isReplayed(algorithm: AnyAlgorithm | AnySharedAlgorithm, space: Space): boolean {
  const search = new Check(algorithm, space, { maxStates: 20_000 });
  while (search.advance(1000));
  const sample = search.sample();
  return sample !== null && replay(algorithm, parseTrace(sample)).ok;
}

const ending = [...algorithms, ...sharedAlgorithms].filter(({ perpetual }) => !perpetual);

test.each(ending.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
  expect(isReplayed(algorithm, { n: 2 })).toBe(true);
});

test('the trace finds its messages, whatever the order of their fields', () => {
  expect(isReplayed(korachMoranZaks, { n: 4, start: [{ process: 0 }, { process: 1 }] })).toBe(true);
});

test.each([
  ['a counterexample', 'lamport-one-acknowledgement', {}],
  ['a counterexample with a loop', 'dekker-insists', { progress: true }],
  ['a covered run', 'lamport', {}],
] as const)('%s has the same events as an object and as text', (_, name, options) => {
  const algorithm = [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants].find(
    (one) => one.name === name,
  )!;
  const search = new Check(algorithm, isShared(algorithm) ? { n: 2 } : { n: 3 }, options);
  while (search.advance(1000));
  const example = search.example()!;
  expect(parseTrace(search.report().violation?.trace ?? search.sample()!)).toEqual(example);
  expect(replay(algorithm, example)).toMatchObject({ ok: true });
});

test('a random run has the same events as an object and as text', () => {
  const runs = new RandomWalk(lamport, { n: 2 }, { runs: 1 });
  while (runs.advance(1000));
  expect(parseTrace(runs.sample())).toEqual(runs.example());
});
