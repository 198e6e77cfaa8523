// Bugs that were fixed.
import { expect, test } from 'vitest';
import {
  bakery,
  bully,
  changRoberts,
  helaryPlouzeauRaynal,
  helaryPlouzeauRaynalRelinking,
  lamport,
  ricartAgrawala,
  tokenRing,
  vitanyi,
} from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { Topology } from '../../src/core/topology.ts';
import { eventLine, parseTrace, type TraceEvent } from '../../src/core/trace.ts';
import {
  type Fault,
  replay,
  type Scenario,
  scenarioKeepsAssumptions,
  simulate,
} from '../../src/sim/index.ts';
import { traceOf } from '../conformance/conformance.ts';

const crash = (process: number, at: number): Fault => ({ type: 'crash', process, at });
const restart = (process: number, at: number): Fault => ({ type: 'restart', process, at });
const pause = (process: number, at: number, until: number): Fault => ({ type: 'pause', process, at, until });
const replays = (algorithm: AnyAlgorithm | AnySharedAlgorithm, scenario: Scenario) =>
  replay(algorithm, parseTrace(traceOf(algorithm, scenario))).ok;

test('a timer that fired during a pause can be cancelled by an earlier event', () => {
  const scenario = { n: 2, faults: [pause(0, 1, 26)] };
  const { events } = parseTrace(traceOf(bully, scenario));
  const cancelled = events.findIndex(
    ({ process, outputs }) =>
      process === 0 && outputs.some((output) => output.kind === 'cancel' && output.type === 'T'),
  );
  const fired = events.findIndex(
    ({ process, input }) => process === 0 && input.kind === 'timer' && input.message.type === 'T',
  );
  expect(cancelled >= 0 && fired > cancelled).toBe(false);
  expect(replays(bully, scenario)).toBe(true);
});

test('overlapping pauses end with the last one', () => {
  const { events } = parseTrace(traceOf(changRoberts, { n: 3, faults: [pause(1, 2, 10), pause(1, 5, 500)] }));
  expect(events.filter(({ input }) => input.kind === 'resume').map(({ time }) => time)).toEqual([500]);
});

test('after a violation no deferred event is handled', () => {
  const eager: AnyAlgorithm = {
    ...lamport,
    on: {
      ...lamport.on,
      request: (s, p, m, j) => {
        lamport.on.request(s, p, m, j);
        p.emit({ type: 'entered' });
      },
    },
  };
  const run = simulate(eager, { n: 4, channels: 'fifo', faults: [pause(1, 0, 200)], seed: 2 });
  expect(run.violations).toHaveLength(1);
});

test('invariants see messages deferred by a pause or by causal order', () => {
  const watched = (scenario: Scenario) =>
    simulate(helaryPlouzeauRaynal, scenario, { invariants: true }).violations;
  expect(watched({ n: 4, seed: 3, entries: 3, faults: [pause(0, 10, 60)] })).toEqual([]);
  const causal = {
    channels: 'causal',
    latency: 'exponential:200',
    n: 5,
    topology: 'random:3',
    root: 4,
    think: 'uniform:0:300',
  } as const;
  for (let seed = 0; seed < 100; seed += 1) expect(watched({ ...causal, seed })).toEqual([]);
});

test('a long chain of waiting messages does not nest', () => {
  const run = simulate(ricartAgrawala, {
    n: 60,
    channels: 'causal',
    latency: 'uniform:1:1000',
    entries: 2,
    faults: [pause(0, 5, 3000)],
  });
  expect(run.ok).toBe(true);
});

test('bounds are not checked in runs with restarts, pauses or partitions they do not cover', () => {
  expect(simulate(bully, { n: 4, faults: [crash(3, 0), restart(3, 1)] }).violations).toEqual([]);
  expect(
    simulate(bully, { n: 5, faults: [crash(4, 0), restart(4, 1)], start: [{ process: 0, at: 100 }] })
      .violations,
  ).toEqual([]);
  expect(
    simulate(vitanyi, { n: 10, seed: 9503, latency: 'fixed:0', faults: [pause(9, 4, 703)] }).violations,
  ).toEqual([]);
});

test('the end of virtual time is an error of the scenario, not of the algorithm', () => {
  expect(() => simulate(vitanyi, { ids: [60, 61] })).toThrow('virtual time ends');
  expect(() => simulate(changRoberts, { n: 10_000, latency: 'fixed:999999999999' })).toThrow(
    'virtual time ends',
  );
});

test('a leader that does not exist is detected, even if any process may win', () => {
  const ghost: AnyAlgorithm = {
    ...changRoberts,
    elects: 'any',
    calls: { start: (_s, p) => p.emit({ type: 'elected', leader: 999 }) },
  };
  expect(simulate(ghost, { n: 3 }).violations[0]?.why).toContain('nobody has that id');
});

test('an election is checked even if its initiator crashed, and after a restart', () => {
  const lazy: AnyAlgorithm = {
    ...bully,
    on: { ...bully.on, election: (_s, p, _m, j) => p.send(j, { type: 'answer' }) },
  };
  const died = { n: 3, latency: 'fixed:1', faults: [crash(0, 5)], start: [{ process: 0, at: 0 }] };
  expect(simulate(bully, died).ok).toBe(true);
  expect(simulate(lazy, died).violations[0]?.property).toBe('everybody learns the leader');
  const { recover: _, ...forgetful } = bully;
  const again = {
    n: 3,
    latency: 'fixed:1',
    faults: [crash(0, 2), restart(0, 500)],
    start: [{ process: 0, at: 0 }],
  };
  expect(simulate(forgetful, again).violations[0]?.property).toBe('everybody learns the leader');
});

test('a start with a given time survives an earlier crash', () => {
  const run = simulate(bully, {
    n: 3,
    faults: [crash(1, 10), restart(1, 20)],
    start: [{ process: 1, at: 200 }],
  });
  expect(run).toMatchObject({ ok: true, leader: 2 });
  const mutex = simulate(ricartAgrawala, {
    n: 1,
    entries: 2,
    faults: [crash(0, 5), restart(0, 9)],
    start: [{ process: 0, at: 50 }],
  });
  expect(mutex).toMatchObject({ ok: true, entries: 2 });
});

test('on shared memory too, a request due at a crashed process is made after its restart', () => {
  const start = [{ process: 1, at: 50 }];
  for (const faults of [
    [crash(1, 10), restart(1, 100)],
    [pause(1, 10, 200), crash(1, 60), restart(1, 100)],
  ])
    expect(simulate(bakery, { n: 3, start, faults })).toMatchObject({ ok: true, entries: 1 });
});

test('a pause that never ends survives writing and parsing', () => {
  for (const algorithm of [lamport, bakery])
    expect(replays(algorithm, { n: 2, faults: [pause(1, 20, Infinity)] })).toBe(true);
});

test('only an existing link can be cut, and only a cut link can appear; unknown faults are rejected', () => {
  const links =
    (...types: ('cut' | 'link')[]) =>
    () =>
      simulate(helaryPlouzeauRaynal, {
        n: 3,
        topology: 'complete',
        faults: types.map((type, at): Fault => ({ type, between: at % 2 ? [1, 0] : [0, 1], at })),
      });
  expect(links('link')).toThrow('link: at 0 the link 0-1 is there; cut it before, or at 0');
  expect(links('cut', 'cut')).toThrow('cut: at 1 the link 0-1 has gone already');
  expect(links('cut', 'link', 'link')).toThrow('link: at 2 the link 0-1 is there');
  expect(links('cut', 'link', 'cut', 'link')).not.toThrow();
  const faults = [{ type: 'crsh', process: 1, at: 3 } as unknown as Fault];
  expect(() => simulate(bully, { faults })).toThrow("no fault is called 'crsh'; did you mean crash");
});

test('a network that link changes disconnect drops an assumption', () => {
  const lineOf = (...faults: Fault[]) =>
    scenarioKeepsAssumptions(helaryPlouzeauRaynalRelinking, { n: 3, topology: 'line', faults });
  const cut: Fault = { type: 'cut', between: [2, 1], at: 5 };
  expect(lineOf(cut)).toBe(false);
  expect(lineOf(cut, { type: 'link', between: [1, 2], at: 50 })).toBe(true);
  const ring = { n: 3, topology: 'ring', faults: [cut] };
  expect(scenarioKeepsAssumptions(helaryPlouzeauRaynalRelinking, ring)).toBe(true);
});

test('a link without delay is rejected if time would stand still', () => {
  const slow = [{ between: [0, 1], ticks: 0 }] as const;
  expect(() => simulate(tokenRing, { n: 2, slow })).toThrow('time would stand still; use slow links of 1');
  expect(simulate(lamport, { n: 2, slow }).ok).toBe(true);
});

test('causal channels repeat messages too', () => {
  const text = traceOf(lamport, { n: 3, channels: 'causal', duplication: 1 });
  expect(text).toContain('repeat #');
  expect(replays(lamport, { n: 3, channels: 'causal', duplication: 1 })).toBe(true);
});

test('an error of a watcher is not a failure of the algorithm', () => {
  const observe = () => {
    throw new Error('mine');
  };
  expect(() => simulate(lamport, { n: 2 }, { observe })).toThrow('mine');
});

test('a handler may throw any value with any text, and its trace replays', () => {
  for (const thrown of [new Error(), new Error('a; b => c\n\r'), 'a string', null]) {
    const failing: AnyAlgorithm = {
      ...changRoberts,
      on: {
        ...changRoberts.on,
        election: () => {
          throw thrown;
        },
      },
    };
    expect(simulate(failing, { n: 2 }).violations[0]?.property).toBe('the handlers do not fail');
    expect(replays(failing, { n: 2 })).toBe(true);
  }
});

test('violations of the contract replay as violations', () => {
  const wrongs: AnyAlgorithm['calls'][string][] = [
    (_s, p) => p.send(7, { type: 'election', id: 1 }),
    (_s, p) => p.send(0, { type: 'nonsense' }),
    (_s, p) => p.after(1, { type: 'election' }),
    (_s, p) => p.cancel('nothing'),
    (_s, p) => p.choose(0),
  ];
  for (const start of wrongs) {
    const wrong: AnyAlgorithm = { ...changRoberts, calls: { start } };
    expect(simulate(wrong, { n: 2 }).violations[0]?.property).toBe('the contract is kept');
    expect(replays(wrong, { n: 2 })).toBe(true);
  }
});

test('an event that is not plain data replays as a violation of the contract', () => {
  const start = (_s: unknown, p: { emit(event: object): void }) =>
    p.emit({ type: 'elected', leader: undefined });
  const wrong = { ...changRoberts, calls: { start } } as unknown as AnyAlgorithm;
  const { violations, trace } = simulate(wrong, { n: 2, events: true });
  expect(violations[0]?.property).toBe('the contract is kept');
  expect(replay(wrong, trace).ok).toBe(true);
});

test('an event keeps a message as it was sent, even if the algorithm changes the object later', () => {
  const message = { type: 'election', id: 1 };
  const careless: AnyAlgorithm = {
    ...changRoberts,
    calls: {
      start: (_s, p) => {
        p.send(0, message);
        message.id = 2;
      },
    },
    on: {
      ...changRoberts.on,
      election: (_s, _p, m: { id: number }) => {
        m.id += 1;
      },
    },
  };
  const { events } = simulate(careless, { n: 2, start: [{ process: 0 }], events: true }).trace;
  message.id = 99;
  expect(events[0]!.outputs).toMatchObject([{ kind: 'send', message: { id: 1 } }]);
  expect(events[1]!.input).toMatchObject({ kind: 'recv', message: { id: 3 } }); // as after its handler
});

test('strings with line separators stay on one line', () => {
  const message = { type: 'm', text: 'a\u2028b\u2029c; d => e' };
  const line = eventLine({
    time: 0,
    process: 0,
    input: { kind: 'timer', message },
    outputs: [{ kind: 'emit', event: message }],
  });
  const trace = parseTrace(`baton trace 1\n---\n${line}\nend 1 events, 0 messages: ok\n`);
  expect(trace.events[0]!.outputs).toEqual([{ kind: 'emit', event: message }]);
});

test('a process cannot add fields to the shared process object', () => {
  const sly: AnyAlgorithm = {
    ...changRoberts,
    calls: {
      start: (s, p) => {
        p.secret = p.id;
        changRoberts.calls.start(s, p);
      },
    },
  };
  expect(simulate(sly, { n: 2 }).violations[0]?.property).toBe('the handlers do not fail');
});

test('a topology is checked by its links, not by its name', () => {
  const line = Topology.graph(4, [
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  expect(() => simulate(changRoberts, { topology: line })).toThrow('runs on a ring network');
  expect(() => simulate(changRoberts, { topology: Topology.twoWayRing(4) })).toThrow(
    'runs on a ring network',
  );
  expect(() => simulate(helaryPlouzeauRaynal, { topology: Topology.oneWayRing(4) })).toThrow(
    'runs on a connected network',
  );
  expect(replays(helaryPlouzeauRaynal, { topology: line })).toBe(true);
});

test('replay: a lost message does not arrive, and one that arrived is not lost, except for copies', () => {
  const trace = parseTrace(traceOf(changRoberts, { ids: [2, 3, 1], seed: 7 }));
  const at = trace.events.findIndex(({ input }) => input.kind === 'recv');
  const arrival = trace.events[at]!;
  const { serial } = arrival.input as { serial: number };
  const event = (kind: 'lose' | 'repeat') => ({ ...arrival, input: { kind, serial }, outputs: [] });
  const difference = (...instead: readonly TraceEvent[]) => {
    const events = trace.events.toSpliced(at, 1, ...instead);
    return replay(changRoberts, { ...trace, events }).firstDifference?.actual;
  };
  const over = `message #${serial} is not on its way any more`;
  expect(difference(arrival)).toBe(undefined);
  expect(difference(event('lose'), arrival)).toBe(over);
  expect(difference(arrival, event('lose'))).toBe(over);
  expect(difference(event('lose'), event('repeat'), arrival)).toBe(undefined);
  expect(difference(arrival, event('repeat'), event('lose'))).toBe(undefined);
});

test('a lost copy and one that arrives are distinguished', () => {
  const faults: Fault[] = [
    { type: 'crash', process: 2, at: 2 },
    { type: 'restart', process: 2, at: 8 },
  ];
  const scenario = { n: 4, duplication: 1, faults, seed: 5 };
  expect(traceOf(bully, scenario)).toMatch(/lose #(\d+)\n(?:.*\n)*?.*repeat #\1\n.*recv #\1 /);
  expect(replays(bully, scenario)).toBe(true);
});

test('replay rejects impossible events', () => {
  const text = traceOf(changRoberts, { ids: [2, 3, 1], latency: 'fixed:6' });
  const changed = (from: string | RegExp, to: string) =>
    replay(changRoberts, parseTrace(text.replace(from, to))).ok;
  expect(changed(/call start/, 'call toString')).toBe(false);
  expect(changed(/^6 0 recv/m, '0 0 recv')).toBe(false);
  expect(() => parseTrace(text.replace('8 messages', '9 messages'))).toThrow(
    'not as many as its last line says',
  );
  expect(() => parseTrace(`${text}more\n`)).toThrow('goes on after its end');
  expect(() => parseTrace(text.slice(0, -1))).toThrow('is cut off');
});
