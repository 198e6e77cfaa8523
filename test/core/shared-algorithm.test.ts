// The contract of shared memory: what the compiler rejects, what the machine rejects, and how hosts run valid programs.
import { describe, expect, test } from 'vitest';
import { bakery, dekker, filterLock, petersonLock, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { algorithmInfo } from '../../src/catalogue/index.ts';
import { check } from '../../src/check/index.ts';
import { type AnySharedAlgorithm, sharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { mermaidDiagram, shivizLog, textDiagram } from '../../src/diagram/index.ts';
import { MemoryMachine } from '../../src/machine/index.ts';
import { replay, type Scenario, Simulation, simulate } from '../../src/sim/index.ts';
import { traceOf } from '../conformance/conformance.ts';

const plain = {
  name: 'plain',
  problem: 'mutex',
  paper: 'none',
  assumes: { failures: 'none' },
  bounds: [],
  registers: () => ({ flag: [0, 0], turn: 0 }),
  init: () => ({ k: 0 }),
  request: 'in',
  release: 'out',
} as const;

test('the compiler rejects unknown registers, variables and lines', () => {
  sharedAlgorithm({
    ...plain,
    program: () => ({
      // @ts-expect-error there is no such line
      in: { read: 'turn', goto: 'inn' },
      out: { read: 'flag', at: 0, goto: 'noncritical section' },
    }),
  });
  sharedAlgorithm({
    ...plain,
    program: () => ({
      // @ts-expect-error there is no such register
      in: { read: 'flags', at: 0, goto: 'critical section' },
      // @ts-expect-error which flag?
      out: { write: 'flag', value: 1, goto: 'noncritical section' },
    }),
  });
  sharedAlgorithm({
    ...plain,
    program: () => ({
      // @ts-expect-error one access, not two
      in: { read: 'turn', write: 'turn', value: 1, goto: 'critical section' },
      out: {
        write: 'turn',
        // @ts-expect-error there is no such variable
        value: (s) => s.j,
        goto: 'noncritical section',
      },
    }),
  });
  sharedAlgorithm({
    ...plain,
    // @ts-expect-error the first line is missing
    request: 'begin',
    program: () => ({
      in: {
        read: 'turn',
        // @ts-expect-error the next line must exist
        goto: (turn) => (turn > 0 ? 'inn' : 'critical section'),
      },
      out: {
        write: 'turn',
        // @ts-expect-error `value` cannot change variables; `goto` can
        value: (s) => (s.k = 1),
        goto: (s) => {
          s.k = 1;
          return 'noncritical section';
        },
      },
    }),
  });
});

test('the compiler rejects unknown registers and lines of a composite line', () => {
  sharedAlgorithm({
    ...plain,
    program: () => ({
      // @ts-expect-error there is no such array
      in: { reads: [['flags', 0]], goto: 'critical section' },
      // @ts-expect-error there is no such line
      out: { reads: [['flag', 0]], goto: ([flag]) => (flag === 0 ? 'outt' : 'noncritical section') },
    }),
  });
  sharedAlgorithm({
    ...plain,
    program: () => ({
      // @ts-expect-error what does it write?
      in: { reads: [['flag', 0]], writes: ['flag', 1], goto: 'critical section' },
      // @ts-expect-error one access, or a composite line
      out: { reads: [['flag', 0]], read: 'turn', goto: 'noncritical section' },
    }),
  });
});

describe('composite lines', () => {
  const swap = sharedAlgorithm({
    ...plain,
    assumes: { failures: 'none', accesses: 'composite' },
    program: ({ me: i }) => ({
      in: {
        reads: [
          ['flag', 1 - i],
          ['flag', i],
        ],
        writes: ['flag', i],
        value: ([other]) => (other === 0 ? 1 : null),
        goto: ([other]) => (other === 0 ? 'critical section' : 'in'),
      },
      out: { write: 'flag', at: i, value: 0, goto: 'noncritical section' },
    }),
  });

  test('several reads and a conditional write are one step, known in advance', () => {
    const machine = new MemoryMachine(swap, { n: 2 });
    const states = [machine.init(0), machine.init(1)];
    for (const i of [0, 1]) machine.step(i, states[i]!, { kind: 'call', name: 'request' });
    expect(machine.next(0, states[0]!)).toEqual([
      { kind: 'read', register: 'flag[1]' },
      { kind: 'read', register: 'flag[0]' },
      { kind: 'write', register: 'flag[0]' },
    ]);
    for (const i of [0, 1]) machine.step(i, states[i]!, { kind: 'step', line: 'in' });
    expect(machine.memory).toEqual({ flag: [1, 0], turn: 0 });
    expect(states.map(({ at }) => at)).toEqual(['critical section', 'in']);
  });

  test('they are an assumption, which must be declared', () => {
    const undeclared = { ...swap, assumes: plain.assumes };
    expect(() => new MemoryMachine(undeclared, { n: 2 })).toThrow(
      "declare `accesses: 'composite'` in `assumes`",
    );
    expect(algorithmInfo(swap).assumptions).toContain('a step reads and writes at once');
  });

  test('a look and a write in one step exclude, as two steps they do not', () => {
    expect(check(swap, { n: 2 }, { progress: false }).ok).toBe(true);
    const split = sharedAlgorithm({
      ...plain,
      program: ({ me: i }) => ({
        in: { read: 'flag', at: 1 - i, goto: (other) => (other === 0 ? 'take' : 'in') },
        take: { write: 'flag', at: i, value: 1, goto: 'critical section' },
        out: { write: 'flag', at: i, value: 0, goto: 'noncritical section' },
      }),
    });
    expect(check(split, { n: 2 }).violation?.property).toBe('at most one inside');
  });
});

describe('a program that breaks the contract stops, and its trace shows it', () => {
  const wrong = (program: object): AnySharedAlgorithm => ({ ...plain, program: () => program as never });
  const out = { write: 'turn', value: 0, goto: 'noncritical section' };
  test.each([
    ['a line', { in: { read: 'turn', goto: 'nowhere' }, out }, "there is no line 'nowhere'"],
    ['a register', { in: { read: 'flags', goto: 'in' }, out }, 'there is no register flags'],
    ['an index', { in: { read: 'flag', at: 2, goto: 'in' }, out }, 'there is no register flag[2]'],
    ['an array', { in: { read: 'flag', goto: 'in' }, out }, 'there is no register flag'],
    [
      'a number',
      { in: { write: 'turn', value: Number.NaN, goto: 'in' }, out },
      'it writes NaN to turn: registers hold whole numbers',
    ],
    [
      'what it throws',
      {
        in: {
          read: 'turn',
          goto: () => {
            throw new Error('oops');
          },
        },
        out,
      },
      'oops',
    ],
  ])('%s', (_what, program, why) => {
    const algorithm = wrong(program);
    const scenario = { n: 2, start: [{ process: 1 }] };
    const run = simulate(algorithm, scenario);
    expect(run.violations).toHaveLength(1);
    expect(run.violations[0]!.why).toContain(`at process 1: ${why}`);
    const trace = parseTrace(traceOf(algorithm, scenario));
    expect(trace.events.at(-1)!.outputs.at(-1)).toEqual({ kind: 'fail', why });
    expect(replay(algorithm, trace).ok).toBe(true);
  });

  test('returning without having entered, or entering during the release', () => {
    const coward = wrong({ in: { read: 'turn', goto: 'noncritical section' }, out });
    expect(simulate(coward, { n: 1 }).violations).toEqual([
      {
        property: 'the contract is kept',
        why: 'process 0 goes back to its noncritical section without having entered',
      },
    ]);
    const returner = wrong({
      in: { read: 'turn', goto: 'critical section' },
      out: { ...out, goto: 'critical section' },
    });
    expect(simulate(returner, { n: 1 }).violations[0]?.property).toBe('only who asked enters');
  });

  test('a release that never ends', () => {
    const clinger = wrong({
      in: { read: 'turn', goto: 'critical section' },
      out: { read: 'turn', goto: 'out' },
    });
    expect(simulate(clinger, { n: 1 }).violations).toEqual([
      { property: 'the run ends', why: 'a process goes round after it has left' },
    ]);
  });

  test('a line of the noncritical section that leaves it, or is not declared', () => {
    const restless = wrong({
      'noncritical section': { read: 'turn', goto: 'out' },
      in: { read: 'turn', goto: 'critical section' },
      out,
    });
    expect(() => new MemoryMachine(restless, { n: 1 })).toThrow('declare `perpetual: true`');
    const { violations } = simulate(
      { ...restless, perpetual: true },
      { n: 1, start: [{ process: 0, at: 50 }] },
    );
    expect(violations[0]!.why).toContain("the line of the noncritical section leads to 'out', not back");
  });

  test('a line whose name would break a trace', () => {
    const named = wrong({ 'in => out': out });
    expect(() => new MemoryMachine(named, { n: 1 })).toThrow("'in => out' cannot name a line");
  });
});

describe('scenarios', () => {
  test.each<[AnySharedAlgorithm, Scenario, string]>([
    [dekker, { topology: 'ring' }, 'the processes of dekker share memory: topology means nothing to them'],
    [dekker, { channels: 'fifo' }, 'channels means nothing'],
    [bakery, { ids: [3, 1, 2] }, 'ids means nothing'],
    [bakery, { root: 0 }, 'root means nothing'],
    [bakery, { loss: 0 }, 'loss means nothing'],
    [bakery, { faults: [{ type: 'corrupt', process: 0, at: 1 }] }, 'bakery does not stabilise'],
    [bakery, { duplication: 0.1 }, 'duplication means nothing'],
    [bakery, { clocks: [1, 1] }, 'clocks means nothing'],
    [bakery, { slow: [] }, 'slow means nothing'],
    [bakery, { faults: [{ type: 'lose', message: 0 }] }, 'lose means nothing'],
    [bakery, { faults: [{ type: 'partition', side: [0], at: 1, until: 2 }] }, 'partition means nothing'],
    [bakery, { latency: 'fixed:0' }, 'time would stand still'],
    [bakery, { n: 5000 }, 'n must be a whole number from 1 to 4000'],
    [dekker, { n: 3 }, 'dekker is for 2 processes, not 3'],
    [petersonLock, { n: 1 }, 'peterson-lock is for 2 processes, not 1'],
    [filterLock, { n: 1 }, 'filter-lock is for 2 or more processes, not 1'],
    [bakery, { faults: [{ type: 'crash', process: 9, at: 1 }] }, 'there is no process 9'],
  ])('$0.name: $2', (algorithm, scenario, why) => {
    expect(() => simulate(algorithm, scenario)).toThrow(why);
  });

  test('the default is five processes, or two if the algorithm supports no more', () => {
    expect(sharedAlgorithms.map((algorithm) => simulate(algorithm).n)).toEqual([5, 2, 5, 5, 5, 5, 2]);
  });

  test('without requests nothing happens', () => {
    for (const algorithm of sharedAlgorithms) {
      const events = algorithm.perpetual ? 1 : 0; // where the noncritical section has steps, a process begins
      expect(simulate(algorithm, { start: [] })).toMatchObject({ ok: true, events, entries: 0 });
    }
  });

  test('a run in slices is the same run', () => {
    const scenario = { n: 4, entries: 3, seed: 7 };
    const run = new Simulation(bakery, scenario);
    let slices = 0;
    while (run.advance(10)) slices += 1;
    expect(slices).toBeGreaterThan(10);
    expect(run.result()).toEqual(simulate(bakery, scenario));
  });

  test('different seeds give different interleavings', () => {
    const traces = Array.from({ length: 20 }, (_, seed) => traceOf(dekker, { think: 'fixed:0', seed }));
    expect(new Set(traces.map((text) => text.split('---')[1])).size).toBe(20);
  });
});

describe('pauses and livelocks', () => {
  test('a paused process does nothing; resumed, it takes the step that was due', () => {
    const faults = [{ type: 'pause', process: 0, at: 3, until: 500 }] as const;
    const text = traceOf(petersonLock, { latency: 'fixed:2', start: [{ process: 0, at: 0 }], faults });
    expect(parseTrace(text).events.map(({ time, input }) => [time, input.kind])).toEqual([
      [0, 'call'],
      [2, 'step'],
      [3, 'pause'],
      [500, 'resume'],
      [500, 'step'],
      [502, 'step'],
      expect.anything(),
      expect.anything(),
    ]);
  });

  test('waiting for a process that will resume is not a livelock', () => {
    const faults = [{ type: 'pause', process: 1, at: 25, until: 100_000 }] as const;
    const run = simulate(petersonLock, { think: 'fixed:0', seed: 3, faults });
    expect(run).toMatchObject({ ok: true, entries: 2 });
    const hold = simulate(petersonLock, { think: 'fixed:0', seed: 3, hold: 'fixed:100000' });
    expect(hold).toMatchObject({ ok: true, entries: 2 });
  });

  test('waiting for a process that never resumes is a violation', () => {
    const faults = [{ type: 'pause', process: 1, at: 20, until: Infinity }] as const;
    const run = simulate(petersonLock, { think: 'fixed:0', seed: 3, faults });
    expect(run.violations).toEqual([
      {
        property: 'every request enters',
        why: 'process 0 waits for ever: no write is left that could help',
      },
    ]);
  });
});

describe('its traces', () => {
  const trace = parseTrace(traceOf(petersonLock, { think: 'fixed:0', seed: 3 }));

  test.each([
    [7, { process: 1, input: { kind: 'step', line: 'TURN := i' } }, "process 1 is at 'wait until not Q[j]'"],
    [
      2,
      { input: { kind: 'recv', serial: 0, message: { type: 'm' }, from: 0 } },
      'message #0 is not sent yet',
    ],
    [2, { process: 5 }, 'there is no process 5'],
    [0, { input: { kind: 'call', name: 'release' } }, "process 0 is at 'noncritical section'"],
    [0, { input: { kind: 'call', name: 'start' } }, "there is no call 'start'"],
  ] as const)('replay finds impossible events: %#', (index, change, why) => {
    const events = trace.events.map((event, i) => (i === index ? { ...event, ...change } : event));
    const { firstDifference } = replay(petersonLock, { ...trace, events });
    expect(firstDifference?.line).toBe(trace.firstLine + index);
    expect(firstDifference?.actual).toContain(why);
  });

  test('are drawn: full squares write, empty ones read', () => {
    expect(textDiagram(trace)).toMatchInlineSnapshot(`
      "  time  0     1
           0  ◆     │    request
           0  ┆     ◆    request
           5  ■     ┆    Q[i] := true  (write Q[0] = 1)
           5  ┆     ■    Q[i] := true  (write Q[1] = 1)
           6  ┆     ■    TURN := i  (write TURN = 1)
           7  ┆     □    wait until not Q[j]  (read Q[0] = 1)
          11  ┆     □    or TURN = j  (read TURN = 1)
          14  ■     ┆    TURN := i  (write TURN = 0)
          17  ┆     □    wait until not Q[j]  (read Q[0] = 1)
          19  ┆     □    or TURN = j  (read TURN = 0)  * entered
          24  □     ┃    wait until not Q[j]  (read Q[1] = 1)
          24  ┆     ◆    release
          26  □     │    or TURN = j  (read TURN = 0)
          26  ┆     ■    Q[i] := false  (write Q[1] = 0)
          28  □     │    wait until not Q[j]  (read Q[1] = 0)  * entered
          30  ◆     │    release
          34  ■     │    Q[i] := false  (write Q[0] = 0)
      "
    `);
  });

  test('are drawn with the memory as a participant', () => {
    expect(mermaidDiagram(trace).split('\n').slice(0, 9)).toMatchInlineSnapshot(`
      [
        "sequenceDiagram",
        "  participant p0 as 0",
        "  participant p1 as 1",
        "  participant m as memory",
        "  Note over p0: request",
        "  Note over p1: request",
        "  p0->>m: Q[0] := 1",
        "  p1->>m: Q[1] := 1",
        "  p1->>m: TURN := 1",
      ]
    `);
  });

  test('carry causality from a write to its readers', () => {
    expect(shivizLog(trace).split('\n').slice(18, 24)).toMatchInlineSnapshot(`
      [
        "step or TURN = j => read TURN = 0; emit entered",
        "p1 {"p0":3,"p1":7}",
        "step wait until not Q[j] => read Q[1] = 1",
        "p0 {"p0":4,"p1":2}",
        "call release",
        "p1 {"p0":3,"p1":8}",
      ]
    `);
  });

  test('of a crash that resets registers are drawn too', () => {
    const faults = [{ type: 'crash', process: 0, at: 22 }] as const;
    const crash = parseTrace(traceOf(bakery, { n: 2, think: 'fixed:0', seed: 3, faults }));
    expect(textDiagram(crash)).toContain('✕     ┆    crash  (reset choosing[0] = 0)');
    expect(mermaidDiagram(crash)).toContain('p0->>m: choosing[0] := 0');
  });
});
