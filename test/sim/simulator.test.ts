import { describe, expect, test } from 'vitest';
import {
  algorithms,
  bully,
  changRoberts,
  dekker,
  lamport,
  ricartAgrawala,
} from '../../src/algorithms/index.ts';
import type { Algorithm, AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { parseTrace } from '../../src/core/trace.ts';
import {
  parseScenario,
  type Scenario,
  Simulation,
  scenarioKeepsAssumptions,
  simulate,
} from '../../src/sim/index.ts';
import { parseLatency } from '../../src/sim/scenario/latency.ts';
import { traceOf } from '../conformance/conformance.ts';
import { thorough } from '../tiers.ts';

/** Floods: each process sends `count` numbered messages to every other one, and records the messages it receives in order. */
const flood = (
  count: number,
): Algorithm<'election', { got: number[][] }, { type: 'm'; k: number }, ['me', 'n', 'neighbours']> => ({
  name: 'flood',
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  bounds: [],
  init: ({ n }) => ({ got: Array.from({ length: n }, () => []) }),
  calls: {
    start: (_s, p) => {
      for (let k = 0; k < count; k += 1) for (const j of p.neighbours) p.send(j, { type: 'm', k });
    },
  },
  on: {
    m: (s, _p, { k }, j) => {
      s.got[j]!.push(k);
    },
  },
});

const floodStates = (scenario: Scenario) => {
  const simulation = new Simulation(flood(20), { n: 3, latency: 'uniform:1:50', ...scenario });
  while (simulation.advance(1000));
  return (simulation.states as { got: number[][] }[])
    .flatMap((state) => state.got)
    .filter((got) => got.length > 0);
};
const isSorted = (numbers: number[]) => numbers.every((k, i) => i === 0 || numbers[i - 1]! <= k);

describe('channels', () => {
  test('unordered channels reorder, FIFO channels do not', () => {
    expect(floodStates({ channels: 'unordered' }).every(isSorted)).toBe(false);
    expect(floodStates({ channels: 'fifo' }).every(isSorted)).toBe(true);
    expect(floodStates({ channels: 'causal' }).every(isSorted)).toBe(true);
  });

  test('loss and duplication happen with the given probability', () => {
    const arrived = (scenario: Scenario) => {
      let total = 0;
      for (let seed = 0; seed < 100; seed += 1) total += floodStates({ ...scenario, seed }).flat().length;
      return total / (100 * 120);
    };
    expect(arrived({})).toBe(1);
    expect(arrived({ loss: 0.25 })).toBeCloseTo(0.75, 1);
    expect(arrived({ duplication: 0.25 })).toBeCloseTo(1.25, 1);
    expect(arrived({ loss: 1 })).toBe(0);
  });

  test('causal delivery: an answer never arrives before what it answers', () => {
    // 0 sends to 2, then to 1, which sends to 2 as well. In causal order 2 receives from 0 first, although that link is slow.
    const relay: AnyAlgorithm = {
      ...flood(1),
      calls: {
        start: (_s, p) => {
          for (const j of [2, 1]) p.send(j, { type: 'm', k: 0 });
        },
      },
      on: {
        m: (s, p, { k }, j) => {
          s.got[j].push(k);
          if (p.me === 1 && k === 0) p.send(2, { type: 'm', k: 1 });
        },
      },
    };
    const order = (channels: 'fifo' | 'causal') => {
      const lines: string[] = [];
      const slow = [{ between: [0, 2] as const, ticks: 1000 }];
      simulate(
        relay,
        { n: 3, channels, slow, start: [{ process: 0 }] },
        { trace: (line) => lines.push(line) },
      );
      return lines
        .filter((line) => /^\d+ 2 recv/.test(line))
        .map((line) => line.replace(/.*(m\(k=\d\)).*/, '$1'));
    };
    expect(order('fifo')).toEqual(['m(k=1)', 'm(k=0)']);
    expect(order('causal')).toEqual(['m(k=0)', 'm(k=1)']);
  });
});

describe('faults', () => {
  const events = (scenario: Scenario, process: number) =>
    parseTrace(traceOf(ricartAgrawala, { n: 3, entries: 3, ...scenario })).events.filter(
      (event) => event.process === process,
    );

  test('a crashed process takes no steps', () => {
    const all = events({ faults: [{ type: 'crash', process: 1, at: 20 }] }, 1);
    const crash = all.findIndex(({ input }) => input.kind === 'crash');
    expect(all[crash]!.time).toBe(20);
    expect(
      all
        .slice(crash + 1)
        .map(({ input }) => input.kind)
        .filter((kind) => kind !== 'lose'),
    ).toEqual([]);
  });

  test('a restarted process begins again, with a fresh state', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const faults = [
        { type: 'crash', process: 1, at: 10 + (seed % 50) },
        { type: 'restart', process: 1, at: 61 + (seed % 70) },
      ] as const;
      const run = simulate(ricartAgrawala, { n: 3, entries: 3, faults, seed });
      expect(run.violations.map(({ property }) => property)).not.toContain('the contract is kept');
    }
  });

  test('a paused process handles everything when it resumes, in order', () => {
    const all = events({ faults: [{ type: 'pause', process: 1, at: 5, until: 300 }], seed: 3 }, 1);
    const pause = all.findIndex(({ input }) => input.kind === 'pause');
    expect(all[pause + 1]).toMatchObject({ time: 300, input: { kind: 'resume' } });
    expect(all[pause + 2]!.time).toBe(300);
  });

  test('messages across a partition wait until it heals', () => {
    const faults = [{ type: 'partition', side: [0], at: 0, until: 500 }] as const;
    const { events: all } = parseTrace(traceOf(ricartAgrawala, { n: 3, faults }));
    const across = all.filter(
      ({ process, input }) => input.kind === 'recv' && (process === 0) !== (input.from === 0),
    );
    expect(across.length).toBeGreaterThan(0);
    expect(Math.min(...across.map(({ time }) => time))).toBeGreaterThan(500);
    expect(simulate(ricartAgrawala, { n: 3, faults }).ok).toBe(true);
  });

  test('a partition that never heals blocks waiters', () => {
    const faults = [{ type: 'partition', side: [0], at: 0, until: Infinity }] as const;
    expect(simulate(ricartAgrawala, { n: 3, faults }).violations[0]?.property).toBe('every request enters');
  });
});

describe('a failed run reports', () => {
  const broken = (on: AnyAlgorithm['on']): AnyAlgorithm => ({ ...flood(1), on });

  test('a handler that fails', () => {
    const lines: string[] = [];
    const algorithm = broken({
      m: () => {
        throw new TypeError('cannot read it; sorry');
      },
    });
    const run = simulate(algorithm, { n: 2 }, { trace: (line) => lines.push(line) });
    expect(run.violations).toEqual([
      {
        property: 'the handlers do not fail',
        why: expect.stringMatching(/^at process \d: cannot read it; sorry$/),
      },
    ]);
    expect(parseTrace(`${lines.join('\n')}\n`).events.at(-1)!.outputs).toEqual([
      { kind: 'fail', why: 'cannot read it; sorry' },
    ]);
  });

  test.each([
    [
      'an unknown message',
      (_s: unknown, p: { send: (to: number, m: object) => void }) => p.send(0, { type: 'x' }),
      /'x'/,
    ],
    [
      'an unknown neighbour',
      (_s: unknown, p: { send: (to: number, m: object) => void }) => p.send(7, { type: 'm' }),
      /7/,
    ],
    [
      'an unknown timer',
      (_s: unknown, p: { after: (t: number, m: object) => void }) => p.after(1, { type: 'm' }),
      /timers/,
    ],
  ])('%s', (_name, m, why) => {
    const run = simulate(broken({ m }), { n: 2 });
    expect(run.violations).toMatchObject([
      { property: 'the contract is kept', why: expect.stringMatching(why) },
    ]);
  });

  test('a message changed after it was sent', () => {
    const message = { type: 'm', k: 0 };
    const algorithm = broken({
      m: (_s, p, m) => {
        m.k += 1;
        p.send(0, message);
      },
    });
    expect(simulate(algorithm, { n: 2 }, { freeze: true }).violations[0]?.property).toBe(
      'the handlers do not fail',
    );
  });

  test('a run without end, at its limit', () => {
    const algorithm = broken({ m: (_s, p, m, j) => p.send(j, m) });
    expect(simulate(algorithm, { n: 2, limit: 1000 }).violations[0]?.property).toBe('the run ends');
  });

  test('a broken invariant', () => {
    const algorithm: AnyAlgorithm = {
      ...flood(1),
      invariants: { 'nobody gets anything': ({ states }) => states.every((s) => s.got.flat().length === 0) },
    };
    expect(simulate(algorithm, { n: 2 }, { invariants: true }).violations[0]?.property).toBe(
      'nobody gets anything',
    );
  });
});

describe('determinism', () => {
  test('watching does not change a run', () => {
    for (const algorithm of algorithms) {
      const scenario = { n: 6, entries: 2, seed: 11 };
      const watched = simulate(algorithm, scenario, {
        trace: () => {},
        freeze: true,
        invariants: true,
        observe: () => {},
      });
      expect(simulate(algorithm, scenario)).toEqual(watched);
    }
  });

  thorough('columnar states, for many processes, do not change a run', () => {
    for (const algorithm of algorithms) {
      if (!['ring', 'two-way ring', 'tree'].includes(algorithm.assumes.topology)) continue;
      const mutex = algorithm.problem === 'mutex';
      const scenario = {
        n: 5000,
        seed: 11,
        limit: 200_000, // rings on which every number goes all the way round would take n^2
        ...(mutex
          ? {
              start: [
                { process: 7, at: 0 },
                { process: 4000, at: 3 },
              ],
            }
          : {}),
      };
      const states: unknown[] = [];
      const watched = simulate(algorithm, scenario, {
        observe: (process, state) => {
          states[process] = structuredClone(state);
        },
      });
      const simulation = new Simulation(algorithm, scenario);
      while (simulation.advance(100_000));
      expect(simulation.result()).toEqual(watched);
      const kept = simulation.states;
      for (const [process, state] of states.entries()) {
        if (state !== undefined) expect(kept[process]).toEqual(state);
      }
    }
  });

  test('a field that changes its type widens its column', () => {
    const moody: AnyAlgorithm = {
      ...flood(0),
      assumes: { ...flood(0).assumes, topology: 'ring' },
      knows: [],
      init: () => ({ flag: false, count: 0, list: null }),
      calls: {
        start: (s) => {
          s.flag = 'neither';
          s.count = null;
          s.list = [1];
        },
      },
    };
    const simulation = new Simulation(moody, { n: 5000, start: [{ process: 3 }] });
    while (simulation.advance(1000));
    expect(simulation.states[3]).toEqual({ flag: 'neither', count: null, list: [1] });
    expect(simulation.states[4]).toEqual({ flag: false, count: 0, list: null });
  });

  test('slices do not change a run', () => {
    const simulation = new Simulation(changRoberts, { n: 50, seed: 4 });
    while (simulation.advance(7));
    expect(simulation.result()).toEqual(simulate(changRoberts, { n: 50, seed: 4 }));
  });

  test('the head of a trace is its scenario', () => {
    const scenario: Scenario = {
      n: 4,
      entries: 2,
      seed: 9,
      channels: 'causal',
      latency: 'exponential:5',
      loss: 0.01,
      duplication: 0.01,
      hold: 'fixed:3',
      clocks: [1, 2, 3, 4],
      start: [{ process: 0, at: 3 }, { process: 2 }],
      slow: [{ between: [0, 3], ticks: 40 }],
      faults: [
        { type: 'pause', process: 1, at: 3, until: 9 },
        { type: 'partition', side: [0, 1], at: 2, until: Infinity },
        { type: 'crash', process: 3, at: 90 },
      ],
    };
    const text = traceOf(lamport, scenario);
    expect(traceOf(lamport, parseScenario(parseTrace(text).scenario))).toBe(text);
  });

  test('random numbers are the same everywhere', () => {
    const random = new Random(7, 'pin');
    expect(Array.from({ length: 4 }, () => random.next32())).toMatchInlineSnapshot(`
      [
        -1995456913,
        -1748678226,
        1547225580,
        554597767,
      ]
    `);
    expect([...new Random(7, 'ids').permutation(8)]).toMatchInlineSnapshot(`
      [
        8,
        3,
        2,
        6,
        1,
        5,
        7,
        4,
      ]
    `);
    const latency = parseLatency('exponential:1000');
    expect(Array.from({ length: 4 }, () => latency.sample(random, 0, 0))).toMatchInlineSnapshot(`
      [
        20,
        525,
        406,
        509,
      ]
    `);
  });

  test('a latency in bits depends on the length of the message, which has at least one bit', () => {
    const random = new Random(1, 'bits');
    const latency = parseLatency('bits:3:10', '--latency', true);
    const time = (message: { type: string }) => latency.sample(random, 0, 1, message);
    expect(time({ type: 'wakeup' })).toBe(13);
    expect([1, 2, 7, 8].map((j) => time({ type: 'M', j } as { type: string }))).toEqual([13, 23, 33, 43]);
    expect(latency).toMatchObject({ text: 'bits:3:10', min: 13, max: Infinity });
  });

  test('only messages have a latency in bits; without a bound on their length no delay is the longest', () => {
    expect(() => simulate(lamport, { hold: 'bits:1:1' })).toThrow("hold 'bits:1:1' is not a duration");
    expect(() => simulate(dekker, { latency: 'bits:1:1' })).toThrow("latency 'bits:1:1' is not a duration");
    expect(() => simulate(lamport, { latency: 'bits:1' })).toThrow(
      'it needs two numbers, not 1; write fixed:D',
    );
    expect(scenarioKeepsAssumptions(bully, { latency: 'bits:1:1' })).toBe(false);
    expect(simulate(lamport, { latency: 'bits:1:1', n: 4 }).ok).toBe(true);
  });

  test('exponential latencies have their mean', () => {
    const random = new Random(1, 'mean');
    const latency = parseLatency('exponential:1000');
    let sum = 0;
    for (let k = 0; k < 100_000; k += 1) sum += latency.sample(random, 0, 0);
    expect(sum / 100_000 / 1000).toBeCloseTo(1, 1);
  });
});
