import { describe, expect, test } from 'vitest';
import { dolevKlaweRodehB } from '../../src/algorithms/election/dolev-klawe-rodeh-b.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import { costOf, elects, ringsDecide } from '../conformance/rings.ts';

conformsToElection(dolevKlaweRodehB, {
  hash: '63efd5a05ac4a8fc',
  scenarios: [{ limit: 200 }], // duplicates can go round forever
  reaches: { best: { ids: [4, 3, 2, 1] }, worst: { ids: [1, 2, 3] } },
  golden: {
    'takes-over': {
      about:
        'In phase 1 number 5 goes two places, where process 0 waits in its name, and the answer M2 has no farther to go.',
      scenario: { ids: [4, 1, 5, 2, 3], latency: 'fixed:1' },
    },
    'passes-all': {
      about: 'An answer to a number that has fallen is passed on: more messages than the bound allows.',
      scenario: { ids: [1, 2, 3], latency: 'fixed:1' },
      of: 'dolev-klawe-rodeh-b-passes-all',
    },
    unordered: {
      about: 'Without FIFO channels a smaller number wins.',
      scenario: { n: 3, channels: 'unordered', latency: 'uniform:1:100', seed: 6 },
    },
  },
});

ringsDecide(dolevKlaweRodehB, {
  largest: [1, 4, 7, 13, 17, 21, 26, 38],
  least: (n) => (n === 1 ? 1 : 2 * n),
  onBitReversal: (n, k) => 1.5 * n * k + 1,
  slack: (n) => (n < 5 ? 0 : 1),
});

describe('dolev-klawe-rodeh-b', () => {
  test('1.5n log n alone is not a bound: 38 messages on a ring of 8', () => {
    expect(costOf(elects(dolevKlaweRodehB, { ids: [8, 1, 3, 2, 7, 4, 5, 6] }))).toBe(38);
  });

  test('large rings keep the bound', () => {
    for (const n of [100, 1000, 10_000]) elects(dolevKlaweRodehB, { n, seed: n });
  });
});

holdsForAllIds(dolevKlaweRodehB, { inFull: { 2: 23, 3: 195, 4: 2574 }, searched: { 5: 21_193 } });
