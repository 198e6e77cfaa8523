// Mistakes of the checker that small algorithms have revealed.
import { describe, expect, test } from 'vitest';
import { type CheckOptions, check, type Space } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { replay } from '../../src/sim/index.ts';

const common = {
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  bounds: [],
} as const;

/** Every process enters as soon as it asks. The tests add messages. */
const entering = {
  ...common,
  name: 'entering',
  problem: 'mutex',
  init: () => ({}),
  calls: {
    request: (_: unknown, p: { emit: (event: object) => void }) => p.emit({ type: 'entered' }),
    release: () => {},
  },
  on: {},
};

const ring = (topology: string) => ({
  ...common,
  name: 'nameless',
  problem: 'election',
  elects: 'any',
  assumes: { ...common.assumes, topology },
  knows: ['n'],
  init: () => ({}),
});

type Sender = {
  me: number;
  neighbours: number[];
  send: (to: number, message: object) => void;
  emit: (event: object) => void;
  after: (ticks: number, message: object) => void;
  choose: (options: number) => number;
};

const fail = (why: string) => {
  throw new Error(why);
};

/** Checks with and without reduction, and replays the counterexamples. */
function both(given: object, space: Space, options: CheckOptions = {}) {
  const algorithm = given as AnyAlgorithm;
  return [false, true].map((reduction) => {
    const report = check(algorithm, space, { ...options, reduction, maxStates: 20_000 });
    const { violation } = report;
    if (violation !== null) {
      const trace = parseTrace(violation.trace);
      expect(replay(algorithm, trace)).toMatchObject({ ok: true });
      expect(trace.verdict).toContain(violation.why);
    }
    return { ...report, why: violation?.why, events: violation?.trace.match(/^\d+ \d+ /gm)?.length };
  });
}

describe('rotations of a ring', () => {
  const hops = (end: (p: Sender) => void) => ({
    ...ring('ring'),
    calls: { start: (_: unknown, p: Sender) => p.send(0, { type: 't', hops: 1 }) },
    on: {
      t: (_: unknown, p: Sender, m: { hops: number }) =>
        m.hops === 2 ? end(p) : p.send(0, { type: 't', hops: m.hops + 1 }),
    },
  });

  test('a handler that fails is reported at the process where it fails', () => {
    for (const { why, violation } of both(
      hops(() => fail('boom')),
      { n: 4 },
    )) {
      const [, process] = /^at process (\d): boom$/.exec(why!)!;
      expect(violation!.trace).toMatch(new RegExp(`^3 ${process} recv .* fail "boom"`, 'm'));
    }
  });

  test('so is a process that learns two leaders', () => {
    const leads = (leader: string) => ({ type: 'elected', leader });
    for (const { why, violation } of both(
      hops((p) => {
        p.emit(leads('me'));
        p.emit(leads('another'));
      }),
      { n: 4 },
    )) {
      const [, process, leader] = /^process (\d) has leader (\d), process \1 has leader -1$/.exec(why!)!;
      expect(leader).toBe(process);
      expect(violation!.trace).toMatch(new RegExp(`^3 ${process} recv`, 'm'));
    }
  });

  test('no reduction on causal channels, which count causes by the names of channels', () => {
    const pass = (s: { on: boolean }, p: Sender) => {
      s.on = true;
      p.send(0, { type: 't' });
    };
    const round = {
      ...ring('ring'),
      init: () => ({ on: false }),
      calls: { start: (s: { on: boolean }, p: Sender) => s.on || pass(s, p) },
      on: { t: pass },
    };
    const [full, reduced] = both(round, { n: 3, channels: 'causal' }, { progress: false });
    expect(full).toMatchObject({ complete: true, states: 71 });
    expect(reduced).toMatchObject({ complete: true, states: 71 });
  });

  test('causes arrive first in a ring of anonymous processes', () => {
    const triangle = {
      ...ring('two-way ring'),
      init: () => ({ a: 0, c: 0 }),
      calls: {
        start: (_: unknown, p: Sender) => {
          p.send(0, { type: 'a' });
          p.send(1, { type: 'b' });
        },
      },
      on: {
        a: (s: { a: number }) => {
          s.a += 1;
        },
        b: (_: unknown, p: Sender) => p.send(1, { type: 'c' }),
        c: (s: { a: number; c: number }) => {
          s.c += 1;
          if (s.c > s.a) fail('c came before a, by which it was caused');
        },
      },
    };
    for (const { violation } of both(triangle, { n: 3, channels: 'causal' }))
      expect(violation!.property).toBe('everybody learns the leader');
  });
});

describe('with a maximum depth', () => {
  test('reduction leaves out no violation within the depth', () => {
    const sends = {
      ...entering,
      calls: {
        request: (_: unknown, p: Sender) => {
          for (let k = 0; k < 3; k += 1) p.send(1, { type: 'x' });
          p.emit({ type: 'entered' });
        },
        release: () => fail('bad'),
      },
      on: { x: () => {} },
    };
    for (const maxDepth of [2, 3, 4])
      for (const { events } of both(sends, { n: 2, channels: 'fifo', start: [{ process: 0 }] }, { maxDepth }))
        expect(events).toBe(2);
  });

  const never = { ...entering, calls: { request: () => {}, release: () => {} } };

  test('a deadlock at the depth itself is reported', () => {
    for (const { why } of both(never, { n: 2 }, { maxDepth: 1 }))
      expect(why).toMatch(/^process \d waits for ever/);
  });

  test('depth 0 visits the initial world only', () => {
    for (const { verdict, states, leftOut } of both(never, { n: 2 }, { maxDepth: 0 }))
      expect({ verdict, states, leftOut }).toEqual({
        verdict: 'incomplete',
        states: 1,
        leftOut: 'runs of more than 0 events',
      });
  });

  test('a process that waits forever is reported before a violation that takes more events', () => {
    const { calls } = never;
    const mixed = {
      ...entering,
      calls: {
        request: (_: unknown, p: Sender) => (p.me === 0 ? p.emit({ type: 'entered' }) : calls.request()),
        release: () => fail('bad'),
      },
    };
    for (const { events } of both(mixed, { n: 2 })) expect(events).toBe(1);
  });
});

describe('causal channels', () => {
  const channels = 'causal';

  test('no process waits for a lost message', () => {
    const twice = (p: Sender, to: number, type: string) => {
      p.send(to, { type });
      p.send(to, { type });
    };
    const asks = {
      ...entering,
      init: () => ({ waits: false }),
      calls: {
        request: (s: { waits: boolean }, p: Sender) => {
          s.waits = true;
          twice(p, 1 - p.me, 'ask');
        },
        release: () => {},
      },
      on: {
        ask: (_: unknown, p: Sender, __: unknown, j: number) => twice(p, j, 'ok'),
        ok: (s: { waits: boolean }, p: Sender) => {
          if (s.waits) p.emit({ type: 'entered' });
          s.waits = false;
        },
      },
    };
    for (const { complete } of both(asks, { n: 2, channels, start: [{ process: 0 }] }, { losses: 1 }))
      expect(complete).toBe(true);
  });

  test('a duplicate message is counted once', () => {
    const spreads = {
      ...entering,
      init: () => ({ b: false }),
      calls: {
        request: (_: unknown, p: Sender) => {
          p.send(1, { type: 'a' });
          p.send(1, { type: 'b' });
          p.send(2, { type: 'c' });
          p.emit({ type: 'entered' });
        },
        release: () => {},
      },
      on: {
        a: () => {},
        b: (s: { b: boolean }) => {
          s.b = true;
        },
        c: (_: unknown, p: Sender) => p.send(1, { type: 'd' }),
        d: (s: { b: boolean }) => s.b || fail('d arrived before b, by which it was caused'),
      },
    };
    for (const { complete } of both(spreads, { n: 3, channels, start: [{ process: 0 }] }, { repeats: 1 }))
      expect(complete).toBe(true);
  });

  test('messages to a crashed process are not counted', () => {
    const beats = {
      ...entering,
      assumes: { ...common.assumes, failures: 'crash' },
      timers: ['beat'],
      begin: (_: unknown, p: Sender) => p.me === 0 && p.after(1, { type: 'beat' }),
      on: {
        beat: (_: unknown, p: Sender) => {
          for (const j of p.neighbours) p.send(j, { type: 'alive' });
          p.after(1, { type: 'beat' });
        },
        alive: () => {},
      },
    };
    const states = (kind: 'fifo' | 'causal') =>
      both(beats, { n: 3, channels: kind, start: [{ process: 0 }] }, { crashes: 1, capacity: 1 }).map(
        (report) => report.complete && report.states,
      );
    expect(states('causal')).toEqual(states('fifo'));
  });
});

test('on FIFO channels any of several equal messages can be lost', () => {
  const lemma = 'never a, b and c alone on their way';
  const sends = {
    ...entering,
    calls: {
      request: (_: unknown, p: Sender) => {
        for (const type of ['a', 'b', 'a', 'c']) p.send(1, { type });
        p.emit({ type: 'entered' });
      },
      release: () => {},
    },
    on: { a: () => {}, b: () => {}, c: () => {} },
    invariants: {
      [lemma]: ({ inFlight }: { inFlight: { message: { type: string } }[] }) =>
        inFlight.map(({ message }) => message.type).join('') !== 'abc',
    },
  };
  const options = { losses: 1, lemmas: true };
  for (const { violation } of both(sends, { n: 2, channels: 'fifo', start: [{ process: 0 }] }, options)) {
    expect(violation!.property).toBe(lemma);
    expect(violation!.trace).toMatch(/lose #2$/m);
  }
});

test('an entry with the first events counts as a bypass', () => {
  const nobody = { from: 'request', formula: '0', source: 'nobody', entries: () => 0 };
  const passing = {
    ...entering,
    bypass: [nobody],
    init: ({ me }: { me: number }) => ({ token: me === 1, isInside: false, owes: false }),
    calls: {
      request: (s: { token: boolean; isInside: boolean }, p: Sender) => {
        s.isInside = s.token;
        if (s.token) p.emit({ type: 'entered' });
        else p.send(1 - p.me, { type: 'request' });
      },
      release: (s: { token: boolean; isInside: boolean; owes: boolean }, p: Sender) => {
        s.isInside = false;
        if (s.owes) p.send(1 - p.me, { type: 'token' });
        s.token = !s.owes;
      },
    },
    on: {
      request: (s: { token: boolean; isInside: boolean; owes: boolean }, p: Sender) => {
        s.owes = s.isInside;
        if (!s.isInside) p.send(1 - p.me, { type: 'token' });
        s.token = s.isInside;
      },
      token: (s: { token: boolean; isInside: boolean }, p: Sender) => {
        s.token = s.isInside = true;
        p.emit({ type: 'entered' });
      },
    },
  };
  for (const together of [false, true])
    for (const { violation } of both(passing, { n: 2 }, { bypass: true, together }))
      expect(violation?.property).toBe('the bypass bound');
});

test('a report whose counterexample was shortened names the requested reduction', () => {
  const unsafe = { ...entering, calls: { ...entering.calls, release: () => fail('bad') } };
  const { reduction, leftOut, violation } = both(unsafe, { n: 3 })[1]!;
  expect(violation).not.toBe(null);
  expect(reduction).toBe('a message that may as well arrive first does');
  expect(leftOut).toBe(null);
});

test('a failure in begin is reported with its coin tosses', () => {
  const unlucky = { ...entering, begin: (_: unknown, p: Sender) => p.choose(2) === 1 && fail('unlucky') };
  for (const { violation } of both(unlucky, { n: 2 }))
    expect(violation!.trace).toMatch(/^0 1 begin => coin 1 of 2; fail "unlucky"/m);
});
