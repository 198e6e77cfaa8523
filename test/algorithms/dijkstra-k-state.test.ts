import { describe, expect, test } from 'vitest';
import { dijkstraKState, kState } from '../../src/algorithms/mutex/dijkstra-k-state.ts';
import { Random } from '../../src/core/random.ts';
import type { Scenario } from '../../src/sim/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';
import { explore, handled, type RingWorld, taken } from '../conformance/ring-worlds.ts';

const corruptAll = (at: number) => ({ type: 'corrupt', process: 'all', at }) as const;
const settles: Scenario = { start: [], faults: [corruptAll(0)] };

conformsToMutex(dijkstraKState, {
  hash: 'b82488f4d7d68717',
  scenarios: [{}, { hold: 'uniform:1:200' }, settles, { faults: [corruptAll(0)] }],
  survives: {
    reliability: 'a process sends its state again',
    'no duplication': 'a state received twice changes nothing',
  },
  reaches: {
    best: 'processes send their states with or without requests',
    worst: 'there is none, for the same reason',
  },
  bypass: [{ n: 4 }],
  golden: {
    'two-inside': {
      about:
        'An arbitrary start: 0, 1 and 2 have states 9, 8, 9 and think that their neighbours have 1, 8, 8. Two are inside at time 4; when\nthey have left the ring is legitimate, and 2 enters alone.',
      scenario: {
        n: 3,
        latency: 'fixed:3',
        think: 'fixed:2',
        hold: 'fixed:6',
        faults: [corruptAll(0)],
        seed: 718,
      },
    },
    'too-few': {
      about:
        'Two processes with three values, all different: they chase each other round the ring, and none of them ever wins.',
      scenario: { ...settles, n: 2, latency: 'fixed:3', seed: 14, limit: 24 },
      of: 'dijkstra-k-state-too-few',
    },
  },
});

describe('dijkstra-k-state', () => {
  test('it stabilises from any states, after further corruptions and losses, and every request enters', () => {
    const random = new Random(1, 'corruptions');
    const one = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
    for (let seed = 0; seed < 2000; seed += 1) {
      const n = 1 + random.below(5);
      const again = Array.from({ length: random.below(4) }, () => {
        const at = 1 + random.below(200);
        return random.below(3) === 0
          ? corruptAll(at)
          : ({ type: 'corrupt', process: random.below(n), at } as const);
      });
      const scenario: Scenario = {
        n,
        seed,
        faults: [corruptAll(0), ...again],
        entries: 2,
        root: random.below(n),
        latency: one(['uniform:1:10', 'uniform:0:100', 'exponential:20']),
        think: one(['uniform:0:10', 'uniform:0:100']),
        hold: one(['uniform:1:5', 'uniform:1:100']),
        loss: one([0, 0.1]),
        limit: 100_000,
      };
      const run = simulate(dijkstraKState, scenario);
      expect(run.violations, JSON.stringify(scenario)).toEqual([]);
      expect(run.entries).toBe(2 * n);
    }
  });

  test('a restart is a corruption like any other', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const faults = [
        corruptAll(0),
        { type: 'crash', process: seed % 4, at: 20 + (seed % 60) },
        { type: 'restart', process: seed % 4, at: 150 },
      ] as const;
      const run = simulate(dijkstraKState, { n: 4, faults, entries: 3, seed, limit: 100_000 });
      expect(run.violations).toEqual([]);
    }
  });
});

// The algorithm with K states. Each process begins with the given values, by position.
function from(K: (n: number) => number, ...starts: (readonly { S: number; L: number }[])[]) {
  const algorithm = kState('with-k-states', K);
  const values = starts.flat();
  const scramble = (s: object) => Object.assign(s, values.shift());
  return { ...algorithm, stabilises: { ...algorithm.stabilises!, scramble } };
}

describe('the number of states needed', () => {
  const isOver = (algorithm: ReturnType<typeof from>, scenario: Scenario) =>
    simulate(algorithm, { start: [], limit: 4000, ...scenario }).ok;

  test('states and copies that rise against the ring never settle if K = 2n-1, and settle if K = 2n', () => {
    for (let n = 2; n <= 5; n += 1) {
      const rising = Array.from({ length: n }, (_, i) => ({ S: 2 * (n - i) - 1, L: 2 * (n - i) }));
      rising[0] = { S: 0, L: 0 };
      const scenario = { n, latency: 'uniform:1:10', faults: [corruptAll(0)] };
      expect(
        isOver(
          from(() => 2 * n - 1, rising),
          scenario,
        ),
      ).toBe(false);
      expect(
        isOver(
          from(() => 2 * n, rising),
          scenario,
        ),
      ).toBe(true);
    }
  });

  test('with one more value on each channel, they never settle if K = 3n-1, and settle if K = 3n', () => {
    for (let n = 2; n <= 5; n += 1) {
      const sent = Array.from({ length: n }, (_, i) => ({ S: 3 * (n - i) - 2, L: 3 * (n - i) - 2 }));
      sent[0]!.L = 0; // no process is privileged, so each sends its one value
      const rising = Array.from({ length: n }, (_, i) => ({ S: 3 * (n - i) - 1, L: 3 * (n - i) }));
      rising[0] = { S: 0, L: 0 };
      const scenario = { n, latency: 'fixed:150', faults: [corruptAll(0), corruptAll(2)] };
      expect(
        isOver(
          from(() => 3 * n - 1, sent, rising),
          scenario,
        ),
      ).toBe(false);
      expect(
        isOver(
          from(() => 3 * n, sent, rising),
          scenario,
        ),
      ).toBe(true);
    }
  });

  test('every interleaving of two processes, three messages per channel, from all states: K = 3 may never settle, K = 4 always does', () => {
    expect([2, 3, 4].map(mayNeverSettle)).toEqual([true, true, false]);
  });

  function mayNeverSettle(K: number): boolean {
    const { init, on, stabilises } = kState('with-k-states', () => K);
    type World = RingWorld<ReturnType<typeof init>, { type: 'state'; S: number }>;
    const facts = [0, 1].map((i) => ({ n: 2, root: i === 0 }));
    const isLegitimate = ({ states, channels }: World) => {
      const inFlight = channels.flatMap((channel, i) =>
        channel.map((message) => ({ from: i, to: 1 - i, message })),
      );
      return stabilises!.legitimate({ states, inFlight, meant: (i) => 1 - i, sender: (i) => 1 - i });
    };
    /** Subtracts the root's value from all values: worlds that differ only in that behave alike. */
    const relative = ({ states, channels }: World): World => {
      const less = (value: number) => (value - states[0]!.S + K) % K;
      return {
        states: states.map((s) => ({ ...s, S: less(s.S), L: less(s.L) })),
        channels: channels.map((channel) => channel.map(({ type, S }) => ({ type, S: less(S) }))),
      };
    };
    const rootMoves: [string, string][] = [];
    function* following(world: World): Iterable<World> {
      for (const i of [0, 1]) {
        const steps: World[] = [];
        if (world.channels[i]!.length > 0) {
          const [rest, message] = taken(world, i);
          steps.push(handled(rest, 1 - i, facts[1 - i]!, (s, p) => on.state(s, p as never, message, 0)));
        }
        steps.push(handled(world, i, facts[i]!, (s, p) => on.repeat(s, p as never, { type: 'repeat' }, 0)));
        for (const next of steps) {
          if (next.channels.some((channel) => channel.length > 3) || isLegitimate(next)) continue;
          if (next.states[0]!.S !== world.states[0]!.S)
            rootMoves.push([JSON.stringify(world), JSON.stringify(relative(next))]);
          yield relative(next);
        }
      }
    }
    const digits = Array.from({ length: K ** 3 }, (_, k) => [
      k % K,
      Math.floor(k / K) % K,
      Math.floor(k / K ** 2),
    ]);
    const first = digits.map(([a, b, c]): World => {
      const [root, other] = [init(facts[0]!), init(facts[1]!)];
      return {
        states: [
          { ...root, S: 0, L: a! },
          { ...other, S: b!, L: c! },
        ],
        channels: [[], []],
      };
    });
    const worlds = explore(
      first.filter((world) => !isLegitimate(world)),
      following,
    );
    const reaches = (start: string, goal: string): boolean => {
      const seen = new Set([start]);
      for (const world of seen) for (const next of worlds.get(world)!) seen.add(next);
      return seen.has(goal);
    };
    return rootMoves.some(([before, now]) => reaches(now, before));
  }
});

describe('in the model of Dijkstra: one machine moves at a time, and reads its neighbour', () => {
  /** Returns the most moves that any choice takes to reach a legitimate state; Infinity if one never does. */
  function mostMoves(n: number, K: number): number {
    const most = new Map<string, number>();
    // Values are relative to the root's, which is always 0: when the root moves up, the others move down instead.
    const longest = (S: readonly number[]): number => {
      const privileged = S.flatMap((_, i) => ((i === 0) === (S[i] === S.at(i - 1)) ? [i] : []));
      if (privileged.length === 1) return 0;
      const key = S.join();
      if (!most.has(key)) {
        most.set(key, Infinity); // until known: a run that returns here never ends
        const moved = (i: number) =>
          S.map((s, j) => (i === 0 ? (j === 0 ? 0 : (s + K - 1) % K) : j === i ? S[i - 1]! : s));
        most.set(key, 1 + Math.max(...privileged.map((i) => longest(moved(i)))));
      }
      return most.get(key)!;
    };
    let all = 0;
    for (let k = 0; k < K ** (n - 1); k += 1)
      all = Math.max(
        all,
        longest(Array.from({ length: n }, (_, i) => (i === 0 ? 0 : Math.floor(k / K ** (i - 1)) % K))),
      );
    return all;
  }

  test('with K = n, at most 13, 24 and 38 moves for n = 4, 5 and 6', () => {
    expect([4, 5, 6].map((n) => mostMoves(n, n))).toEqual([13, 24, 38]);
  });

  test('K = n-1 is enough from n = 3 on, K = n-2 is not', () => {
    for (let n = 3; n <= 6; n += 1) expect(mostMoves(n, n - 1)).toBeLessThan(Infinity);
    for (let n = 4; n <= 6; n += 1) expect(mostMoves(n, n - 2)).toBe(Infinity);
  });
});

holdsEverywhere(dijkstraKState, [
  [{ n: 3, entries: 2 }, { lemmas: true, capacity: 1 }, 42_016],
  [{ n: 4 }, { capacity: 1 }, 89_920],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true, capacity: 1 }, 83_296],
]);
