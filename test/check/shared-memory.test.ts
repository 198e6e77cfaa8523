// Algorithms on shared memory. The tests of each algorithm search small spaces, with the checker and with the plain search of test/explore.ts.
import { describe, expect, test } from 'vitest';
import { bakery, dekker, filterLock, petersonLock } from '../../src/algorithms/index.ts';
import { Check, type CheckOptions, type CheckReport, check, type Space } from '../../src/check/index.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { textDiagram } from '../../src/diagram/index.ts';
import { sharedMutants } from '../../src/mutants/index.ts';
import { replay } from '../../src/sim/index.ts';

test.each([
  { algorithm: bakery, n: 3, entries: 2, states: 154_529, transitions: 447_129, executions: 837 },
  { algorithm: filterLock, n: 3, entries: 2, states: 17_799, transitions: 50_736, executions: 174 },
  { algorithm: filterLock, n: 4, entries: Infinity, states: 227_184, transitions: 908_736, executions: 316 },
])('$algorithm.name, n = $n, entries $entries: $states states', ({ algorithm, n, entries, ...counts }) => {
  const report = check(algorithm, { n, entries });
  expect(report).toMatchObject({ ok: true, complete: true, unused: [], ...counts });
});

/** Replays a counterexample and returns the number of its events. */
function refuted(algorithm: AnySharedAlgorithm, { violation }: CheckReport): number {
  const trace = parseTrace(violation!.trace);
  expect(replay(algorithm, trace)).toEqual({ ok: true, events: trace.events.length, firstDifference: null });
  expect(trace.verdict).toBe(`${violation!.property} is violated: ${violation!.why}`);
  return trace.events.length;
}

describe('mutants are refuted by shortest counterexamples', () => {
  test.each([
    ['bakery-no-choosing', { n: 2 }, 'at most one inside', 20],
    ['bakery-no-names', { n: 2 }, 'at most one inside', 20],
    ['dekker-insists', {}, 'every request enters', 4],
    ['dekker-looks-first', {}, 'at most one inside', 6],
    ['filter-lock-one-level-short', { n: 3 }, 'at most one inside', 13],
    ['peterson-lock-turn-first', {}, 'at most one inside', 9],
  ] as const)('%s', (name, space, property, events) => {
    const mutant = sharedMutants.find((one) => one.name === name)!;
    for (const entries of [1, 2, Infinity]) {
      const report = check(mutant, { ...space, entries }, { lemmas: false });
      expect(report.violation?.property).toBe(property);
      expect(refuted(mutant, report)).toBe(events);
    }
  });

  test('all mutants are refuted, and one only by a run that never ends', () => {
    const own = sharedMutants.filter(({ name }) => name !== 'dijkstra-central-daemon-too-few');
    expect(own.filter((mutant) => check(mutant, { entries: 2 }).ok)).toEqual([]);
    const unrefuted = own.filter((mutant) => check(mutant, { entries: 2 }, { progress: false }).ok);
    expect(unrefuted.map(({ name }) => name)).toEqual(['dekker-after-you']);
  });

  test('one is refuted from corrupted registers only, and its trace replays', () => {
    const mutant = sharedMutants.find(({ name }) => name === 'dijkstra-central-daemon-too-few')!;
    expect(check(mutant, { n: 4 }).ok).toBe(true);
    const { violation } = check(mutant, { n: 4, start: [] }, { corrupted: true });
    expect(violation?.property).toBe('the world becomes legitimate');
    const trace = parseTrace(violation!.trace);
    expect(trace.events.filter(({ input }) => input.kind === 'corrupt')).toHaveLength(4);
    expect(replay(mutant, trace)).toMatchObject({ ok: true, events: trace.events.length });
  });
});

describe('a world in which all processes reread registers that no process will change is a deadlock', () => {
  test('also if a loop takes several reads', () => {
    const report = check(petersonLock, {}, { crashes: 1 });
    expect(report.violation).toMatchObject({
      property: 'every request enters',
      why: 'process 0 waits for ever: no write is left that could help',
    });
    expect(refuted(petersonLock, report)).toBe(5);
  });

  test('also if a process that has left never reaches its noncritical section', () => {
    const lost: AnySharedAlgorithm = {
      ...dekker,
      program: (place) => ({
        ...dekker.program(place),
        'turn := j': { read: 'turn', goto: 'turn := j' },
      }),
    };
    expect(check(lost, { start: [{ process: 0 }] }).violation?.property).toBe('the run ends');
  });
});

describe('crashes', () => {
  test('bakery tolerates them, because a crash resets the registers that a process owns', () => {
    expect(check(bakery, { n: 2, entries: 2 }, { crashes: 2, lemmas: true })).toMatchObject({
      ok: true,
      complete: true,
      states: 3119,
    });
    const kept = { ...bakery, owned: [] };
    const report = check(kept, { n: 2 }, { crashes: 1 });
    expect(report.violation?.property).toBe('every request enters');
    expect(refuted(kept, report)).toBe(9);
  });

  test('a crashed process restarts before it asks again', () => {
    const isFirst = ({ memory }: { memory: { number: number[] } }) => memory.number[0]! < 2;
    const forgetful = { ...bakery, owned: ['choosing'], invariants: { 'there is one number': isFirst } };
    const report = check(forgetful, { n: 1, entries: 2 }, { crashes: 1, lemmas: true });
    expect(report.violation?.property).toBe('there is one number');
    expect(refuted(forgetful, report)).toBe(10);
    const { events } = parseTrace(report.violation!.trace);
    expect(events.slice(4, 7).map(({ input }) => input.kind)).toEqual(['crash', 'restart', 'call']);
  });
});

describe('a program that breaks the contract', () => {
  const broken = (lines: object): AnySharedAlgorithm => ({
    ...dekker,
    invariants: {},
    program: (place) => ({ ...dekker.program(place), ...lines }),
  });
  test.each([
    ['goes to a missing line', { 'A: c[i] := 0': { read: 'turn', goto: 'nowhere' } }, 'no line'],
    ['reads a missing register', { 'A: c[i] := 0': { read: 'c', at: 2, goto: 'x' } }, 'no register'],
    [
      'writes a value that is not a number',
      { 'A: c[i] := 0': { write: 'turn', value: Number.NaN, goto: 'x' } },
      'it writes NaN',
    ],
    [
      'ends without having entered',
      { 'A: c[i] := 0': { read: 'turn', goto: 'noncritical section' } },
      'without having entered',
    ],
  ])('%s', (_what, lines, why) => {
    const algorithm = broken(lines);
    const report = check(algorithm);
    expect(report.violation?.property).toBe('the contract is kept');
    expect(report.violation?.why).toContain(why);
    expect(refuted(algorithm, report)).toBeLessThanOrEqual(3);
  });

  test('enters again while it leaves', () => {
    const algorithm = broken({ 'turn := j': { write: 'turn', value: 0, goto: 'critical section' } });
    const report = check(algorithm);
    expect(report.violation?.property).toBe('only who asked enters');
    expect(refuted(algorithm, report)).toBe(5);
  });

  test('throws', () => {
    const goto = () => {
      throw new Error('broken; really');
    };
    const algorithm = broken({ 'A: c[i] := 0': { read: 'turn', goto } });
    const report = check(algorithm);
    expect(report.violation?.property).toBe('the handlers do not fail');
    expect(refuted(algorithm, report)).toBe(2);
  });
});

test('a violated lemma is found in the nearest world', () => {
  const isQuiet = ({ memory }: { memory: { c: number[] } }) => !memory.c.includes(0);
  const hopeful = { ...dekker, invariants: { 'nobody wants to': isQuiet } };
  const report = check(hopeful, {}, { lemmas: true });
  expect(report.violation?.property).toBe('nobody wants to');
  expect(refuted(hopeful, report)).toBe(2);
});

test('registers may hold large numbers', () => {
  const large = 2 ** 40;
  const spacious = {
    ...petersonLock,
    registers: () => ({ Q: [large, large], TURN: 0 }),
    program: (place: { me: number; n: number }) => {
      const lines = petersonLock.program(place);
      const wait = lines['wait until not Q[j]'] as unknown as { goto: (q: number) => string };
      return {
        ...lines,
        'Q[i] := true': { ...lines['Q[i] := true'], value: large + 1 },
        'wait until not Q[j]': { ...wait, goto: (q: number) => wait.goto(q - large) },
        'Q[i] := false': { ...lines['Q[i] := false'], value: large },
      };
    },
  } as AnySharedAlgorithm;
  expect(check(spacious, { entries: Infinity })).toMatchObject({ ok: true, states: 58 });
});

test('start names the processes that ask, and together makes all of them ask at once', () => {
  expect(check(dekker, { start: [{ process: 1 }] }).states).toBe(7);
  const together = check(dekker, { entries: 1 }, { together: true });
  expect(together.states).toBeLessThan(check(dekker, { entries: 1 }).states);
  const insists = sharedMutants.find(({ name }) => name === 'dekker-insists')!;
  const report = check(insists, {}, { together: true });
  const { events } = parseTrace(report.violation!.trace);
  expect(refuted(insists, report)).toBe(4);
  expect(events.slice(0, 2).map(({ input }) => input.kind)).toEqual(['call', 'call']);
});

test('a covered run replays and can be drawn', () => {
  const search = new Check(petersonLock, { entries: 2 });
  while (search.advance(1000));
  const trace = parseTrace(search.sample()!);
  expect(replay(petersonLock, trace).ok).toBe(true);
  expect(trace.events.filter(({ outputs }) => outputs.some(({ kind }) => kind === 'emit'))).toHaveLength(4);
  expect(textDiagram(trace, { events: Infinity })).toContain('TURN := i  (write TURN = 0)');
});

test('the report lists the properties that hold and the situations that occurred', () => {
  const { properties, sometimes } = check(dekker, { entries: 1 }, { lemmas: true });
  expect(properties).toEqual([
    'at most one inside',
    'only who asked enters',
    'every request enters',
    ...Object.keys(dekker.invariants!),
  ]);
  expect(sometimes.every(({ seen }) => seen)).toBe(true);
});

test.each([
  [{ ids: [1, 2] }, {}, 'ids means nothing'],
  [{ topology: 'ring' }, {}, 'topology means nothing'],
  [{ channels: 'fifo' }, {}, 'channels means nothing'],
  [{ clocks: [1, 1] }, {}, 'clocks means nothing'],
  [{ n: 3 }, {}, 'dekker is for 2 processes, not 3'],
  [{ entries: -1 }, {}, 'entries must be a whole number'],
  [{}, { losses: 1 }, 'losses means nothing'],
  [{}, { repeats: 1 }, 'repeats means nothing'],
  [{}, { capacity: 0 }, 'capacity means nothing'],
  [{}, { corrupted: true }, 'corrupted means nothing'],
  [{}, { bypass: true }, 'promises no bypass bound'],
  [{}, { crashes: 0.5 }, 'crashes must be a whole number'],
] as [Space, CheckOptions, string][])('%o %o is refused', (space, options, why) => {
  expect(() => check(dekker, space, options)).toThrow(why);
});
