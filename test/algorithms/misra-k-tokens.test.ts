import { describe, expect, test } from 'vitest';
import { kTokens, misraKTokens } from '../../src/algorithms/mutex/misra-k-tokens.ts';
import { Random } from '../../src/core/random.ts';
import type { Fault, Scenario } from '../../src/sim/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { conformsToMutex } from '../conformance/mutex.ts';
import { explore, handled, type RingWorld, taken } from '../conformance/ring-worlds.ts';
import { thorough } from '../tiers.ts';

const lose = (message: number): Fault => ({ type: 'lose', message });

conformsToMutex(misraKTokens, {
  hash: 'dd1c060701159344',
  scenarios: [
    { hold: 'uniform:1:200' },
    { hold: 'uniform:1:200', faults: [lose(9)] },
    { hold: 'uniform:1:200', faults: [lose(7), lose(8)] },
    {},
  ],
  reaches: {
    best: 'the tokens move with or without requests',
    worst: 'there is none, for the same reason',
  },
  bypass: [{ n: 4, entries: 20, think: 'fixed:0', hold: 'fixed:0', faults: [lose(7)], seed: 8 }],
  golden: {
    'two-lost': {
      about:
        'Tokens 1 and 2 are lost on their first hop. Token 0, back at 1 after a turn, brings token 1 back; token 1, after a turn of its own, token 2.',
      scenario: {
        ids: [1, 2, 3],
        start: [{ process: 0, at: 18 }],
        latency: 'fixed:2',
        faults: [lose(1), lose(2)],
      },
    },
    'not-fresh': {
      about:
        'Token 2 is lost while token 0 rests at 0. The new one bears the old stamp, finds it at 1, where the lost one left it, and makes a second token 0.',
      scenario: {
        ids: [1, 2],
        think: 'uniform:0:20',
        hold: 'fixed:60',
        latency: 'fixed:2',
        seed: 25,
        faults: [lose(5)],
      },
      of: 'misra-k-tokens-not-fresh',
    },
  },
});

describe('misra-k-tokens', () => {
  thorough(
    'up to k-1 tokens are lost, repeatedly: every request enters, and at most one process is inside',
    () => {
      const random = new Random(1, 'losses');
      let allBursts = 0; // runs that were long enough for all bursts
      for (let seed = 0; seed < 2000; seed += 1) {
        const n = 1 + random.below(5);
        const k = 2 + random.below(4);
        const gap = 10 * k * (n + 1);
        const faults = [0, 1, 2].flatMap((burst) =>
          Array.from({ length: k - 1 }, () => lose(burst * gap + random.below(gap / 3))),
        );
        const scenario: Scenario = {
          n,
          faults,
          entries: 10,
          think: 'uniform:0:120',
          hold: 'uniform:0:60',
          seed,
          limit: 100_000,
        };
        const run = simulate(kTokens('k-tokens', k), scenario, { invariants: seed % 10 === 0 });
        expect(run.violations, JSON.stringify({ k, ...scenario })).toEqual([]);
        expect(run.entries).toBe(10 * n);
        if (run.messages.total > 2.4 * gap) allBursts += 1;
      }
      expect(allBursts).toBeGreaterThan(1000);
    },
  );

  /** Returns the trace of a run in which process 0 asks late, so that lost tokens have time to return. */
  function linesOf(k: number, n: number, lost: readonly number[]): string[] {
    const lines: string[] = [];
    const trace = (line: string) => lines.push(line);
    const start = [{ process: 0, at: 10 * k * (n + 2) }];
    simulate(kTokens('k-tokens', k), { n, latency: 'fixed:1', start, faults: lost.map(lose) }, { trace });
    return lines;
  }

  test('all tokens but one are lost at once: every token returns, within n+1 hops each', () => {
    for (let k = 2; k <= 5; k += 1) {
      for (let n = 1; n <= 5; n += 1) {
        for (let left = 0; left < k; left += 1) {
          const lost = Array.from({ length: k }, (_, a) => a).filter((a) => a !== left); // the first k messages are the k tokens
          const lines = linesOf(k, n, lost);
          const firstAfter = (a: number) =>
            lines.findIndex(
              (line) =>
                new RegExp(`=> .*; #\\d+ to \\d+ token\\(a=${a},`).test(line) && !line.includes('begin'),
            );
          for (const a of lost)
            expect(firstAfter(a), `k = ${k}, n = ${n}, ${a} of ${lost}`).toBeGreaterThan(0);
          const time = Math.max(...lost.map((a) => Number.parseInt(lines[firstAfter(a)]!, 10)));
          expect(time).toBeLessThanOrEqual((k - 1) * (n + 1));
        }
      }
    }
  });

  test('if all tokens are lost at once, none returns', () => {
    const run = simulate(misraKTokens, { n: 3, start: [{ process: 1, at: 5 }], faults: [0, 1, 2].map(lose) });
    expect(run.violations[0]?.property).toBe('every request enters');
  });

  test('the token that watches detects a loss within n+1 hops', () => {
    for (let k = 2; k <= 3; k += 1) {
      for (let n = 1; n <= 5; n += 1) {
        let most = 0;
        for (let lost = 0; lost < 3 * k * n; lost += 1) {
          const lines = linesOf(k, n, [lost]);
          const b = Number(
            lines
              .find((line) => line.includes(`#${lost} to`))!
              .match(new RegExp(`#${lost} to \\d+ token\\(a=(\\d)`))![1],
          );
          const since = lines.slice(lines.findIndex((line) => line.includes(`lose #${lost}`)));
          const arrivals = since.filter(
            (line) => line.includes(`token(a=${(b + k - 1) % k},`) && / recv /.test(line),
          );
          most = Math.max(most, 1 + arrivals.findIndex((line) => line.includes('; #')));
        }
        expect(most, `k = ${k}, n = ${n}`).toBe(n + 1);
      }
    }
  });
});

describe('every interleaving with losses', () => {
  /**
   * Counts the worlds, and those in which a token exists twice. A stamp matters only if its token has it now, because earlier stamps never
   * return. So this is the only thing by which stamps tell worlds apart.
   */
  function worldsOf(n: number, k: number): { worlds: number; broken: number } {
    const { init, begin, calls, on, invariants } = kTokens('k-tokens', k);
    type World = RingWorld<ReturnType<typeof init>, Parameters<typeof on.token>[2]>;
    const facts = Array.from({ length: n }, (_, i) => ({ id: i + 1, root: i === 0 }));
    const now = [0, 0, 0] as const;
    const canonical = ({ states, channels }: World): World => {
      const borne = new Set(channels.flat().map(({ a, stamp }) => `${a} ${stamp}`));
      for (const { zero } of states) if (zero !== null) borne.add(`0 ${zero}`);
      return {
        states: states.map((s) => ({
          ...s,
          m: s.m.map((stamp, a) => (borne.has(`${a} ${stamp}`) ? now : null)),
          zero: s.zero && now,
          made: 0,
        })),
        channels: channels.map((channel) => channel.map((message) => ({ ...message, stamp: now }))),
      };
    };
    const isSound = ({ states, channels }: World) => {
      const inFlight = channels.flatMap((channel, from) =>
        channel.map((message) => ({ from, to: (from + 1) % n, message })),
      );
      return Object.values(invariants!).every((holds) =>
        holds({ states, inFlight, meant: (i) => (i + 1) % n, sender: (i) => (i + n - 1) % n }),
      );
    };
    let broken = 0;
    function* next(world: World): Iterable<World> {
      const { states, channels } = world;
      if (!isSound(world)) {
        broken += 1;
        return;
      }
      const tokens = channels.flat().length + states.filter((s) => s.zero !== null).length;
      for (let i = 0; i < n; i += 1) {
        if (states[i]!.zero !== null)
          yield canonical(handled(world, i, facts[i]!, (s, p) => calls.release(s, p as never)));
        if (channels[i]!.length === 0) continue;
        const [rest, m] = taken(world, i);
        const to = (i + 1) % n;
        if (tokens > 1) yield canonical(rest); // the message is lost
        for (const wanting of states[to]!.zero !== null ? [true] : [true, false]) {
          const asked = handled(rest, to, facts[to]!, (s) => Object.assign(s, { wanting }));
          const met = handled(asked, to, facts[to]!, (s, p) => on.token(s, p as never, m, 0));
          if (met.states[to]!.zero === null) Object.assign(met.states[to]!, { wanting: false });
          yield canonical(met);
        }
      }
    }
    const empty: World = { states: facts.map((place) => init(place)), channels: facts.map(() => []) };
    const first = handled(empty, 0, facts[0]!, (s, p) => begin!(s, p as never));
    return { worlds: explore([canonical(first)], next).size, broken };
  }

  test('no token ever exists twice', () => {
    for (const [k, most] of [
      [2, 3],
      [3, 3],
      [4, 2],
    ] as const) {
      for (let n = 1; n <= most; n += 1) expect(worldsOf(n, k).broken, `n = ${n}, k = ${k}`).toBe(0);
    }
    expect(worldsOf(3, 3).worlds).toBe(1038);
  });
});
