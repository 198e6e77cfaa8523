import { describe, expect, test } from 'vitest';
import { dolevKlaweRodeh } from '../../src/algorithms/election/dolev-klawe-rodeh.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings, traceOf } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { bitReversal, costOf, elects, ringsDecide, survivorsByRound } from '../conformance/rings.ts';

const earlyAndLate = [
  { process: 2, at: 0 },
  { process: 1, at: 1 },
  { process: 0, at: 3 },
];

conformsToElection(dolevKlaweRodeh, {
  hash: '227c683d97533f98',
  scenarios: [{ limit: 200 }, { limit: 200, start: [{ process: 0 }] }], // duplicates can go round forever
  reaches: { best: { ids: [4, 3, 2, 1] }, worst: { ids: bitReversal(3) } },
  golden: {
    w9: {
      about: 'W9. Two processes, 6 messages, and it is the owner of 1 who finds that 2 is the largest.',
      scenario: { ids: [1, 2], latency: 'fixed:1' },
    },
    'er-12-missed': {
      about: 'ER-12. The printed initial state: only 1 starts, 2 passes its number on, and 1 is elected.',
      scenario: { ids: [1, 2], start: [{ process: 0 }], latency: 'fixed:1' },
      of: 'dolev-klawe-rodeh-passive-at-first',
    },
    'er-12-deadlock': {
      about:
        'ER-12. The printed initial state: 1 passes 3 on, starts after that, and in the end all are passive.',
      scenario: { ids: [1, 2, 3], start: earlyAndLate, latency: 'fixed:2' },
      of: 'dolev-klawe-rodeh-passive-at-first',
    },
    'er-19-unordered': {
      about: 'ER-19. FIFO is not stated. Only 2 starts, a number overtakes another, and 1 is elected.',
      scenario: { ids: [1, 2], start: [{ process: 1 }], channels: 'unordered', seed: 5 },
    },
  },
});

ringsDecide(dolevKlaweRodeh, {
  largest: [1, 6, 9, 20, 25, 30, 35, 56],
  least: (n) => (n === 1 ? 1 : 3 * n),
  onBitReversal: (n, k) => 2 * n * k + n,
});

describe('dolev-klawe-rodeh', () => {
  test('n = 9 attains 2n floor(log n) + n = 63', () => {
    expect(costOf(elects(dolevKlaweRodeh, { ids: [9, 1, 7, 3, 8, 2, 6, 4, 5] }))).toBe(63);
  });

  test('W9: the process that finds the largest number is never its owner, unless that is alone', () => {
    const finder = (ids: readonly number[]) => {
      const first = traceOf(dolevKlaweRodeh, { ids, latency: 'fixed:1' }).match(
        /^\d+ (\d+) recv .* emit elected/m,
      );
      return ids[Number(first![1])];
    };
    expect([finder([1]), finder([1, 2]), finder([2, 1])]).toEqual([1, 1, 1]);
    expect([...rings(6)].filter((ids) => finder(ids) === 6)).toEqual([]);
  });

  test('at most half of the active processes go on to the next stage', () => {
    for (const ids of rings(7)) {
      const stages = survivorsByRound<{ max: number }>(dolevKlaweRodeh, ids, (a, b) => a.max !== b.max);
      expect(stages[0]).toBe(7);
      expect(stages.at(-1)).toBe(1);
      stages.slice(1).forEach((left, i) => {
        expect(left).toBeLessThanOrEqual(stages[i]! / 2);
      });
    }
  });
});

holdsForAllIds(dolevKlaweRodeh, { inFull: { 2: 32, 3: 298, 4: 4762 }, searched: { 5: 35_896 } });
