import { describe, expect, test } from 'vitest';
import { hirschbergSinclair } from '../../src/algorithms/election/hirschberg-sinclair.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { mutants } from '../../src/mutants/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';
import { isQuick } from '../tiers.ts';

const er16 = { ids: [2, 1, 3], start: [{ process: 2 }] };

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
  foundOut: {
    'hirschberg-sinclair-first-copy': (one) => !simulate(one, er16, { invariants: true }).ok,
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
    'er-15': {
      about:
        'ER-15. The candidature of 3 is back from both sides, but as printed 3 waits for two responses, and none comes.',
      scenario: { ids: [1, 2, 3], start: [{ process: 2 }], latency: 'fixed:1' },
      of: 'hirschberg-sinclair-waits',
    },
    'er-16': {
      about:
        'ER-16. The first copy of candidature 3 is back and ends the election; 2 has heard the end, and the second copy\nis on its way to it: it will make 2 a loser for good.',
      scenario: er16,
      of: 'hirschberg-sinclair-first-copy',
      lemmas: true,
    },
  },
});

everyStartElects(hirschbergSinclair);

const candidatures = (ids: readonly number[], scenario = {}) => {
  const run = simulate(hirschbergSinclair, { ids, ...scenario });
  expect(run.violations).toEqual([]);
  return run.messages.byType.candidature! + run.messages.byType.response!;
};

describe('hirschberg-sinclair', () => {
  const largest = [2, 12, 26, 40, 62, 80, 96, 112];
  test.each([1, 2, 3, 4, 5, 6, 7, 8].slice(0, isQuick ? 6 : 8))(
    'n = %i, all arrangements, all processes start: the largest count is that of the table',
    (n) => {
      let most = 0;
      for (const ids of rings(n)) {
        for (let seed = 0; seed < (n < 7 ? 60 : 4); seed += 1)
          most = Math.max(most, candidatures(ids, { seed, latency: 'uniform:1:100' }));
      }
      expect(most).toBe(largest[n - 1]);
    },
  );

  test('the lower bound is attained if only the largest starts', () => {
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

  test('ER-15: the winner gets no response in its last round, so it must not wait for two', () => {
    for (const ids of rings(5)) {
      const states: { state: string; nbresp: number }[] = [];
      const observe = (i: number, state: unknown) => {
        states[i] = { ...(state as (typeof states)[number]) };
      };
      expect(simulate(hirschbergSinclair, { ids }, { observe }).ok).toBe(true);
      expect(states[0]).toMatchObject({ state: 'elected', nbresp: 0 });
    }
  });

  test('ER-15: at most floor(n / (2^(k-1) + 1)) processes launch to distance 2^k, for 1 + ceil(log n) values of k', () => {
    let mostReached = 0;
    for (let seed = 0; seed < 80; seed += 1) {
      const n = 2 + (seed % 40);
      const launches = new Map<number, number>();
      const trace = (line: string) => {
        for (const [, lgmax] of line.matchAll(/candidature\(number=\d+,lg=0,lgmax=(\d+)\)(?! from)/g))
          launches.set(Number(lgmax), (launches.get(Number(lgmax)) ?? 0) + 1);
      };
      simulate(hirschbergSinclair, { n, seed }, { trace });
      for (const [distance, candidatures] of launches) {
        if (distance === 1) continue;
        const most = Math.floor(n / (distance / 2 + 1));
        expect(candidatures / 2, `n ${n}, distance ${distance}`).toBeLessThanOrEqual(Math.max(1, most));
        if (candidatures / 2 === most) mostReached += 1;
      }
      expect(launches.size).toBe(1 + Math.ceil(Math.log2(n)));
    }
    expect(mostReached).toBeGreaterThan(0);
  });

  // As printed, a process that receives the end returns to not_involved. The winner sends the end at the first copy, or at both.
  const hasty = mutants.find(({ name }) => name === 'hirschberg-sinclair-first-copy')!;
  const patient = { ...hasty, on: { ...hasty.on, candidature: hirschbergSinclair.on.candidature } };

  /** 3 wins and crashes, the ring closes over it, and 1 starts. Returns the second election, for 150 seeds. */
  const afterwards = (algorithm: AnyAlgorithm) =>
    Array.from({ length: 150 }, (_, seed) => {
      const states = new Map<number, { state: string }>();
      const ids = [2, 1, 3];
      const observe = (i: number, state: unknown) => states.set(ids[i]!, structuredClone(state as never));
      const scenario = { ids, channels: 'fifo', latency: 'uniform:1:100', seed } as const;
      expect(simulate(algorithm, scenario, { observe }).leader).toBe(3);
      const survivors = { ...algorithm, init: ({ id }: { id: number }) => states.get(id) };
      const losers = [1, 2].filter((id) => states.get(id)!.state === 'lost');
      return { losers, run: simulate(survivors, { ids: [1, 2], start: [{ process: 0 }] }) };
    });

  test('ER-16: an end at the first copy leaves losers; 3 crashes, 1 starts, 2 refuses, and no process wins', () => {
    const left = afterwards(hasty);
    const stuck = left.filter(({ losers }) => losers.includes(2) && !losers.includes(1));
    expect(stuck.length).toBeGreaterThan(0);
    for (const { run } of stuck) expect(run.violations[0]?.property).toBe('everybody learns the leader');
    for (const { losers, run } of afterwards(patient)) {
      expect(losers).toEqual([]);
      expect(run).toMatchObject({ ok: true, leader: 2 });
    }
  });
});

holdsForAllIds(hirschbergSinclair, { inFull: { 2: 400, 3: 34_294 } });
