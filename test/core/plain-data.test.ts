// Every host reports states and messages that are not plain data.
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { whyNotPlain } from '../../src/core/plain-data.ts';
import { type AnySharedAlgorithm, sharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { replay, simulate } from '../../src/sim/index.ts';

class Own {}

test.each<[unknown, string | null]>([
  [{ a: [1, 'x', true, null, { b: -0.5 }] }, null],
  [new Map(), 'it is a Map, which is not plain data'],
  [{ at: new Date() }, 'it holds a Date, which is not plain data'],
  [[[new Own()]], 'it holds an Own, which is not plain data'],
  [{ f: () => 0 }, 'it holds a function, which is not plain data'],
  [{ n: Number.NaN }, 'it holds NaN, which is not plain data'],
  [{ n: Infinity }, 'it holds Infinity, which is not plain data'],
  [undefined, 'it is undefined, which is not plain data'],
  [{ n: undefined }, 'it holds undefined, which is not plain data'],
  [{ n: 1n }, 'it holds a bigint, which is not plain data'],
  [[Object.create(null)], 'it holds an object without a prototype, which is not plain data'],
])('plain or not: %#', (value, why) => {
  expect(whyNotPlain(value, 'it')).toBe(why);
});

test('a cycle', () => {
  const round: unknown[] = [];
  round.push(round);
  expect(whyNotPlain({ round }, 'it')).toBe('it holds itself, which is not plain data');
});

interface State {
  heard: unknown;
}

/** Each process sends one message around the ring. */
const ring = (does: {
  readonly init?: () => unknown;
  readonly start?: (s: State) => void;
  readonly message?: () => object;
}): AnyAlgorithm => ({
  name: 'own',
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  bounds: [],
  init: does.init ?? (() => ({ heard: 0 })),
  calls: {
    start(s: State, p) {
      does.start?.(s);
      p.send(0, { type: 'hello', ...does.message?.() });
    },
  },
  on: { hello() {} },
});

describe('init', () => {
  const sentence =
    /^own: what init gives process 0 (is|holds) .*, which is not plain data; use objects, lists/;
  test.each([
    ['a Map', () => ({ heard: new Map() })],
    ['a Date', () => ({ heard: new Date() })],
    ['a function', () => ({ heard: () => 0 })],
    ['nothing', () => undefined],
  ])('%s', (_, init) => {
    expect(() => check(ring({ init }))).toThrow(sentence);
    expect(() => simulate(ring({ init }))).toThrow(sentence);
    expect(() => simulate(ring({ init }), { n: 5000 })).toThrow(sentence);
  });

  test('a different state each time', () => {
    let times = 0;
    const counting = () => ({ heard: ++times });
    const why = 'own: what init gives process 0 is another state each time';
    for (const init of [() => ({ heard: Math.random() }), counting]) {
      expect(() => check(ring({ init }))).toThrow(why);
      expect(() => simulate(ring({ init }))).toThrow(why);
    }
  });
});

describe('the state after a handler', () => {
  const round: unknown[] = [];
  round.push(round);
  const start = (heard: unknown) => (s: State) => {
    s.heard = heard;
  };

  test.each([
    ['NaN', Number.NaN],
    ['undefined', undefined],
    ['a Set', new Set()],
    ['a function', () => 0],
    ['itself', round],
  ])('%s', (kind, value) => {
    const algorithm = ring({ start: start(value) });
    const property = 'the contract is kept';
    const why = `at process 0: its state holds ${kind}, which is not plain data`;
    const { violation } = check(algorithm);
    expect(violation).toMatchObject({ property, why });
    expect(replay(algorithm, parseTrace(violation!.trace))).toMatchObject({ ok: true, events: 1 });

    const lines: string[] = [];
    const written = simulate(algorithm, { start: [{ process: 0 }] }, { trace: (line) => lines.push(line) });
    const unwatched = simulate(algorithm, { start: [{ process: 0 }] });
    expect(unwatched.violations).toEqual([{ property, why }]);
    expect(unwatched).toEqual(written);
    expect(replay(algorithm, parseTrace(`${lines.join('\n')}\n`)).ok).toBe(true);
  });
});

test('a message', () => {
  const algorithm = ring({ message: () => ({ at: new Date(0) }) });
  const why = "at process 0: its message 'hello' holds a Date, which is not plain data";
  const { violation } = check(algorithm);
  expect(violation).toMatchObject({ property: 'the contract is kept', why });
  expect(replay(algorithm, parseTrace(violation!.trace))).toMatchObject({ ok: true });
  expect(simulate(algorithm, { start: [{ process: 0 }] }).violations).toMatchObject([{ why }]);
});

test('a handler that sends a different message each time', () => {
  let times = 0;
  const algorithm = ring({ message: () => ({ number: ++times }) });
  expect(() => check(algorithm)).toThrow('own: a handler does something else each time; let it depend on');
});

describe('on shared memory', () => {
  const own = (init: () => object, spoil = (_: { seen: number }): void => {}): AnySharedAlgorithm =>
    sharedAlgorithm({
      name: 'own',
      problem: 'mutex',
      paper: 'none',
      assumes: { failures: 'none' },
      bounds: [],
      registers: () => ({ door: 0 }),
      init: init as () => { seen: number },
      request: 'close',
      release: 'open',
      program: () => ({
        close: {
          write: 'door',
          value: 1,
          goto: (s) => {
            spoil(s);
            return 'critical section';
          },
        },
        open: { write: 'door', value: 0, goto: 'noncritical section' },
      }),
    }) as AnySharedAlgorithm;

  test('init', () => {
    const why = 'own: what init gives process 0 holds a Map, which is not plain data';
    expect(() => check(own(() => ({ seen: new Map() })))).toThrow(why);
    expect(() => simulate(own(() => ({ seen: new Map() })))).toThrow(why);
  });

  test('a line', () => {
    const spoilt = own(
      () => ({ seen: 0 }),
      (s) => {
        s.seen = Number.NaN;
      },
    );
    const broken = {
      property: 'the contract is kept',
      why: 'at process 0: its state holds NaN, which is not plain data',
    };
    expect(check(spoilt).violation).toMatchObject(broken);
    expect(simulate(spoilt, { n: 2, start: [{ process: 0 }] }).violations).toEqual([broken]);
  });
});
