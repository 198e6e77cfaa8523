// A reduced search must give the result of a full one. Sleep sets leave out transitions, but no world. Ample sets leave out worlds, but no
// quiescent one.
import { describe, expect, test } from 'vitest';
import { algorithms, lamport } from '../../src/algorithms/index.ts';
import { configOf } from '../../src/check/config.ts';
import { type CheckOptions, check, type Space, timerCapacity } from '../../src/check/index.ts';
import type { AnyAlgorithm, ChannelKind } from '../../src/core/algorithm.ts';
import { mutants } from '../../src/mutants/index.ts';

const maxStates = 20_000;

function compare(algorithm: AnyAlgorithm, space: Space, options: CheckOptions = {}): void {
  const full = check(algorithm, space, { ...options, reduction: false, maxStates });
  if (full.verdict === 'incomplete') return; // too large to compare
  const reduced = check(algorithm, space, options);
  expect(reduced.verdict, full.violation?.property).toBe(full.verdict);
  if (full.violation !== null) {
    expect(reduced.violation!.property).toBe(full.violation!.property);
    expect(reduced.violation!.trace.split('\n').length).toBe(full.violation!.trace.split('\n').length);
    return;
  }
  const { earlyDelivery, ampleSets, symmetric } = configOf(algorithm, space, options, {
    claimTries: 1000,
  });
  const isRotated = reduced.reduction.startsWith('rotations'); // not so after a second search, for loops
  if (symmetric) expect(reduced.states < full.states).toBe(isRotated);
  else expect(reduced.ends).toBe(full.ends);
  if (!earlyDelivery && !ampleSets && !symmetric) expect(reduced.states).toBe(full.states);
  expect(reduced.states).toBeLessThanOrEqual(full.states);
  expect(reduced.transitions).toBeLessThanOrEqual(full.transitions);
  expect(reduced.sometimes).toEqual(full.sometimes);
}

const all = [...algorithms, ...mutants].filter(({ name }) => !name.includes('+'));

describe.each(all.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
  const options = timerCapacity(algorithm);
  const entries = algorithm.problem === 'mutex' ? [1, 2] : [1];

  test.each(['unordered', 'fifo', 'causal'] as ChannelKind[])(
    'the result is the same with and without reduction, %s',
    (channels) => {
      const isSlow = channels === 'causal' && algorithm.assumes.channels !== 'causal'; // n = 2 only: it takes long
      for (const n of isSlow ? [2] : [2, 3]) {
        for (const k of entries) compare(algorithm, { n, entries: k, channels }, options);
        compare(
          algorithm,
          { n, entries: entries.at(-1)!, channels },
          { ...options, bypass: algorithm.problem === 'mutex', bounds: true },
        );
      }
    },
  );
});

test('sleep sets lose no world in a search with a maximum depth', () => {
  const depths = [2, 4, 7];
  let compared = 0;
  for (const algorithm of all) {
    const options = timerCapacity(algorithm);
    for (const channels of ['unordered', 'fifo'] as const) {
      const space = { n: 3, entries: 2, channels };
      const { earlyDelivery, ampleSets, symmetric } = configOf(algorithm, space, options, {
        claimTries: 1000,
      });
      if (earlyDelivery || ampleSets || symmetric) continue;
      for (const maxDepth of depths) {
        const full = check(algorithm, space, { ...options, reduction: false, maxDepth, maxStates });
        const reduced = check(algorithm, space, { ...options, maxDepth, maxStates });
        expect(reduced, algorithm.name).toMatchObject({
          verdict: full.verdict,
          states: full.states,
          ends: full.ends,
        });
        if (full.violation === null) compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(100);
});

test('the result is the same with crashes, losses and duplicate messages', () => {
  for (const algorithm of algorithms
    .filter(({ assumes }) => assumes.timing === 'asynchronous')
    .slice(0, 12)) {
    const capacity = timerCapacity(algorithm);
    compare(algorithm, { n: 2 }, { ...capacity, crashes: 1 });
    compare(algorithm, { n: 2 }, { ...capacity, losses: 1, repeats: 1 });
  }
});

test('the counterexample is the shortest one', () => {
  const options = { maxStates };
  const shortest = check(lamport, { n: 3, channels: 'unordered' }, { ...options, reduction: false });
  const found = check(lamport, { n: 3, channels: 'unordered' }, options);
  expect(found.violation!.trace).toBe(shortest.violation!.trace);
});
