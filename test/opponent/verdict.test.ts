// The opponent alone: what it says about the catalogue and about runs without end.
import { describe, expect, test } from 'vitest';
import { algorithms, bakery, dekker, petersonLock, tokenRing } from '../../src/algorithms/index.ts';
import { type AnyAlgorithm, next } from '../../src/core/algorithm.ts';
import { sharedMutants } from '../../src/mutants/index.ts';
import { totalOf, type Verdict, verdictOf } from './verdict.ts';

/** The opponent has no time, and timers that end at any moment and send would give it states without end. */
const untimed = algorithms.filter(({ assumes, timers }) => assumes.timing === 'asynchronous' && !timers);

describe('every algorithm of the catalogue keeps its promises', () => {
  test.each(untimed.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
    const { topology } = algorithm.assumes;
    const shape = topology === 'tree' || topology === 'connected' ? { topology: 'line' } : {};
    for (const together of [false, true]) {
      const verdict = verdictOf({ algorithm, n: 2, together, ...shape });
      if (verdict !== null) expect(totalOf(verdict)).toBe('holds');
    }
  });
});

test.each([bakery, dekker, petersonLock])('$name holds', (algorithm) => {
  const verdict = verdictOf({ algorithm, n: 2, entries: 2 });
  if (verdict !== null) expect(totalOf(verdict)).toBe('holds');
});

test('two processes that give way to each other forever wait in a fair run', () => {
  const algorithm = sharedMutants.find(({ name }) => name === 'dekker-after-you')!;
  expect(verdictOf({ algorithm, n: 2 })).toMatchObject({ safety: null, waits: true });
});

const usual: Pick<AnyAlgorithm, 'paper' | 'bounds' | 'init' | 'assumes'> = {
  paper: 'none',
  bounds: [],
  init: () => ({}),
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
};

/** Two processes toss coins until they differ. */
const tosses: AnyAlgorithm = {
  ...usual,
  name: 'tosses',
  problem: 'election',
  knows: [],
  init: () => ({ side: null }),
  calls: { start: (s, p) => s.side === null && toss(s, p) },
  on: {
    side(s, p, m) {
      if (s.side === null) toss(s, p);
      if (m.side === s.side) toss(s, p);
      else if (m.side < s.side) {
        p.emit({ type: 'elected', leader: 'me' });
        p.send(next, { type: 'leader' });
      }
    },
    leader: (_s, p) => p.emit({ type: 'elected', leader: 'another' }),
  },
};

const toss = (s: { side: number }, p: { choose(k: number): number; send(to: number, m: object): void }) => {
  s.side = p.choose(2);
  p.send(next, { type: 'side', side: s.side });
};

const safe: Partial<Verdict> = { safety: null };

describe('runs without end', () => {
  test('random coins end an election that an adversary could prolong', () => {
    const given = { algorithm: tosses, n: 2 };
    expect(totalOf(verdictOf(given)!)).toBe('holds');
    expect(verdictOf(given, { coins: 'adversarial' })).toMatchObject({
      ...safe,
      learns: true,
      endless: true,
    });
  });

  test('a token that circulates never ends, unless it says so', () => {
    const { perpetual: _, ...ending } = tokenRing as AnyAlgorithm;
    expect(verdictOf({ algorithm: ending, n: 2 })).toMatchObject({ ...safe, waits: false, endless: true });
    expect(verdictOf({ algorithm: tokenRing, n: 2 })).toMatchObject({
      ...safe,
      waits: false,
      endless: false,
    });
  });

  const waiting: AnyAlgorithm = {
    ...usual,
    name: 'timer',
    problem: 'mutex',
    knows: [],
    timers: ['tick'],
    calls: { request: (_s, p) => p.after(1, { type: 'tick' }), release: () => {} },
    on: { tick: (_s, p) => p.after(1, { type: 'tick' }) },
  };

  test('a timer that sets itself again keeps a process waiting', () => {
    expect(verdictOf({ algorithm: waiting, n: 1 })).toMatchObject({ ...safe, waits: true, endless: true });
  });

  test('a timer that may let a process enter does, if its coin is random', () => {
    const on: AnyAlgorithm['on'] = {
      tick: (_s, p) => (p.choose(2) === 0 ? p.emit({ type: 'entered' }) : p.after(1, { type: 'tick' })),
    };
    const given = { algorithm: { ...waiting, on }, n: 1 };
    expect(totalOf(verdictOf(given)!)).toBe('holds');
    expect(verdictOf(given, { coins: 'adversarial' })).toMatchObject({ ...safe, waits: true });
  });

  test('a process that waits for a message is not overtaken forever by another message', () => {
    const on: AnyAlgorithm['on'] = {
      lap: (_s, p, m) => p.send(next, m),
      wake: (_s, p) => p.emit({ type: 'entered' }),
    };
    const request: AnyAlgorithm['calls'][string] = (_s, p) => p.send(next, { type: 'wake' });
    const begin: AnyAlgorithm['begin'] = (_s, p) => p.send(next, { type: 'lap' });
    const algorithm: AnyAlgorithm = {
      ...usual,
      name: 'laps',
      problem: 'mutex',
      knows: [],
      perpetual: true,
      begin,
      calls: { request, release: () => {} },
      on,
    };
    for (const channels of ['unordered', 'fifo', 'causal'] as const)
      expect(totalOf(verdictOf({ algorithm, n: 1, channels })!)).toBe('holds');
  });

  test('a lock that nobody asks for holds, and is not vacuous', () => {
    const begin: AnyAlgorithm['begin'] = (_s, p) => p.after(1, { type: 'tick' });
    const algorithm: AnyAlgorithm = { ...waiting, perpetual: true, begin };
    expect(totalOf(verdictOf({ algorithm, n: 1, entries: 0 })!)).toBe('holds');
  });
});
