import { describe, expect, test } from 'vitest';
import { itaiRodeh } from '../../src/algorithms/election/itai-rodeh.ts';
import { simulate } from '../../src/sim/index.ts';
import { conformsToElection } from '../conformance/election.ts';

conformsToElection(itaiRodeh, {
  hash: '5dcf2a5032c4362a',
  reaches: {
    best: { n: 4, seed: 14 },
    worst: 'there is none: coin tosses may be equal forever',
  },
  survives: {
    'no duplication': 'a duplicate returns after the round is decided, or after the winner has stopped',
  },
  golden: {
    'two-rounds': {
      about: 'Two processes draw the same id, and once more; then they differ.',
      scenario: { n: 2, seed: 2 },
    },
    'not-unique': {
      about: 'Without the test for uniqueness, both win.',
      scenario: { n: 2, seed: 2 },
      of: 'itai-rodeh-not-unique',
    },
  },
});

describe('itai-rodeh', () => {
  test('the mean number of rounds for K = n lies between 1.46 and 1.68', () => {
    for (const n of [3, 5, 8, 16]) {
      let rounds = 0;
      const runs = 2000;
      for (let seed = 0; seed < runs; seed += 1) {
        let last = 1;
        const observe = (_process: number, state: unknown) => {
          last = Math.max(last, (state as { round: number }).round);
        };
        expect(simulate(itaiRodeh, { n, seed }, { observe }).ok).toBe(true);
        rounds += last;
      }
      expect(rounds / runs).toBeGreaterThan(1.4);
      expect(rounds / runs).toBeLessThan(1.75);
    }
  });

  test('any position can win', () => {
    const winners = new Set<number | null>();
    for (let seed = 0; seed < 200; seed += 1) winners.add(simulate(itaiRodeh, { n: 4, seed }).leader);
    expect(winners).toEqual(new Set([0, 1, 2, 3]));
  });

  test('2^10 processes take n log n messages on average', () => {
    let total = 0;
    for (let seed = 0; seed < 20; seed += 1) total += simulate(itaiRodeh, { n: 1024, seed }).messages.total;
    expect(total / 20).toBeLessThan(2 * 1024 * 10);
  });
});
