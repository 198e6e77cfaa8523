// Verdicts that were once green and must not be: locks and elections that never finish, and properties that hold only for a moment.
import { describe, expect, test } from 'vitest';
import { check, type Space } from '../../src/check/index.ts';
import { type AnyAlgorithm, next } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { replay } from '../../src/sim/index.ts';

type P = {
  readonly me: number;
  readonly id: number;
  readonly root: boolean;
  readonly neighbours: readonly number[];
  send(to: number, message: object): void;
  emit(event: object): void;
  after(ticks: number, message: object): void;
  choose(options: number): number;
};

const common = {
  paper: 'none',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['n', 'root'],
  bounds: [],
  init: () => ({}),
} as const;

const lock = { ...common, problem: 'mutex' } as const;
const election = { ...common, problem: 'election', elects: 'any' } as const;
const nothing = () => {};

/** Checks with and without reduction, on every kind of channel, and replays the counterexamples. */
function reports(given: object, space: Space) {
  const algorithm = given as AnyAlgorithm;
  return (['fifo', 'unordered', 'causal'] as const).flatMap((channels) =>
    [true, false].map((reduction) => {
      const report = check(algorithm, { ...space, channels }, { reduction });
      if (report.violation !== null)
        expect(replay(algorithm, parseTrace(report.violation.trace))).toMatchObject({ ok: true });
      return report;
    }),
  );
}

function expectViolated(given: object, property: string, why: RegExp, space: Space = { n: 2 }): void {
  for (const { verdict, violation } of reports(given, space)) {
    expect({ verdict, property: violation?.property }).toEqual({ verdict: 'violated', property });
    expect(violation!.why).toMatch(why);
  }
}

/** A ring lock that never lets anybody in: the token is always passed on. */
const neverEnters = {
  ...lock,
  name: 'never-enters',
  begin: (_: object, p: P) => p.root && p.send(next, { type: 'token' }),
  calls: { request: nothing, release: nothing },
  on: { token: (_: object, p: P) => p.send(next, { type: 'token' }) },
};

describe('a run that never ends', () => {
  test('a lock whose token never stops: a process waits forever', () => {
    expectViolated(neverEnters, 'every request enters', /waits for ever while the run goes round/);
    expectViolated({ ...neverEnters, perpetual: true }, 'every request enters', /goes round/);
  });

  test('an election whose ids circulate endlessly', () => {
    const circulating = {
      ...election,
      name: 'circulating',
      knows: ['n', 'id'],
      calls: { start: (_: object, p: P) => p.send(next, { type: 'id', id: p.id }) },
      on: { id: (_: object, p: P, m: object) => p.send(next, m) },
    };
    expectViolated(circulating, 'everybody learns the leader', /never learns/, { ids: [1, 2] });
  });

  test('two processes that bounce a ball, though the lock works', () => {
    const bouncing = {
      ...lock,
      name: 'bouncing',
      begin: (_: object, p: P) => p.root && p.send(next, { type: 'ball' }),
      calls: { request: (_: object, p: P) => p.emit({ type: 'entered' }), release: nothing },
      on: { ball: (_: object, p: P) => p.send(next, { type: 'ball' }) },
    };
    expectViolated(bouncing, 'the run ends', /perpetual/, { n: 2, start: [{ process: 0 }] });
    for (const { verdict } of reports({ ...bouncing, perpetual: true }, { n: 2, start: [{ process: 0 }] }))
      expect(verdict).toBe('holds');
  });

  test('a timer that arms itself again', () => {
    const ticking = {
      ...election,
      name: 'ticking',
      timers: ['again'],
      calls: { start: (_: object, p: P) => p.after(1, { type: 'again' }) },
      on: { again: (_: object, p: P) => p.after(1, { type: 'again' }) },
    };
    expectViolated(ticking, 'everybody learns the leader', /never learns/, { n: 2, start: [{ process: 0 }] });
  });

  test('an election that is over, but whose messages never cease', () => {
    const telling = {
      ...election,
      name: 'telling',
      calls: { start: (_: object, p: P) => p.emit({ type: 'elected', leader: 'me' }) },
      on: { again: (_: object, p: P) => p.send(next, { type: 'again' }) },
    };
    const both = {
      ...telling,
      init: () => ({ knows: false }),
      calls: {
        start(s: { knows: boolean }, p: P) {
          s.knows = true;
          p.emit({ type: 'elected', leader: 'me' });
          p.send(next, { type: 'again' });
        },
      },
      on: {
        again(s: { knows: boolean }, p: P) {
          if (!s.knows) p.emit({ type: 'elected', leader: 'another' });
          s.knows = true;
          p.send(next, { type: 'again' });
        },
      },
    };
    expectViolated(both, 'the run ends', /perpetual/, { n: 2, start: [{ process: 0 }] });
  });
});

test('one process hears of a leader before the winner knows', () => {
  const early = {
    ...election,
    name: 'hears-early',
    calls: { start: (_: object, p: P) => p.send(next, { type: 'go' }) },
    on: { go: (_: object, p: P) => p.emit({ type: 'elected', leader: p.root ? 'me' : 'another' }) },
  };
  for (const together of [true, false])
    for (const channels of ['fifo', 'unordered', 'causal'] as const)
      for (const reduction of [true, false])
        expect(
          check(early as never as AnyAlgorithm, { n: 3, channels }, { reduction, together }).violation,
        ).toMatchObject({ property: 'at most one leader', why: expect.stringContaining('nobody leads') });
});

describe('coins', () => {
  /** Tosses until it falls on 0. `sides: 1` is a fixed coin that never does. */
  const tossing = (isFixed: boolean) => ({
    ...election,
    name: 'tossing',
    calls: { start: (_: object, p: P) => p.send(next, { type: 'toss' }) },
    on: {
      toss(_: object, p: P) {
        if (!isFixed && p.choose(2) === 0) p.emit({ type: 'elected', leader: 'me' });
        else p.send(next, { type: 'toss' });
      },
    },
  });

  test('a loop that is left with probability one is no violation', () => {
    for (const { verdict } of reports(tossing(false), { n: 1 })) expect(verdict).toBe('holds');
  });

  test('a loop under a fixed coin is one', () => {
    expectViolated(tossing(true), 'everybody learns the leader', /never learns/, { n: 1 });
  });
});

test('a property that holds because nothing happened is vacuous', () => {
  const deaf = {
    ...election,
    name: 'deaf',
    assumes: { ...common.assumes, topology: 'complete', failures: 'crash' },
    calls: { start: nothing },
    on: {},
  } as never as AnyAlgorithm;
  expect(check(deaf, { n: 1, start: [] })).toMatchObject({ verdict: 'holds', ok: true });
});
