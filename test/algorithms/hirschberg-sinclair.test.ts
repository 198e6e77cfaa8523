import { describe, expect, test } from 'vitest';
import { hirschbergSinclair } from '../../src/algorithms/election/hirschberg-sinclair.ts';
import { simulate } from '../../src/sim/index.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';

conformsToElection(hirschbergSinclair, {
  hash: '28c420f88c38f99b',
  reaches: {
    best: { ids: [5, 4, 3, 2, 1], start: [{ process: 0 }] },
    worst: '8n(1 + log n) counts every path in full; the largest seen for n = 8 is 112 of 256',
  },
  survives: {
    'no duplication':
      'a response counted twice launches too early, which only costs messages: the largest still beats all',
  },
  golden: {
    'ids-1-2': {
      about: 'Two processes have two links: 2 asks both ways and hears itself twice.',
      scenario: { ids: [1, 2] },
    },
    'er-14': {
      about: 'ER-14. The printed rule: favourable answers make 2 retire, and nobody wins.',
      scenario: { ids: [1, 2] },
      of: 'hirschberg-sinclair-lost-negation',
    },
  },
});

const candidatures = (ids: readonly number[], scenario = {}) => {
  const run = simulate(hirschbergSinclair, { ids, ...scenario });
  expect(run.violations).toEqual([]);
  return run.messages.byType.candidature! + run.messages.byType.response!;
};

describe('hirschberg-sinclair', () => {
  const largest = [2, 12, 26, 40, 62, 80, 96, 112];
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'n = %i, all arrangements, all starting: the largest count of the table',
    (n) => {
      let most = 0;
      for (const ids of rings(n)) {
        for (let seed = 0; seed < (n < 7 ? 60 : 4); seed += 1)
          most = Math.max(most, candidatures(ids, { seed, latency: 'uniform:1:100' }));
      }
      expect(most).toBe(largest[n - 1]);
    },
  );

  test('the largest starting alone costs the lower bound', () => {
    for (const [n, count] of [
      [1, 2],
      [2, 8],
      [3, 18],
      [4, 20],
      [5, 38],
      [8, 44],
    ] as const) {
      const ids = Array.from({ length: n }, (_, i) => n - i);
      expect(candidatures(ids, { start: [{ process: 0 }] })).toBe(count);
    }
  });

  test('8n(1 + ceil(log n)) holds on large rings', () => {
    for (const n of [64, 100, 1000, 4096]) {
      const run = simulate(hirschbergSinclair, { n, seed: n });
      expect(run).toMatchObject({ ok: true, leader: n });
    }
  });
});
