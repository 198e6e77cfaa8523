// Every host checks the contract: the same mistake of an algorithm gets the same message in each.
import { describe, expect, test } from 'vitest';
import { bully, centralCoordinator, changRoberts, dekker } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import { join } from '../../src/cluster/index.ts';
import { withRecovery } from '../../src/compositions/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import type { EitherAlgorithm } from '../../src/machine/index.ts';
import { replay, simulate } from '../../src/sim/index.ts';
import { Group, lockOf, oldView, view } from '../member/member-harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: these handlers do what no type allows
type Mistake = (p: any, s: any) => void;

const timed = {
  timers: ['alarm'],
  messages: { ...centralCoordinator.messages, alarm: {} },
  on: { ...centralCoordinator.on, alarm: () => {} },
};

/** A lock that makes the mistake at a request. */
const lock = (mistake: Mistake, change: object = {}): AnyAlgorithm => ({
  ...(centralCoordinator as AnyAlgorithm),
  name: 'wrong-lock',
  bounds: [],
  ...change,
  calls: { ...centralCoordinator.calls, request: (s, p) => mistake(p, s) },
});

const election = (mistake: Mistake): AnyAlgorithm => ({
  ...(changRoberts as AnyAlgorithm),
  name: 'wrong-election',
  calls: { start: (s, p) => mistake(p, s) },
});

const atOne = { n: 3, start: [{ process: 1 }] };

function traced(algorithm: EitherAlgorithm): string {
  const lines: string[] = [];
  simulate(algorithm, atOne, { trace: (line) => lines.push(line) });
  return `${lines.join('\n')}\n`;
}

const violated = (algorithm: EitherAlgorithm) => simulate(algorithm, atOne).violations[0]?.why;

type OfMessages = Readonly<Record<string, (algorithm: AnyAlgorithm) => string | undefined>>;

/** The complaint of each host about an algorithm; undefined if it finds no mistake. */
const hosts: Readonly<Record<string, (algorithm: EitherAlgorithm) => string | undefined>> = {
  'the simulator': violated,
  'the simulator, recording': (algorithm) => {
    const why = / violated: (.*)$/.exec(parseTrace(traced(algorithm)).verdict)?.[1];
    return why;
  },
  'a replay': (algorithm) => {
    const trace = parseTrace(traced(algorithm));
    expect(replay(algorithm, trace).ok).toBe(true);
    const last = trace.events.at(-1)!;
    const failed = last.outputs.find((output) => output.kind === 'fail');
    return failed && `at process ${last.process}: ${failed.why}`;
  },
  'the checker': (algorithm) => check(algorithm, atOne).violation?.why,
  'a snapshot of it': (algorithm) =>
    simulate(withSnapshots(algorithm as AnyAlgorithm), { ...atOne, snapshot: [{ process: 0, at: 1000 }] })
      .violations[0]?.why,
};

const ofLocks: OfMessages = {
  ...hosts,
  'a recovering lock': (algorithm) => violated(withRecovery(algorithm, bully)),
  'a member of a group': (algorithm) => {
    const group = new Group(algorithm, 'a', 'b', 'c');
    const next = view(1, 'a', 'b', 'c');
    for (const id of 'abc') group.at(id).member.request(lockOf(next, 'b'), 'w');
    for (const id of 'abc') group.at(id).member.viewChanged(next);
    group.deliver(({ message }) => message.type !== 'start'); // only b, which is the home, takes part in the run
    return breachOf(group);
  },
  'a member of a group with older members': (algorithm) => {
    const group = new Group(algorithm, 'a', 'b', 'c');
    group.install(oldView(1, 'a', 'b', 'c'));
    group.at('b').member.request('lock', 'w');
    return breachOf(group);
  },
};

const breachOf = (group: Group): string | undefined => {
  const said = group.at('b').callbacks.find((line) => line.startsWith('broken: '));
  return said?.slice('broken: wrong-lock breaks its contract '.length);
};

const ofElections: OfMessages = {
  ...hosts,
  'an election that recovers a lock': (algorithm) => {
    const faults = [{ type: 'crash', process: 0, at: 0 }] as const;
    const composed = withRecovery(centralCoordinator, algorithm);
    return simulate(composed, { ...atOne, faults }).violations[0]?.why;
  },
};

const cycle = (): object => {
  const round: { type: string; self?: object } = { type: 'request' };
  round.self = round;
  return round;
};

const mistakes: [what: string, mistake: Mistake, sentence: string, change?: object][] = [
  [
    'an event that does not exist',
    (p) => p.emit({ type: 'denied' }),
    "it emits 'denied', which is not an event of mutual exclusion",
  ],
  ['no event at all', (p) => p.emit(), "it emits 'undefined', which is not an event of mutual exclusion"],
  [
    'an event of a snapshot',
    (p) => p.emit({ type: 'recorded' }),
    "it emits 'recorded', which is not an event of mutual exclusion",
  ],
  [
    'an event with a Date',
    (p) => p.emit({ type: 'entered', at: new Date(0) }),
    "its event 'entered' holds a Date, which is not plain data",
  ],
  [
    'a message that does not exist',
    (p) => p.send(0, { type: 'gossip' }),
    "it sends 'gossip', which is not one of its messages",
  ],
  [
    'a marker, which is for snapshots',
    (p) => p.send(0, { type: 'marker' }),
    "it sends 'marker', which is not one of its messages",
  ],
  [
    'a report of a crash',
    (p) => p.send(0, { type: 'release' }),
    "it sends 'release', which only a failure detector sends",
    { crashNotice: 'release' },
  ],
  [
    'a message with another field',
    (p) => p.send(0, { type: 'request', priority: 1 }),
    "its message 'request' does not have the fields that it declares in `messages`",
  ],
  ['nothing', (p) => p.send(0), "it sends 'undefined', which is not one of its messages"],
  [
    'a Date',
    (p) => p.send(0, { type: 'request', at: new Date(0) }),
    "its message 'request' holds a Date, which is not plain data",
  ],
  [
    'a Map',
    (p) => p.send(0, { type: 'request', of: [new Map()] }),
    "its message 'request' holds a Map, which is not plain data",
  ],
  [
    'NaN',
    (p) => p.send(0, { type: 'request', n: Number.NaN }),
    "its message 'request' holds NaN, which is not plain data",
  ],
  ['a cycle', (p) => p.send(0, cycle()), "its message 'request' holds itself, which is not plain data"],
  [
    'a state with a Map',
    (_, s) => {
      s.seen = new Map();
    },
    'its state holds a Map, which is not plain data',
  ],
  [
    'a state with a cycle',
    (_, s) => {
      s.seen = cycle();
    },
    'its state holds itself, which is not plain data',
  ],
  ['a stranger', (p) => p.send(99, { type: 'request' }), 'it sends to 99, which is not a neighbour'],
  ['nobody', (p) => p.send(-1, { type: 'request' }), 'it sends to -1, which is not a neighbour'],
  ['half a neighbour', (p) => p.send(0.5, { type: 'request' }), 'it sends to 0.5, which is not a neighbour'],
  ['an undeclared timer', (p) => p.after(3, { type: 'alarm' }), "'alarm' is not one of its timers"],
  ['an undeclared timer to cancel', (p) => p.cancel('alarm'), "'alarm' is not one of its timers"],
  [
    'a timer of no ticks',
    (p) => p.after(0, { type: 'alarm' }),
    'it sets a timer of 0 ticks; they are whole, from 1',
    timed,
  ],
  [
    'a timer with a Date',
    (p) => p.after(1, { type: 'alarm', at: new Date(0) }),
    "its message 'alarm' holds a Date, which is not plain data",
    timed,
  ],
  ['a coin without sides', (p) => p.choose(0), 'it chooses among 0 options'],
  ['a clock', (p) => p.clock(), 'it reads a clock, which only clock synchronisation has'],
  [
    'an error of its own',
    () => {
      throw new Error('oops');
    },
    'oops',
  ],
];

describe.each(Object.entries(ofLocks))('%s', (_, says) => {
  test('a good lock passes', () =>
    expect(says(lock((p, s) => centralCoordinator.calls.request(s, p)))).toBeUndefined());

  test.each(mistakes)('%s', (_what, mistake, sentence, change) => {
    expect(says(lock(mistake, change))).toBe(`at process 1: ${sentence}`);
  });
});

const noLeader = "it emits 'elected' without a leader: it must be an id or a position, 'me' or 'another'";

describe.each(Object.entries(ofElections))('%s', (_, says) => {
  test('a good election passes', () =>
    expect(says(election((p, s) => changRoberts.calls.start(s, p)))).toBeUndefined());

  test.each<[string, Mistake, string]>([
    ['elected without a leader', (p) => p.emit({ type: 'elected' }), noLeader],
    ['elected with a name', (p) => p.emit({ type: 'elected', leader: 'them' }), noLeader],
    ['elected with NaN', (p) => p.emit({ type: 'elected', leader: Number.NaN }), noLeader],
    ['won', (p) => p.emit({ type: 'won' }), "it emits 'won', which is not an event of an election"],
    [
      'to a stranger',
      (p) => p.send(1, { type: 'election', id: 1 }),
      'it sends to 1, which is not a neighbour',
    ],
  ])('%s', (_what, mistake, sentence) => {
    expect(says(election(mistake))).toBe(`at process 1: ${sentence}`);
  });
});

const program = (lines: object): AnySharedAlgorithm => ({
  name: 'wrong-program',
  problem: 'mutex',
  paper: 'none',
  assumes: { failures: 'none' },
  bounds: [],
  registers: () => ({ flag: [0, 0, 0], turn: 0 }),
  init: () => ({ k: 0 }),
  request: 'in',
  release: 'out',
  program: () => ({ out: { write: 'turn', value: 0, goto: 'noncritical section' }, ...lines }),
});

const { 'a snapshot of it': _takesMessages, ...ofPrograms } = hosts;

describe.each(Object.entries(ofPrograms))('%s, on shared memory', (_, says) => {
  test('a good program passes', () =>
    expect(says(program({ in: { read: 'turn', goto: 'critical section' } }))).toBeUndefined());

  test.each<[string, object, string]>([
    ['a line that does not exist', { read: 'turn', goto: 'nowhere' }, "there is no line 'nowhere'"],
    ['a register that does not exist', { read: 'flags', goto: 'in' }, 'there is no register flags'],
    ['an index that does not exist', { read: 'flag', at: 9, goto: 'in' }, 'there is no register flag[9]'],
    [
      'NaN',
      { write: 'turn', value: Number.NaN, goto: 'in' },
      'it writes NaN to turn: registers hold whole numbers',
    ],
    [
      'a state with a Map',
      {
        read: 'turn',
        goto: (_value: number, s: { k: unknown }) => {
          s.k = new Map();
          return 'in';
        },
      },
      'its state holds a Map, which is not plain data',
    ],
    [
      'an error of its own',
      {
        read: 'turn',
        goto: () => {
          throw new Error('oops');
        },
      },
      'oops',
    ],
  ])('%s', (_what, line, sentence) => {
    expect(says(program({ in: line }))).toBe(`at process 1: ${sentence}`);
  });
});

describe('an invalid algorithm object', () => {
  const { release: _, ...calls } = centralCoordinator.calls;
  const flawed: readonly (readonly [string, object, string])[] = [
    ['a missing field', { calls }, 'calls.release is missing'],
    ['a misspelt field', { timer: [] }, 'timer is not a field of an algorithm; did you mean timers'],
    ['a misspelt part', { token: { isHold: () => true } }, 'token.isHold is not a field of an algorithm'],
    ['a wrong field', { knows: 'me' }, 'knows is "me", not a list'],
    ['a timer without a handler', { timers: ['alarm'] }, 'timers[0] is "alarm", not one of request'],
  ];
  const entrances: readonly (readonly [string, (algorithm: AnyAlgorithm) => unknown])[] = [
    ['simulate', (algorithm) => simulate(algorithm)],
    ['replay', (algorithm) => replay(algorithm, parseTrace(traced(centralCoordinator as AnyAlgorithm)))],
    ['check', (algorithm) => check(algorithm)],
    ['withRecovery', (algorithm) => withRecovery(algorithm, bully)],
    ['snapshotting', (algorithm) => withSnapshots(algorithm)],
  ];

  test.each(
    entrances.flatMap(([host, enter]) =>
      flawed.map(([what, change, why]) => [host, what, enter, change, why] as const),
    ),
  )('%s refuses %s', (_host, _what, enter, change, why) => {
    const wrong = { ...(centralCoordinator as AnyAlgorithm), name: 'own', ...change } as AnyAlgorithm;
    expect(() => enter(wrong)).toThrow(`own is not an algorithm: `);
    expect(() => enter(wrong)).toThrow(why);
  });

  test.each(flawed)('join rejects %s', async (_what, change, why) => {
    const wrong = { ...(centralCoordinator as AnyAlgorithm), name: 'own', ...change } as AnyAlgorithm;
    const failing = join('hosts', { algorithm: wrong });
    await expect(failing).rejects.toMatchObject({ name: 'BatonError', code: 'input' });
    await expect(failing).rejects.toThrow(why);
  });
});

describe('join rejects mistakes it can see in advance', () => {
  test('a lock that emits denied', async () => {
    const failing = join('hosts', { algorithm: lock((p) => p.emit({ type: 'denied' })) });
    await expect(failing).rejects.toMatchObject({ code: 'input' });
    await expect(failing).rejects.toThrow(
      "wrong-lock breaks its contract at process 0: it emits 'denied', which is not an event of mutual exclusion",
    );
  });

  test('an initial state that is not plain data', async () => {
    const init = () => ({ since: new Date(0) });
    const failing = join('hosts', { algorithm: { ...(centralCoordinator as AnyAlgorithm), init } });
    await expect(failing).rejects.toThrow('what init gives process 0 holds a Date, which is not plain data');
  });

  test('an algorithm on shared memory, and an election', async () => {
    await expect(join('hosts', { algorithm: dekker as never })).rejects.toThrow('share memory');
    await expect(join('hosts', { algorithm: changRoberts })).rejects.toMatchObject({ code: 'input' });
  });
});
