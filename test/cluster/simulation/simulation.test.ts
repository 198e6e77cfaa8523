import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { seedsOf, thorough } from '../../tiers.ts';
import { faultyVariants } from './faulty-variants.ts';
import { report } from './report.ts';
import {
  candidates,
  electionAlgorithmNamed,
  electionAlgorithms,
  type Outcome,
  real,
  simulate,
  World,
} from './simulate-group.ts';

const most = 2000;
const seeds = seedsOf(most);
const slice = seedsOf(250);

describe('whole groups, simulated from a seed', () => {
  const outcomes: Outcome[] = [];
  const starts = Array.from({ length: seeds / slice }, (_, i) => 1 + i * slice);

  test.each(starts)(`${slice} seeds from %i`, (start) => {
    for (let seed = start; seed < start + slice; seed += 1) {
      const outcome = simulate(seed);
      if (outcome.violation !== null) expect.fail(report(seed));
      outcomes.push(outcome);
    }
  });

  test('the same seed gives the same run', () => {
    expect(simulate(7, undefined, true)).toEqual(simulate(7, undefined, true));
  });

  thorough('every kind of event happened, with every algorithm', () => {
    const sum = (what: keyof Outcome['counts']) =>
      outcomes.reduce((total, { counts }) => total + counts[what], 0);
    const all = ['granted', 'busy', 'cancelled', 'lost', 'refusedWrites', 'clocks', 'snapshots'] as const;
    for (const what of all) expect(sum(what), what).toBeGreaterThan(100);
    for (const cause of ['lease over', 'removed from the group', 'cut off', 'forgotten'] as const)
      expect(
        outcomes.reduce((total, { outs }) => total + outs[cause], 0),
        cause,
      ).toBeGreaterThan(100);
    expect(sum('refused')).toBe(0); // all members name the same algorithm
    const run = new Set(outcomes.map(({ algorithm }) => algorithm));
    expect(run).toEqual(new Set(candidates.map(({ name }) => name)));
    const elected = new Set(outcomes.map(({ electionAlgorithm }) => electionAlgorithm));
    expect(elected).toEqual(new Set([null, ...electionAlgorithms.map(({ name }) => name)]));
  });
});

test('an election algorithm that elects every candidate at once: at most one leads, terms rise, all lead in the end', () => {
  const everybody = (name: string): AnyAlgorithm => {
    const start = (_s: unknown, p: { emit(event: object): void }) =>
      p.emit({ type: 'elected', leader: 'me' });
    return { ...electionAlgorithmNamed(name), calls: { start } };
  };
  for (let seed = 1; seed <= slice; seed += 1)
    expect(simulate(seed, { ...real, electionAlgorithmOf: everybody }).violation, `seed ${seed}`).toBe(null);
});

describe('if some members never reach each other, a view of mutually reachable members forms and lasts', () => {
  const cuts = [
    { size: 2, pairs: [[0, 1]] },
    { size: 3, pairs: [[1, 2]] },
    { size: 3, pairs: [[0, 2]] },
    { size: 5, pairs: [[0, 1]] },
    { size: 5, pairs: [[1, 3], [3, 4]] }, // biome-ignore format: pairs
    { size: 5, pairs: [[0, 1], [0, 2], [0, 3]] }, // biome-ignore format: pairs
  ] as const;

  test.each(cuts)('$size members, all but $pairs', ({ size, pairs }) => {
    for (let seed = 1; seed <= seedsOf(20); seed += 1)
      for (const kind of ['stall', 'break'] as const)
        expect(new World(seed, real, false).settlesDespite(size, pairs, kind), `seed ${seed}, ${kind}`).toBe(
          true,
        );
  });
});

test('a process that hangs, and holds nothing, rarely stops a lock: the median of the longest halts is below 100 ms', () => {
  const halts: number[] = [];
  for (let seed = 1; seed <= 100; seed += 1)
    for (const change of ['join', 'leave', 'new epoch'] as const) {
      const world = new World(seed, { ...real, age: 'new', algorithm: 'li-hudak' }, false);
      halts.push(world.longestHalt(3 + (seed % 5), change).halt);
    }
  const sorted = halts.sort((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100); // of the longest of half a lease, of all locks
});

describe('a faulty variant is detected', () => {
  test.each(Object.entries(faultyVariants))('%s', (_, variant) => {
    for (let seed = 1; seed <= most; seed += 1) if (simulate(seed, variant).violation !== null) return;
    expect.fail(`nothing in ${most} seeds`);
  });
});
