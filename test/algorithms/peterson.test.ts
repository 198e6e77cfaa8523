import { describe, expect, test } from 'vitest';
import { peterson } from '../../src/algorithms/election/peterson.ts';
import type { Circumstances } from '../../src/core/algorithm.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { bitReversal, costOf, elects, ringsDecide, survivorsByRound } from '../conformance/rings.ts';

conformsToElection(peterson, {
  hash: '25667bdf8ee23af8',
  scenarios: [{ limit: 200 }], // a mutant never stops
  reaches: { best: { ids: [4, 3, 2, 1] }, worst: { ids: bitReversal(3) } },
  golden: {
    w3: {
      about:
        'W3, Example 4.21. Process 2, with id 4, receives 7, then max(7, 3) = 7: it stays active with tid 7.',
      scenario: { ids: [3, 7, 4], latency: 'fixed:1' },
    },
    'w3-control': {
      about: 'W3, control. Process 2, with id 4, receives 7, then max(7, 9) = 9: it becomes a relay.',
      scenario: { ids: [9, 7, 4], latency: 'fixed:1' },
    },
    'er-19-never-stops': {
      about: 'ER-19. The printed loop: 2 is elected, and its id goes round for ever.',
      scenario: { ids: [1, 2], latency: 'fixed:1', limit: 30 },
      of: 'peterson-never-stops',
    },
    'er-19-unordered': {
      about:
        'ER-19. FIFO is not stated. On the ring 1, 2, 4, 3 a message overtakes another, and 3 is elected.',
      scenario: { ids: [1, 2, 4, 3], channels: 'unordered', seed: 3 },
    },
    strict: {
      about:
        'The first of the three values only equals the second; if that were not enough, nobody would be left.',
      scenario: { ids: [3, 7, 4], latency: 'fixed:1' },
      of: 'peterson-strict',
    },
  },
});

ringsDecide(peterson, {
  largest: [1, 5, 8, 16, 21, 27, 32, 46],
  least: (n) => (n === 1 ? 1 : 3 * n - 1),
  onBitReversal: (n, k) => 2 * n * k - (n / 2 - 2),
});

type State = { state: string; tid: number };

describe('peterson', () => {
  test('W3: the first value received is at least as large as the other two', () => {
    const afterFirstRound = (ids: readonly number[]) => {
      const seen: State[] = [];
      const observe = (process: number, s: unknown) => {
        if (process === 2) seen.push(structuredClone(s as State));
      };
      elects(peterson, { ids, latency: 'fixed:1' }, { observe });
      return seen[2]; // after the start, the first and the second value
    };
    expect(afterFirstRound([3, 7, 4])).toMatchObject({ state: 'active', tid: 7 });
    expect(afterFirstRound([9, 7, 4])).toMatchObject({ state: 'relay' });
  });

  test('ER-19: 2n log n fails for one and for two processes, and holds from three on', () => {
    const claimed = (n: number) => 2 * n * Math.log2(n);
    expect(costOf(elects(peterson, { ids: [1] }))).toBeGreaterThan(claimed(1));
    expect(costOf(elects(peterson, { ids: [2, 1] }))).toBeGreaterThan(claimed(2));
    const [printed, ...derived] = peterson.bounds.filter(
      (bound) => bound.case === 'worst' && bound.measures === 'messages',
    );
    for (let n = 3; n <= 5000; n += 1) {
      const circumstances = { n } as Circumstances;
      expect(printed!.value(circumstances)).toBeCloseTo(claimed(n), 6);
      const holding = derived.filter(({ when }) => when?.holds(circumstances) ?? true);
      const most = Math.min(...holding.map(({ value }) => value(circumstances)));
      expect(most).toBeLessThanOrEqual(claimed(n));
    }
  });

  test('no causal chain of messages before the election is longer than 2n-1', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7].map((n) => {
      // With latency 1, and if all processes start, the time is the length of the longest chain. The announcement takes n more.
      const chains = [...rings(n)].map((ids) => elects(peterson, { ids, latency: 'fixed:1' }).time - n);
      expect(Math.max(...chains)).toBeLessThanOrEqual(2 * n - 1);
      return Math.max(...chains);
    });
    expect(longest).toEqual([1, 2, 4, 5, 6, 9, 11]);
  });

  test('at most half of the active processes go on to the next round', () => {
    for (const ids of rings(7)) {
      const rounds = survivorsByRound<State>(peterson, ids, (a, b) => a.tid !== b.tid);
      expect(rounds[0]).toBe(7);
      rounds.slice(1).forEach((left, i) => {
        expect(left).toBeLessThanOrEqual(rounds[i]! / 2);
      });
    }
  });
});

holdsForAllIds(peterson, { inFull: { 2: 32, 3: 284, 4: 4672 }, searched: { 5: 36_312 } });
