// Random walks through the model that the search uses.
import { describe, expect, test } from 'vitest';
import {
  algorithms,
  dekker,
  itaiRodeh,
  ricartAgrawala,
  sharedAlgorithms,
  tokenRing,
} from '../../src/algorithms/index.ts';
import { check, RandomWalk, type RandomWalkOptions, randomWalk, type Space } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { mutants, sharedMutants } from '../../src/mutants/index.ts';
import { replay } from '../../src/sim/index.ts';

type Any = AnyAlgorithm | AnySharedAlgorithm;

/** Replays a trace, and returns the number of its events and its verdict. */
function replayed(algorithm: Any, text: string): { events: number; verdict: string } {
  const trace = parseTrace(text);
  expect(replay(algorithm, trace)).toEqual({ ok: true, events: trace.events.length, firstDifference: null });
  return { events: trace.events.length, verdict: trace.verdict };
}

const isUnbounded = ({ timers, assumes }: AnyAlgorithm) =>
  timers !== undefined && assumes.timing === 'asynchronous';

describe('random walks find no violation in the catalogue, and their runs replay', () => {
  test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
    const options = { runs: 30, lemmas: true, maxDepth: 500, ...(isUnbounded(algorithm) && { capacity: 2 }) };
    const runs = new RandomWalk(algorithm, { n: 4, seed: 7 }, options);
    while (runs.advance(100));
    expect(runs.report()).toMatchObject({
      verdict: 'incomplete',
      complete: false,
      violation: null,
      runs: 30,
    });
    expect(replayed(algorithm, runs.sample()).verdict).toBe('ok');
  });

  test.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s',
    (_, algorithm) => {
      for (const entries of [2, Infinity]) {
        const runs = new RandomWalk(algorithm, { entries }, { runs: 30, lemmas: true, maxDepth: 500 });
        while (runs.advance(100));
        expect(runs.report()).toMatchObject({
          verdict: 'incomplete',
          runs: 30,
          cutOff: entries === 2 && !algorithm.perpetual ? 0 : 30,
        });
        expect(replayed(algorithm, runs.sample()).verdict).toBe('ok');
      }
    },
  );
});

describe('random walks refute mutants, by runs that need not be shortest', () => {
  test.each<[string, Space, string]>([
    ['ricart-agrawala-no-tie-break', { n: 6 }, 'at most one inside'],
    ['lamport-one-acknowledgement', { n: 4 }, 'at most one inside'],
    ['dekker-looks-first', {}, 'at most one inside'],
    ['dekker-insists', {}, 'every request enters'],
    ['filter-lock-one-level-short', { n: 4 }, 'at most one inside'],
  ])('%s', (name, space, property) => {
    const mutant = [...mutants, ...sharedMutants].find((one) => one.name === name)!;
    const { violation, ok, leftOut, runs } = randomWalk(mutant, space, { lemmas: false });
    expect({ ok, property: violation?.property }).toEqual({ ok: false, property });
    expect(leftOut).toBe(`everything but ${runs} random run${runs === 1 ? '' : 's'}`);
    const { events, verdict } = replayed(mutant, violation!.trace);
    expect(verdict).toBe(`${property} is violated: ${violation!.why}`);
    const shortest = parseTrace(
      check(mutant, { ...space, n: Math.min(space.n ?? 2, 3) }, { lemmas: false }).violation!.trace,
    );
    expect(events).toBeGreaterThanOrEqual(shortest.events.length);
  });
});

describe('the seed determines the runs', () => {
  const walk = (algorithm: Any, space: Space, options: RandomWalkOptions, slice: number) => {
    const runs = new RandomWalk(algorithm, space, options);
    while (runs.advance(slice));
    return { report: runs.report(), sample: runs.sample() };
  };
  test.each([ricartAgrawala, itaiRodeh, dekker])(
    '$name: slices of any size give the same runs',
    (algorithm) => {
      const options = { runs: 50 };
      const first = walk(algorithm, { seed: 3 }, options, 1);
      expect(walk(algorithm, { seed: 3 }, options, 1000)).toEqual(first);
      expect(walk(algorithm, { seed: 4 }, options, 1000).sample).not.toBe(first.sample);
    },
  );

  test('pinned figures', () => {
    const { violation: _, ...report } = randomWalk(
      ricartAgrawala,
      { n: 3, entries: 2, seed: 1 },
      { runs: 10 },
    );
    expect(report).toMatchObject({ runs: 10, events: 360, longest: 36, cutOff: 0, unused: [] });
    expect(report.sometimes.every(({ seen }) => seen)).toBe(true);
  });
});

describe('the end of a run', () => {
  test('a run whose messages never cease is cut off at the maximum depth', () => {
    const report = randomWalk(tokenRing, { n: 3 }, { runs: 2, maxDepth: 50 });
    expect(report).toMatchObject({ events: 100, longest: 50, cutOff: 2 });
    expect(report.leftOut).toBe('everything but 2 random runs, 2 of them cut off after 50 events');
    expect(randomWalk(tokenRing, { n: 3 }, { runs: 1 }).events).toBe(10_000);
  });

  test('a violated lemma ends the run, unless lemmas are left out', () => {
    const isAlone = ({ states }: { states: readonly { requestingCriticalSection: boolean }[] }) =>
      states.filter((s) => s.requestingCriticalSection).length < 2;
    const hopeful = { ...ricartAgrawala, invariants: { 'one asks at a time': isAlone } };
    expect(randomWalk(hopeful, {}, { runs: 20, lemmas: false }).violation).toBeNull();
    const { violation } = randomWalk(hopeful, {}, { runs: 20 });
    expect(violation?.property).toBe('one asks at a time');
    expect(replayed(hopeful, violation!.trace).events).toBeGreaterThan(1);
  });

  test('the walk stops when the memory is used up', () => {
    const { runs, leftOut } = randomWalk(ricartAgrawala, { n: 3 }, { maxBytes: 1 });
    expect(runs).toBe(1);
    expect(leftOut).toBe('everything but 1 random run, for lack of more than 1 bytes');
  });
});

test('crashes, losses and coin tosses are drawn too; a large space starts at once', () => {
  expect(randomWalk(ricartAgrawala, { n: 3 }, { runs: 200, crashes: 1 }).violation?.property).toBe(
    'every request enters',
  );
  expect(randomWalk(ricartAgrawala, { n: 3 }, { runs: 200, losses: 1 }).violation?.property).toBe(
    'every request enters',
  );
  const { violation, events } = randomWalk(itaiRodeh, { n: 12 }, { runs: 3, together: true }); // 12^12 initial worlds
  expect(violation).toBeNull();
  expect(events).toBeGreaterThan(3 * 12);
});

test.each<[Space, RandomWalkOptions, string]>([
  [{}, { runs: 0 }, 'walk must be a whole number from 1, not 0'],
  [{}, { runs: 1.5 }, 'walk must be a whole number from 1, not 1.5'],
  [{}, { corrupted: true }, 'that a system stabilises shows in all runs together'],
])('%o %o is refused', (space, options, why) => {
  expect(() => randomWalk(ricartAgrawala, space, options)).toThrow(why);
});
