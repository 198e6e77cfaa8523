import { describe, expect, test } from 'vitest';
import { itaiRodeh } from '../../src/algorithms/election/itai-rodeh.ts';
import { check } from '../../src/check/index.ts';
import type { World } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { itaiRodehSameCoin } from '../../src/mutants/itai-rodeh.ts';
import { replay, simulate } from '../../src/sim/index.ts';
import { conformsToElection } from '../conformance/election.ts';
import { whyTooLarge } from '../tiers.ts';

type Ring = World<
  ReturnType<typeof itaiRodeh.init>,
  Parameters<typeof itaiRodeh.on.candidate>[2] | { type: 'leader' }
>;

conformsToElection(itaiRodeh, {
  hash: '5dcf2a5032c4362a',
  reaches: {
    best: { n: 4, seed: 14 },
    worst: 'there is none: coin tosses may be equal forever',
  },
  survives: {
    'no duplication': 'a duplicate returns after the round is decided, or after the winner has stopped',
  },
  foundOut: {
    'itai-rodeh-same-coin': (one) => !simulate(one, { n: 3, latency: 'fixed:1', limit: 1000 }).ok,
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

describe('itai-rodeh, every interleaving', () => {
  test.for([
    [2, 545],
    [3, 300_265],
  ] as const)('n = %i: it ends with probability 1, in %i states', ([n, states], { skip }) => {
    const why = whyTooLarge(states);
    if (why !== null) skip(why);
    expect(check(itaiRodeh, { n })).toMatchObject({ verdict: 'holds', states });
  });

  test.each([2, 3])('n = %i: with a coin that always falls the same, nobody is ever elected', (n) => {
    const biased = itaiRodehSameCoin;
    const { violation } = check(biased, { n });
    expect(violation?.property).toBe('everybody learns the leader');
    const trace = parseTrace(violation!.trace);
    expect(Number(trace.scenario.loop)).toBeLessThan(trace.events.length);
    expect(replay(biased, trace)).toMatchObject({ ok: true, events: trace.events.length });
  });

  /** Worlds with their rounds counted as the checker should. */
  const shifted = ({ states, inFlight }: Ring): string => {
    const matter = states.filter(({ state }) => state === 'idle' || state === 'active');
    const lowest = Math.min(...matter.map(({ round }) => round)); // Infinity if none matters any more: then all are over
    const lower = <T extends object>(record: T): T =>
      'round' in record ? { ...record, round: Math.max(-1, (record.round as number) - lowest) } : record;
    const messages = inFlight.map(({ from, to, message }) => JSON.stringify([from, to, lower(message)]));
    return JSON.stringify([states.map(lower), messages.sort()]);
  };

  test('counting rounds from the lowest one neither adds nor hides a state', () => {
    const { rounds: _, ...plain } = itaiRodeh;
    const seen = [itaiRodeh, plain].map((algorithm) => {
      const found = new Set<string>();
      const note = (world: Ring) => found.add(shifted(world)).size > 0;
      const options = { reduction: false, progress: false, maxDepth: 16 };
      check({ ...algorithm, invariants: { note } }, { n: 2 }, options);
      return found;
    });
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]!.size).toBeGreaterThan(150);
  });
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
