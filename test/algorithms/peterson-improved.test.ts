import { describe, expect, test } from 'vitest';
import { petersonImproved } from '../../src/algorithms/election/peterson-improved.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import { costOf, elects, ringsDecide } from '../conformance/rings.ts';
import { fibonacciRing } from './fibonacci-ring.ts';

conformsToElection(petersonImproved, {
  hash: 'dd0ae082d50eb2c7',
  scenarios: [{ limit: 200 }], // duplicates can go round forever
  reaches: { best: { ids: [4, 3, 2, 1] }, worst: { ids: fibonacciRing(8) } },
  golden: {
    'three-steps': {
      about: 'Ids that cost most. In step 2 the owner of 1 goes on with 3, and in step 3 it hears 3 again.',
      scenario: { ids: fibonacciRing(3), latency: 'fixed:1' },
    },
    'odd-only': {
      about: 'Without the even steps one falls in each: n messages, n times.',
      scenario: { ids: [1, 2, 3, 4], latency: 'fixed:1' },
      of: 'peterson-improved-odd-only',
    },
    unordered: {
      about: 'Without FIFO channels nobody is left.',
      scenario: { n: 3, channels: 'unordered', latency: 'uniform:1:100', seed: 7 },
    },
  },
});

ringsDecide(petersonImproved, {
  largest: [1, 4, 9, 12, 20, 24, 28, 40],
  least: (n) => (n === 1 ? 1 : 2 * n),
  onBitReversal: (n, k) => n * (k + 1),
});

describe('peterson-improved', () => {
  test('every n up to 300 attains n(floor(log_phi(sqrt5(n + 1/2))) - 1)', () => {
    const phi = (1 + Math.sqrt(5)) / 2;
    for (let n = 1; n <= 300; n += 1) {
      const steps = Math.floor(Math.log(Math.sqrt(5) * (n + 1 / 2)) / Math.log(phi)) - 1;
      expect(costOf(elects(petersonImproved, { ids: fibonacciRing(n), latency: 'fixed:1' }))).toBe(n * steps);
    }
  });

  test('the number of survivors decreases like Fibonacci numbers', () => {
    for (const n of [13, 21, 34]) {
      const steps: number[] = [];
      const observe = (process: number, state: unknown) => {
        steps[process] = (state as { step: number }).step;
      };
      elects(petersonImproved, { ids: fibonacciRing(n), latency: 'fixed:1' }, { observe, invariants: true });
      const left = Array.from(
        { length: Math.max(...steps) },
        (_, step) => steps.filter((s) => s > step).length,
      );
      expect(left).toEqual([34, 21, 13, 8, 5, 3, 2, 1].filter((count) => count <= n));
    }
  });
});

holdsForAllIds(petersonImproved, { inFull: { 2: 23, 3: 209, 4: 2574 }, searched: { 5: 20_995 } });
