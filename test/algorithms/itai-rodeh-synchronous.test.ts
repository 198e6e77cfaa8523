import { describe, expect, test } from 'vitest';
import { itaiRodeh } from '../../src/algorithms/election/itai-rodeh.ts';
import {
  itaiRodehSynchronous,
  meanCandidates,
} from '../../src/algorithms/election/itai-rodeh-synchronous.ts';
import { scenarioKeepsAssumptions, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';

conformsToElection(itaiRodehSynchronous, {
  hash: '44e155e1871f898f',
  reaches: {
    best: { n: 4, seed: 1 },
    worst: 'there is none: all may become candidates in every phase',
  },
  scenarios: [{}, { start: [{ process: 0 }] }],
  golden: {
    'three-phases': {
      about: 'Phase by phase: nobody, both, then one of them becomes a candidate.',
      scenario: { n: 2, latency: 'fixed:1', seed: 3 },
    },
    hurries: {
      about: 'Pebbles are launched before the second process has begun the phase: both count one, their own.',
      scenario: { n: 2, start: [{ process: 0 }], seed: 2 },
      of: 'itai-rodeh-synchronous-hurries',
    },
  },
});

holdsEverywhere(itaiRodehSynchronous, [
  [{ n: 1 }, { lemmas: true }, 12],
  [{ n: 2 }, { lemmas: true }, 560],
  [{ n: 3 }, { lemmas: true }, 47_229],
]);

describe('itai-rodeh-synchronous', () => {
  const mean = (n: number, runs: number, of = itaiRodehSynchronous as Parameters<typeof simulate>[0]) => {
    let total = 0;
    for (let seed = 0; seed < runs; seed += 1) {
      const run = simulate(of, { n, latency: 'fixed:1', seed });
      expect(run.ok).toBe(true);
      total += run.messages.total;
    }
    return total / runs;
  };

  test('V(2) = 2 and V(3) = 13/6, by hand; V stays below 2.45', () => {
    expect(meanCandidates(1)).toBe(1);
    expect(meanCandidates(2)).toBeCloseTo(2, 12);
    expect(meanCandidates(3)).toBeCloseTo(13 / 6, 12);
    for (const n of [10, 64, 65, 1000, 1e6]) {
      expect(meanCandidates(n)).toBeGreaterThan(2.3);
      expect(meanCandidates(n)).toBeLessThan(2.45);
    }
    expect(meanCandidates(65)).toBeGreaterThan(meanCandidates(64));
  });

  test.each([2, 3, 8, 32])('n = %i: the mean is n wakeups and nV(n) pebbles', (n) => {
    const measured = mean(n, 3000);
    const expected = n + n * meanCandidates(n);
    expect(Math.abs(measured / expected - 1)).toBeLessThan(0.05);
  });

  test('linear on average, where the asynchronous form takes n log n', () => {
    const sizes = [16, 64, 256, 1024];
    const perProcess = sizes.map((n) => mean(n, 150) / n);
    const others = sizes.map((n) => mean(n, 15, itaiRodeh) / n);
    for (const one of perProcess) expect(one).toBeLessThan(4);
    expect(others[3]! / others[0]!).toBeGreaterThan(1.6);
    expect(others[3]!).toBeGreaterThan(2 * perProcess[3]!);
  });

  test('pebbles go round whole: their number is a multiple of n', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const n = 1 + (seed % 9);
      expect(simulate(itaiRodehSynchronous, { n, seed }).messages.byType.pebble! % n).toBe(0);
    }
  });

  test('any position can win', () => {
    const winners = new Set<number | null>();
    for (let seed = 0; seed < 200; seed += 1)
      winners.add(simulate(itaiRodehSynchronous, { n: 4, seed }).leader);
    expect(winners).toEqual(new Set([0, 1, 2, 3]));
  });

  test('clocks that run alike at any rate keep the assumption, others do not', () => {
    expect(scenarioKeepsAssumptions(itaiRodehSynchronous, { n: 3, clocks: [7, 7, 7] })).toBe(true);
    expect(scenarioKeepsAssumptions(itaiRodehSynchronous, { n: 3, clocks: [7, 7, 8] })).toBe(false);
    for (let seed = 0; seed < 300; seed += 1)
      expect(
        simulate(itaiRodehSynchronous, {
          n: 5,
          clocks: Array(5).fill(1 + (seed % 13)),
          start: [{ process: 2 }],
          seed,
        }).ok,
      ).toBe(true);
  });
});
