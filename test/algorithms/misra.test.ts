import { describe, expect, test } from 'vitest';
import { misra, pingPong } from '../../src/algorithms/mutex/misra.ts';
import { Random } from '../../src/core/random.ts';
import type { Fault, Scenario } from '../../src/sim/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';
import { explore, handled, type RingWorld, taken } from '../conformance/ring-worlds.ts';

const lose = (message: number): Fault => ({ type: 'lose', message });

conformsToMutex(misra, {
  hash: '2cacca74137b3f17',
  scenarios: [{ hold: 'uniform:1:200' }, { hold: 'uniform:1:200', faults: [lose(9)] }, {}],
  reaches: {
    best: 'the tokens move with or without requests',
    worst: 'there is none, for the same reason',
  },
  bypass: [{ n: 4 }],
  golden: {
    'er-18': {
      about:
        'ER-18. Without FIFO ping passes pong on the way, comes twice with the same number, and takes pong for lost: two pongs.',
      scenario: {
        n: 1,
        channels: 'unordered',
        start: [{ process: 0, at: 3 }],
        latency: 'uniform:1:3',
        hold: 'fixed:14',
        seed: 6,
      },
      lemmas: true,
    },
    'ping-lost': {
      about:
        'Ping is lost on its way from 1 to 2; pong, coming round, finds its own number at 2 and makes a new ping there.',
      scenario: { n: 3, start: [{ process: 0, at: 30 }], latency: 'fixed:2', faults: [lose(3)] },
    },
    'er-17': {
      about: 'ER-17. Number 0 is the same for both: pong finds it and makes a second ping; two inside.',
      scenario: { n: 2, entries: 2, hold: 'uniform:1:60', seed: 262 },
      of: 'misra-modulo',
    },
  },
});

describe('misra', () => {
  test('tokens are lost repeatedly: every request enters, and at most one process is inside', () => {
    const random = new Random(1, 'losses');
    for (let seed = 0; seed < 1000; seed += 1) {
      const n = 1 + random.below(5);
      const gap = 8 * (n + 1);
      const faults = Array.from({ length: 3 }, (_, k) => lose(k * gap + random.below(gap / 2)));
      const scenario: Scenario = {
        n,
        faults,
        entries: 8,
        think: 'uniform:0:60',
        hold: 'uniform:0:60',
        seed,
        limit: 100_000,
      };
      const run = simulate(misra, scenario, { invariants: seed % 10 === 0 });
      expect(run.violations, JSON.stringify(scenario)).toEqual([]);
      expect(run.entries).toBe(8 * n);
    }
  });

  test('if both tokens are lost, neither returns', () => {
    const run = simulate(misra, { n: 3, start: [{ process: 1, at: 5 }], faults: [lose(0), lose(1)] });
    expect(run.violations[0]?.property).toBe('every request enters');
  });

  test('pong makes a lost ping again at its destination, so no process loses its turn', () => {
    for (let seed = 0; seed < 400; seed += 1) {
      const lost = seed % 40;
      let goal: string | undefined; // the destination of the lost ping
      let place: string | undefined; // where the new one is made
      const trace = (line: string) => {
        goal ??= new RegExp(`#${lost} to (\\d+) ping`).exec(line)?.[1];
        const isMade = / recv #\d+ pong.*=>.*( ping|emit entered)/.test(line);
        if (isMade) place ??= line.split(' ')[1];
      };
      const busy = { entries: 9, think: 'uniform:0:60', hold: 'uniform:0:60' };
      simulate(misra, { n: 1 + (seed % 5), ...busy, faults: [lose(lost)], seed }, { trace });
      expect(place, `seed ${seed}`).toBe(goal);
    }
  });

  test('ER-18: the surviving token detects the loss within n+1 hops, not within one turn', () => {
    for (let n = 1; n <= 6; n += 1) {
      let most = 0;
      for (let lost = 0; lost < 4 * n; lost += 1) {
        let hops = 0;
        let found = false;
        const trace = (line: string) => {
          if (line.includes(`lose #${lost}`)) hops = 0;
          if (/ recv /.test(line) && !found) hops += 1;
          if ((line.match(/#\d+ to/g)?.length ?? 0) > 1 && !line.includes('begin')) found = true;
        };
        simulate(
          misra,
          { n, latency: 'fixed:1', start: [{ process: 0, at: 20 * n }], faults: [lose(lost)] },
          { trace },
        );
        expect(found).toBe(true);
        most = Math.max(most, hops);
      }
      expect(most).toBe(n + 1);
    }
  });
});

describe('every interleaving with losses, by the number of values of the counters', () => {
  const successor = (values: number) => (v: number) => (v % values) + 1;
  const following = (n: number, i: number) => (i + 1) % n;

  /** Counts the worlds for n processes, and those in which a token exists twice. */
  function misraWorlds(n: number, values: number): { worlds: number; broken: number } {
    const { init, begin, calls, on, invariants } = pingPong('with-values', successor(values));
    type World = RingWorld<ReturnType<typeof init>, { type: 'ping' | 'pong'; v: number }>;
    const facts = Array.from({ length: n }, (_, i) => ({ n, root: i === 0 }));
    const isSound = ({ states, channels }: World) => {
      const inFlight = channels.flatMap((channel, from) =>
        channel.map((message) => ({ from, to: following(n, from), message })),
      );
      return Object.values(invariants!).every((holds) =>
        holds({ states, inFlight, meant: (i) => following(n, i), sender: (i) => (i + n - 1) % n }),
      );
    };
    let broken = 0;
    function* next(world: World): Iterable<World> {
      const { states, channels } = world;
      if (!isSound(world)) {
        broken += 1;
        return;
      }
      const tokens = channels.flat().length + states.filter((s) => s.ping !== null).length;
      for (let i = 0; i < n; i += 1) {
        if (!states[i]!.wanting) yield handled(world, i, facts[i]!, (s, p) => calls.request(s, p as never));
        if (states[i]!.ping !== null)
          yield handled(world, i, facts[i]!, (s, p) => calls.release(s, p as never));
        if (channels[i]!.length === 0) continue;
        const [rest, m] = taken(world, i);
        const to = following(n, i);
        if (tokens > 1) yield rest; // the message is lost
        yield handled(rest, to, facts[to]!, (s, p) => on[m.type](s, p as never, m as never, 0));
      }
    }
    const empty: World = { states: facts.map((place) => init(place)), channels: facts.map(() => []) };
    const first = handled(empty, 0, facts[0]!, (s, p) => begin!(s, p as never));
    return { worlds: explore([first], next).size, broken };
  }

  /** Counts the same if pong may rest too, as in Misra's paper. Numbers are signed, and a resting token waits in `ping` or `pong`. */
  function symmetricWorlds(n: number, values: number): { worlds: number; broken: number } {
    type State = { m: number; ping: number | null; pong: number | null };
    type World = RingWorld<State, { type: 'ping' | 'pong'; v: number }>;
    let broken = 0;
    function* next(world: World): Iterable<World> {
      const { states, channels } = world;
      const count = (type: 'ping' | 'pong') =>
        states.filter((s) => s[type] !== null).length + channels.flat().filter((m) => m.type === type).length;
      if (count('ping') > 1 || count('pong') > 1) {
        broken += 1;
        return;
      }
      for (let i = 0; i < n; i += 1) {
        for (const type of ['ping', 'pong'] as const) {
          if (states[i]![type] === null) continue;
          yield handled(world, i, {}, (s, p) => {
            p.send(0, { type, v: s[type]! });
            s[type] = null;
          });
        }
        if (channels[i]!.length === 0) continue;
        const [rest, { type, v }] = taken(world, i);
        if (count('ping') + count('pong') > 1) yield rest;
        const other = type === 'ping' ? 'pong' : 'ping';
        for (const stays of [true, false]) {
          yield handled(rest, following(n, i), {}, (s, p) => {
            const signed = type === 'ping' ? v : -v;
            const isOtherLost = s.m === signed;
            s.m = signed;
            const number = isOtherLost || s[other] !== null ? successor(values)(v) : v;
            if (isOtherLost) p.send(0, { type: other, v: number });
            if (s[other] !== null) s[other] = number;
            if (stays) s[type] = number;
            else p.send(0, { type, v: number });
          });
        }
      }
    }
    const states = Array.from({ length: n }, (): State => ({ m: 0, ping: null, pong: null }));
    states[0] = { m: 0, ping: 1, pong: 1 };
    return { worlds: explore([{ states, channels: states.map(() => []) }], next).size, broken };
  }

  test('ER-17: n+1 values are enough; n values are not, if either token may rest', () => {
    for (let n = 1; n <= 3; n += 1) {
      expect(misraWorlds(n, n + 1).broken).toBe(0);
      expect(symmetricWorlds(n, n + 1).broken).toBe(0);
      expect(symmetricWorlds(n, n).broken).toBeGreaterThan(0);
    }
    expect(misraWorlds(2, 3).worlds).toBe(728);
  });

  test('two values are enough if pong never rests: it overtakes ping wherever they meet, so they meet once per turn', () => {
    for (let n = 1; n <= 3; n += 1) {
      expect(misraWorlds(n, 2).broken).toBe(0);
      expect(misraWorlds(n, 1).broken).toBeGreaterThan(0);
    }
  });
});

holdsEverywhere(misra, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 15_788],
  [{ n: 4 }, {}, 17_436],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 32_370],
]);
