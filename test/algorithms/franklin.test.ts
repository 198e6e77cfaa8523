import { describe, expect, test } from 'vitest';
import { franklin } from '../../src/algorithms/election/franklin.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { bitReversal, costOf, elects, ringsDecide } from '../conformance/rings.ts';

conformsToElection(franklin, {
  hash: '50902d2cb01d661b',
  reaches: { best: { ids: [4, 3, 2, 1] }, worst: { ids: bitReversal(3) } },
  survives: {
    channels: 'a passive process knows a larger id, and an id returns only when all others are passive',
    'no duplication':
      'for the same reason: a duplicate makes no process wait, and the winner may receive its id again',
  },
  golden: {
    'two-rounds': {
      about: 'Between 2 and 3, 1 falls in the first round; 3 hears itself on both sides in the second.',
      scenario: { ids: [2, 1, 3], latency: 'fixed:1' },
    },
    unordered: {
      about:
        'Without FIFO channels 6 is elected all the same, with 48 messages instead of 36: one round too many.',
      scenario: { ids: [6, 1, 2, 5, 3, 4], channels: 'unordered', latency: 'exponential:20', seed: 231 },
    },
    forgets: {
      about: 'A process that falls forgets what waits on one side: nobody is elected.',
      scenario: { n: 2, seed: 28 },
      of: 'franklin-forgets',
    },
  },
});

ringsDecide(franklin, {
  largest: [2, 8, 12, 24, 30, 36, 42, 64],
  least: (n) => (n === 1 ? 2 : 4 * n),
  onBitReversal: (n, k) => 2 * n * (k + 1),
});

describe('franklin', () => {
  test('without FIFO channels it elects, but can take more rounds than the bound allows', () => {
    const scenario = { ids: [6, 1, 2, 5, 3, 4], latency: 'exponential:20', seed: 231 } as const;
    expect(costOf(elects(franklin, scenario))).toBe(36);
    expect(costOf(elects(franklin, { ...scenario, channels: 'unordered' }))).toBe(48);
  });

  test('at least one of two neighbours becomes passive: at most half are left after each round', () => {
    for (const ids of rings(7)) {
      const sent = ids.map(() => 0);
      elects(
        franklin,
        { ids, latency: 'fixed:1' },
        {
          trace: (line) => {
            const [, process, id] = line.match(/^\d+ (\d) .*; #\d+ to \d candidate\(id=(\d)\)$/) ?? [];
            if (process && ids[Number(process)] === Number(id)) sent[Number(process)]! += 1;
          },
        },
      );
      const left = (round: number) => sent.filter((rounds) => rounds >= round).length;
      expect(left(1)).toBe(7);
      for (let round = 1; left(round) > 0; round += 1)
        expect(left(round + 1)).toBeLessThanOrEqual(left(round) / 2);
    }
  });
});

holdsForAllIds(franklin, { inFull: { 2: 79, 3: 1158, 4: 30_784 }, searched: { 5: 618_480 } });
