// The clock conditions of the papers, on runs of every algorithm, checked against the event graph.
import { describe, expect, test } from 'vitest';
import { lamportClock } from '../../src/algorithms/clocks/lamport-clock.ts';
import { vectorClock } from '../../src/algorithms/clocks/vector-clock.ts';
import {
  algorithms,
  helaryPlouzeauRaynal,
  ricartAgrawala,
  sharedAlgorithms,
} from '../../src/algorithms/index.ts';
import { happenedBefore, logicalClockNamed, logicalClocks, timestampsOf } from '../../src/causality/index.ts';
import { check } from '../../src/check/index.ts';
import { withRecovery } from '../../src/compositions/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { LogicalClock } from '../../src/core/logical-clock.ts';
import { Random } from '../../src/core/random.ts';
import { type AnySharedAlgorithm, isShared } from '../../src/core/shared-algorithm.ts';
import { outputText, parseTrace, type Trace } from '../../src/core/trace.ts';
import { shivizLog, vectorClocks } from '../../src/diagram/index.ts';
import { type CommonFault, type Fault, replay, type Scenario, simulate } from '../../src/sim/index.ts';
import { expectGolden } from '../conformance/conformance.ts';

type Any = AnyAlgorithm | AnySharedAlgorithm;

const named = (name: string) => algorithms.find((algorithm) => algorithm.name === name)!;
const catalogue: readonly Any[] = [
  ...algorithms,
  ...sharedAlgorithms,
  withRecovery(named('token-ring'), named('bully')),
];

function faultsOf(random: Random, n: number, algorithm: Any): (Fault | CommonFault)[] {
  const [process, at] = [random.below(n), random.below(40)];
  const until = at + 1 + random.below(40);
  const common: Fault[][] = [
    [],
    [{ type: 'pause', process, at, until }],
    [
      { type: 'crash', process, at },
      { type: 'restart', process, at: until },
    ],
  ];
  if (isShared(algorithm)) return common[random.below(common.length)]!;
  const more: (Fault | CommonFault)[][] = [
    [{ type: 'lose', message: at }],
    [{ type: 'partition', side: [process], at, until }],
  ];
  if (algorithm.stabilises) more.push([{ type: 'corrupt', process: 'all', at }]);
  if (algorithm.assumes.failures === 'link changes')
    more.push([
      { type: 'cut', between: [0, 1], at },
      { type: 'link', between: [0, 1], at: until },
    ]);
  const all = [...common, ...more];
  return all[random.below(all.length)]!;
}

function scenarioOf(random: Random, algorithm: Any): Scenario {
  const { min = 1, max = 6 } = isShared(algorithm) ? (algorithm.processes ?? {}) : {};
  const n = Math.max(2, min) + random.below(Math.max(1, Math.min(6, max) - 1));
  const scenario = {
    n: Math.min(n, max),
    seed: random.below(1e6),
    faults: faultsOf(random, Math.min(n, max), algorithm),
    limit: 120,
    latency: ['uniform:1:10', 'fixed:2', 'exponential:9'][random.below(3)]!,
    ...(algorithm.problem === 'mutex' && { entries: 1 + random.below(2) }),
  };
  if (isShared(algorithm)) return scenario;
  const duplication = random.below(3) === 0 ? 0.2 : 0;
  const isRelinked = algorithm.assumes.failures === 'link changes';
  const topology = isRelinked ? { topology: 'complete' } : {}; // 0 and 1 must be neighbours
  return { ...scenario, ...topology, duplication, loss: random.below(4) === 0 ? 0.1 : 0 };
}

function textOf(algorithm: Any, scenario: Scenario, stamps?: LogicalClock<unknown>): string {
  const lines: string[] = [];
  simulate(algorithm, scenario, { trace: (line) => lines.push(`${line}\n`), ...(stamps && { stamps }) });
  return lines.join('');
}

const traceOf = (...run: Parameters<typeof textOf>): Trace => parseTrace(textOf(...run));

const traces = new Map(
  catalogue.map((algorithm) => {
    const random = new Random(9, algorithm.name);
    return [
      algorithm,
      Array.from({ length: 30 }, () => traceOf(algorithm, scenarioOf(random, algorithm))),
    ] as const;
  }),
);

test('the runs contain every kind of event', () => {
  const kinds = new Set(
    [...traces.values()].flat().flatMap(({ events }) => events.map(({ input }) => input.kind)),
  );
  const faults = ['lose', 'repeat', 'crash', 'restart', 'pause', 'resume', 'goes', 'appears', 'corrupt'];
  expect([...kinds].sort()).toEqual([...faults, 'begin', 'call', 'recv', 'step', 'timer'].sort());
});

/** Two events whose order a clock gets wrong. */
function wrong<T>(trace: Trace, clock: LogicalClock<T>, isExact: boolean): string | null {
  const isBefore = happenedBefore(trace);
  const stamps = timestampsOf(trace, clock);
  for (let a = 0; a < stamps.length; a += 1) {
    for (let b = 0; b < stamps.length; b += 1) {
      const says = clock.isBefore(stamps[a]!, stamps[b]!);
      if (isBefore(a, b) ? !says : says && isExact)
        return `events ${a} and ${b}, at ${clock.text(stamps[a]!)} and ${clock.text(stamps[b]!)}`;
    }
  }
  return null;
}

describe.each(catalogue.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
  test('a -> b implies C(a) < C(b), and a -> b exactly when V(a) < V(b)', () => {
    for (const trace of traces.get(algorithm)!) {
      expect(wrong(trace, lamportClock, false), JSON.stringify(trace.scenario)).toBeNull();
      expect(wrong(trace, vectorClock, true), JSON.stringify(trace.scenario)).toBeNull();
    }
  });

  test.each(logicalClocks.map((clock) => [clock.name, clock] as const))(
    'a trace carries the stamps of %s, and replay finds a wrong one',
    (_, clock) => {
      const trace = traceOf(algorithm, scenarioOf(new Random(3, algorithm.name), algorithm), clock);
      expect(trace.scenario.stamps).toBe(clock.name);
      expect(trace.events.map(({ stamp }) => stamp)).toEqual(
        timestampsOf(trace, clock).map((C) => clock.text(C)),
      );
      expect(replay(algorithm, trace)).toMatchObject({ ok: true, events: trace.events.length });
      const last = trace.events.length - 1;
      const said = (stamp: string) => trace.events.with(last, { ...trace.events[last]!, stamp });
      expect(replay(algorithm, { ...trace, events: said('99') }).firstDifference).toEqual({
        line: trace.firstLine + last,
        expected: 'stamp 99',
        actual: `stamp ${trace.events[last]!.stamp}`,
      });
    },
  );
});

describe('the clock condition check finds', () => {
  const all = [...traces.values()].flat();
  const found = <T>(clock: LogicalClock<T>, isExact: boolean) =>
    all.some((trace) => wrong(trace, clock, isExact) !== null);

  test('a Lamport clock that does not take the maximum', () => {
    expect(found({ ...lamportClock, receive: (C) => C + 1 }, false)).toBe(true);
  });

  test('a Lamport clock that takes the maximum, but does not count the receipt', () => {
    expect(found({ ...lamportClock, receive: (C, t) => Math.max(C, t) }, false)).toBe(true);
  });

  test('a vector clock that does not count the receipt', () => {
    const receive = (V: ReadonlyMap<number, number>, W: ReadonlyMap<number, number>, i: number) => {
      const counted = vectorClock.receive(V, W, i);
      return new Map(counted).set(i, counted.get(i)! - 1);
    };
    expect(found({ ...vectorClock, receive }, true)).toBe(true);
  });

  test('a vector clock that counts every event for process 0', () => {
    expect(found({ ...vectorClock, tick: (V) => vectorClock.tick(V, 0) }, true)).toBe(true);
  });

  test('a Lamport clock used as a vector clock: it orders concurrent events', () => {
    expect(found(lamportClock, true)).toBe(true);
  });
});

describe('the worked example of the documentation', () => {
  const scenario = {
    n: 3,
    start: [
      { process: 0, at: 0 },
      { process: 2, at: 1 },
    ],
  };

  test.each([
    [
      'lamport-clock',
      'What happened before has the smaller number; but 1 < 2 of events 0 and 3, which are concurrent.',
    ],
    [
      'vector-clock',
      'Events 0 and 3 are concurrent: {0:1} and {1:1,2:1}. Event 8, an entry, has both in its past.',
    ],
  ])('golden: %s', (name, about) => {
    const text = `# Two of three ask for the lock. ${about}\n${textOf(ricartAgrawala, scenario, logicalClockNamed(name))}`;
    expectGolden(`${name}/two-ask`, text);
    expect(replay(ricartAgrawala, parseTrace(text)).ok).toBe(true);
  });

  test('has the stated stamps', () => {
    const trace = traceOf(ricartAgrawala, scenario);
    const isBefore = happenedBefore(trace);
    expect([isBefore(0, 3), isBefore(3, 0), isBefore(0, 8), isBefore(3, 8)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    const C = timestampsOf(trace, lamportClock);
    expect([C[0], C[3]]).toEqual([1, 2]);
    const V = timestampsOf(trace, vectorClock).map(vectorClock.text);
    expect([V[0], V[3], V[8]]).toEqual(['{0:1}', '{1:1,2:1}', '{0:4,1:2,2:2}']);
  });
});

test('a stamp without a clock and an unknown clock are rejected', () => {
  const trace = traceOf(named('chang-roberts'), { n: 3 }, lamportClock);
  const { stamps: _, ...scenario } = trace.scenario;
  expect(replay(named('chang-roberts'), { ...trace, scenario }).firstDifference).toMatchObject({
    expected: 'stamp 1',
    actual: 'no stamp',
  });
  const unknown = { ...trace, scenario: { ...scenario, stamps: 'lamport' } };
  expect(() => replay(named('chang-roberts'), unknown)).toThrow(
    "no clock is called 'lamport'; did you mean lamport-clock: there are lamport-clock and vector-clock",
  );
});

test('a ShiViz log has vector time, whichever clock stamped the trace', () => {
  const scenario = { n: 3, seed: 1 };
  const log = shivizLog(traceOf(named('chang-roberts'), scenario));
  for (const clock of logicalClocks)
    expect(shivizLog(traceOf(named('chang-roberts'), scenario, clock))).toBe(log);
  expect(log).toContain('{"p0":1}');
});

test('ten thousand events of a hundred processes are stamped quickly', () => {
  const trace = traceOf(named('token-ring'), { n: 100, entries: 50, limit: 10_000 });
  expect(trace.events.length).toBe(10_000);
  const [V] = vectorClocks(trace).slice(-1);
  expect(V!.size).toBe(100);
});

describe('TO-02: the clock of helary-plouzeau-raynal does not tick when a request is sent', () => {
  const space = { n: 3, topology: 'complete', entries: 2, start: [{ process: 1 }, { process: 2 }] };
  const original: AnyAlgorithm = helaryPlouzeauRaynal;

  test('the times of the requests of one process still increase', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const { events } = traceOf(original, { n: 4, topology: 'complete', entries: 4, seed });
      for (let i = 0; i < 4; i += 1) {
        const asked = events.filter(
          ({ process, input }) => process === i && input.kind === 'call' && input.name === 'request',
        );
        const first = asked.flatMap(({ outputs }) => outputs.find(({ kind }) => kind === 'send') ?? []);
        const times = first.map((output) => Number(/time=(\d+)/.exec(outputText(output))![1]));
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      }
    }
  });

  test('because passing the token ticks: otherwise a request is mistaken for the previous one', () => {
    const standing: AnyAlgorithm = {
      ...original,
      calls: {
        ...original.calls,
        release(s, p) {
          const { C } = s;
          original.calls.release!(s, p);
          s.C = C;
        },
      },
    };
    expect(check(original, space)).toMatchObject({ ok: true, complete: true });
    expect(check(standing, space).violation).toMatchObject({ property: 'every request enters' });
  });
});
