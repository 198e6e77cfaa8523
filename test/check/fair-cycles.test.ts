// Runs that never end: which process waits in them, and whether they are fair.
import { describe, expect, test } from 'vitest';
import {
  bakery,
  changRoberts,
  dekker,
  dijkstraKState,
  filterLock,
  misra,
  petersonLock,
  ricartAgrawala,
  tokenRing,
} from '../../src/algorithms/index.ts';
import { kState } from '../../src/algorithms/mutex/dijkstra-k-state.ts';
import { Check, type CheckOptions, type CheckReport, check, type Space } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { textDiagram } from '../../src/diagram/index.ts';
import { type Mutant, mutants, sharedMutants } from '../../src/mutants/index.ts';
import { replay } from '../../src/sim/index.ts';
import { round } from './round.ts';

const mutant = (name: string) => [...mutants, ...sharedMutants].find((one) => one.name === name)!;

/** Returns the number of events before the loop and in it. Replays the trace, and the loop twice. */
function lassoOf(algorithm: Parameters<typeof check>[0], { violation }: CheckReport): [number, number] {
  const trace = parseTrace(violation!.trace);
  const { events, scenario, verdict } = trace;
  expect(replay(algorithm, trace)).toEqual({ ok: true, events: events.length, firstDifference: null });
  expect(verdict).toBe(`${violation!.property} is violated: ${violation!.why}`);
  const loop = Number(scenario.loop);
  const { before, after, again } = round(algorithm, trace, loop);
  expect(after).toBe(before);
  expect(again).toBe(before);
  return [loop, events.length - loop];
}

/** A token moves back and forth between 0 and 1, and its holder may enter. `lines` decides about process 2. */
const toAndFro = (lines: Partial<AnyAlgorithm> & Pick<AnyAlgorithm, 'calls' | 'on'>): AnyAlgorithm => ({
  name: 'to-and-fro',
  problem: 'mutex',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me'],
  perpetual: true,
  bounds: [],
  init: () => ({ wanting: false, next: null }),
  begin: (_, p) => p.me === 0 && p.send(1, { type: 'token' }),
  ...lines,
  calls: {
    request(s) {
      s.wanting = true;
    },
    release(s, p) {
      s.wanting = false;
      p.send(p.me === 2 ? 0 : 1 - p.me, { type: 'token' });
    },
    ...lines.calls,
  },
  on: {
    token(s, p, m) {
      if (s.wanting) p.emit({ type: 'entered' });
      else if (s.next === null) p.send(1 - p.me, m);
      else {
        p.send(s.next, m);
        s.next = null;
      }
    },
    ...lines.on,
  },
});

describe('a token that moves back and forth', () => {
  const asks = {
    request: (s, p) => (s.wanting = p.me !== 2 || p.send(0, { type: 'ask' }) === undefined),
  } as AnyAlgorithm['calls'];
  const answers = { ask: (s, _p, _m, j) => (s.next = j) } as AnyAlgorithm['on'];
  const space: Space = { n: 3, entries: 1 };

  test('starves a third process, which it never reaches', () => {
    const algorithm = toAndFro({ calls: {}, on: {} });
    const report = check(algorithm, space);
    expect(report).toMatchObject({ ok: false, complete: false, leftOut: null });
    expect(report.violation).toMatchObject({
      property: 'every request enters',
      why: 'process 2 waits for ever while the run goes round, though every message arrives',
    });
    expect(lassoOf(algorithm, report)).toEqual([4, 2]); // three begin events and a request; back and forth
    expect(textDiagram(parseTrace(report.violation!.trace))).toContain(
      'request\n        loop: from here it goes round for ever\n',
    );
  });

  test.each(['unordered', 'fifo', 'causal'] as const)(
    'reaches the third process once its request arrives: a run in which it never arrives is not fair (%s)',
    (channels) => {
      const algorithm = toAndFro({ calls: asks, on: answers });
      expect(check(algorithm, { ...space, channels })).toMatchObject({ ok: true, complete: true });
    },
  );

  test('starves the third process if its request arrives without effect', () => {
    const algorithm = toAndFro({ calls: asks, on: { ask: () => {} } });
    expect(check(algorithm, space).violation?.property).toBe('every request enters');
  });

  test('is not alone in the loop, if other messages go round too', () => {
    const on = { ask: ((_s, p, m) => p.send(1 - p.me, m)) as AnyAlgorithm['on'][string] };
    const algorithm = toAndFro({ calls: asks, on });
    expect(lassoOf(algorithm, check(algorithm, space))[1]).toBe(4);
  });

  const later: Pick<AnyAlgorithm, 'timers' | 'calls' | 'on'> = {
    timers: ['soon'],
    calls: { request: (s, p) => (s.wanting = p.me !== 2 || p.after(1, { type: 'soon' }) === undefined) },
    on: { ...answers, soon: (_s, p) => p.send(0, { type: 'ask' }) },
  };

  test('does not keep a timer from firing', () => {
    const algorithm = toAndFro(later);
    expect(check(algorithm, space)).toMatchObject({ ok: true, complete: true });
    const timed = { ...algorithm, assumes: { ...algorithm.assumes, timing: 'bounded' } as const };
    expect(check(timed, { ...space, latency: 'uniform:0:1' })).toMatchObject({ ok: true, complete: true });
    const deaf = { ...timed, on: { ...timed.on, soon: () => {} } };
    const report = check(deaf, { ...space, latency: 'uniform:0:1' });
    expect(report.violation?.property).toBe('every request enters');
    lassoOf(deaf, report);
  });

  test('does not keep a timer from firing that waits for room on a channel', () => {
    const algorithm = toAndFro({
      timers: ['soon'],
      calls: { request: (_s, p) => p.after(1, { type: 'soon' }) },
      on: {
        soon(s, p) {
          s.wanting = true;
          p.send(0, { type: 'ask' }); // on the channel that the token keeps busy
        },
        ask() {},
      },
    });
    const one: Space = { n: 2, start: [{ process: 1 }] };
    expect(check(algorithm, one, { capacity: 1 })).toMatchObject({ ok: true, complete: true });
  });
});

describe('perpetual algorithms', () => {
  test.each<{ algorithm: AnyAlgorithm; space: Space; options: CheckOptions; states: number }>([
    { algorithm: tokenRing, space: { n: 4, entries: 2 }, options: {}, states: 3500 },
    { algorithm: misra, space: { n: 3, entries: 2 }, options: {}, states: 15_788 },
    { algorithm: misra, space: { n: 3, entries: 1 }, options: { losses: 1 }, states: 11_710 },
    { algorithm: dijkstraKState, space: { n: 3, entries: 1 }, options: { capacity: 1 }, states: 8656 },
  ])('$algorithm.name, $space $options: every request enters', ({ algorithm, space, options, states }) => {
    const report = check(algorithm, space, options);
    expect(report).toMatchObject({ violation: null, complete: true, states });
    expect(report.properties).toContain('every request enters');
    expect(check(algorithm, space, { ...options, reduction: false })).toMatchObject({ ok: true, states });
  });

  const alone = (one: Mutant) => one.perpetual === true && one.problem === 'mutex' && !one.name.includes('+'); // of elections: mutants.test.ts
  test.each(mutants.filter(alone))('$name is refuted', (algorithm) => {
    const wrong: CheckOptions = algorithm.stabilises ? { corrupted: true, capacity: 1 } : { losses: 1 };
    const report = check(algorithm, { n: 2, entries: 2 }, wrong);
    expect(report.ok).toBe(false);
    expect(replay(algorithm, parseTrace(report.violation!.trace)).ok).toBe(true);
  });
});

describe('on shared memory', () => {
  test.each([
    { algorithm: dekker, entries: Infinity },
    { algorithm: petersonLock, entries: Infinity },
    { algorithm: filterLock, n: 3, entries: Infinity },
    { algorithm: bakery, n: 3, entries: 1 },
  ])('$algorithm.name: no process starves', ({ algorithm, ...space }) => {
    expect(check(algorithm, space)).toMatchObject({ violation: null, complete: true });
  });

  test('dekker-after-you: one gives way forever, whether the other enters again or gives way too', () => {
    const courteous = mutant('dekker-after-you');
    const report = check(courteous, { entries: Infinity }, { lemmas: false });
    expect(report.violation).toMatchObject({
      property: 'every request enters',
      why: 'process 0 waits for ever while the run goes round, though everybody goes on',
    });
    expect(lassoOf(courteous, report)).toEqual([1, 9]);
    const once = check(courteous, { entries: 1 }, { lemmas: false });
    expect(lassoOf(courteous, once)).toEqual([2, 6]);
    expect(check(courteous, { entries: 1 }, { progress: false, lemmas: false })).toMatchObject({
      ok: true,
      properties: ['at most one inside', 'only who asked enters', 'no deadlock'],
    });
  });

  test('a process that has left must reach its noncritical section', () => {
    const restless = {
      ...dekker,
      program: (place: { me: number; n: number }) => ({
        ...dekker.program(place),
        'turn := j': { write: 'turn', value: 1 - place.me, goto: 'again' },
        again: { write: 'turn', value: place.me, goto: 'turn := j' },
      }),
    } as unknown as typeof dekker;
    const report = check(restless, { start: [{ process: 0 }] });
    expect(report.violation?.property).toBe('the run ends');
    expect(lassoOf(restless, report)[1]).toBe(2);
  });
});

describe('self-stabilisation, from every value of the variables', () => {
  const withStates = (K: number) => kState(`with-${K}-states`, () => K);
  const small = { corrupted: true, capacity: 1 };

  test.each([1, 2, 3])('two processes, %i messages: 4 states are enough, 3 are not', (capacity) => {
    const enough = check(withStates(4), { n: 2, start: [] }, { corrupted: true, capacity });
    expect(enough).toMatchObject({ violation: null, complete: true });
    expect(enough.properties).toEqual([
      'at most one inside',
      'only who asked enters',
      'every request enters',
      'once legitimate, always legitimate',
      'the world becomes legitimate',
    ]);
    const tooFew = withStates(3);
    const report = check(tooFew, { n: 2, start: [] }, { corrupted: true, capacity });
    expect(report.violation).toMatchObject({
      property: 'the world becomes legitimate',
      why: 'the run goes round for ever, though every message arrives',
    });
    const [, length] = lassoOf(tooFew, report);
    const loop = parseTrace(report.violation!.trace).events.slice(-length);
    const timers = loop.filter(({ input }) => input.kind === 'timer');
    expect(new Set(timers.map(({ process }) => process)).size).toBe(2); // sending again does not help either
  });

  test('with requests: every request enters, and two may be inside before the world is legitimate', () => {
    const report = check(withStates(4), { n: 2, entries: 1 }, small);
    expect(report).toMatchObject({ violation: null, complete: true, states: 15_380 });
    const watched: AnyAlgorithm = {
      ...withStates(4),
      invariants: { 'one inside': ({ states }) => states.filter((s) => s.inside).length < 2 },
    };
    const crowded = check(watched, { n: 2, entries: 1 }, { ...small, lemmas: true });
    expect(crowded.violation?.property).toBe('one inside');
  });

  test('three processes: 5 states are too few', () => {
    const tooFew = withStates(5); // 6 are enough, but the check of 1,092,048 worlds takes a while
    const report = check(tooFew, { n: 3, start: [] }, small);
    expect(report.violation?.property).toBe('the world becomes legitimate');
    lassoOf(tooFew, report);
  }, 60_000);

  test('the mutant with too few states', () => {
    const report = check(mutant('dijkstra-k-state-too-few'), { n: 2 }, small);
    expect(report.violation?.property).toBe('the world becomes legitimate');
    lassoOf(mutant('dijkstra-k-state-too-few'), report);
  });

  test('a legitimate world must remain legitimate', () => {
    const enough = withStates(4);
    const isEven = ({ states }: { states: { S: number }[] }) => states.every(({ S }) => S % 2 === 0);
    const hasty: AnyAlgorithm = { ...enough, stabilises: { ...enough.stabilises!, legitimate: isEven } };
    const report = check(hasty, { n: 2, start: [] }, small);
    expect(report.violation?.property).toBe('once legitimate, always legitimate');
    const trace = parseTrace(report.violation!.trace);
    expect(trace.scenario.loop).toBeUndefined();
    expect(replay(hasty, trace).ok).toBe(true);
    expect(trace.events).toHaveLength(5); // two begin events, two corruptions and the step
  });

  test('a legitimate world must remain legitimate, also where all runs end', () => {
    const counter: AnyAlgorithm = {
      name: 'counter',
      problem: 'mutex',
      paper: 'none',
      assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
      knows: ['me'],
      bounds: [],
      init: () => ({ count: 0 }),
      begin: (_, p) => {
        for (let sent = 0; sent < 2 && p.me === 1; sent += 1) p.send(0, { type: 'step' });
      },
      calls: { request: () => {}, release: () => {} },
      on: {
        step: (s) => {
          s.count += 1;
        },
      },
      stabilises: {
        scramble: (s, p) => {
          s.count = p.choose(2);
        },
        legitimate: ({ states }) => states[0].count !== 1,
      },
    };
    const report = check(counter, { n: 2, start: [] }, { corrupted: true });
    expect(report.violation?.property).toBe('once legitimate, always legitimate');
  });

  test('a quiescent world must be legitimate', () => {
    const { begin: _, ...silent } = withStates(4); // no process sends first
    expect(check(silent, { n: 2, start: [] }, small).violation).toMatchObject({
      property: 'the world becomes legitimate',
      why: 'no message is left that could change it',
    });
  });
});

describe('the search in slices', () => {
  test('reports what is left to check', () => {
    const search = new Check(tokenRing, { n: 5, entries: 2 });
    while (!search.isCheckingLiveness) expect(search.advance(1000)).toBe(true);
    expect(search.report()).toMatchObject({ complete: false, leftOut: 'runs that go round for ever' });
    let slices = 0;
    while (search.advance(1000)) slices += 1;
    expect(slices).toBeGreaterThan(100); // the check goes through 21,875 worlds for each process
    expect(search.report()).toMatchObject({ complete: true, leftOut: null });
  });

  test('stops when the memory is used up', () => {
    let { bytes: maxBytes } = check(tokenRing, { n: 5 }, { progress: false });
    const isEnough = () => check(tokenRing, { n: 5 }, { maxBytes, progress: false }).complete;
    while (!isEnough()) maxBytes += 1000; // objects count too
    const report = check(tokenRing, { n: 5 }, { maxBytes });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      leftOut: 'runs that go round for ever, for want of memory',
    });
  });

  test('needs no check of fair cycles for runs that end, but can do it', () => {
    const search = new Check(ricartAgrawala, { n: 2 });
    while (search.advance(1000));
    expect(search.isCheckingLiveness).toBe(false);
    expect(check(ricartAgrawala, { n: 2, entries: 2 }, { progress: true })).toMatchObject({ complete: true });
  });

  test('needs none where runs of different lengths meet, but do not go round', () => {
    const search = new Check(changRoberts, { ids: [5, 4, 3, 2, 1] }, { reduction: false });
    while (search.advance(1000));
    expect(search.isCheckingLiveness).toBe(false);
    expect(search.report()).toMatchObject({ verdict: 'holds', leftOut: null });
  });

  test('finds that there is a cycle from the steps that were followed, in slices of any size', () => {
    const never = mutant('peterson-never-stops');
    for (const slice of [1, 7, 100_000]) {
      const search = new Check(never, { n: 3 }, { reduction: false });
      while (search.advance(slice));
      expect(search.isCheckingLiveness).toBe(true);
      expect(search.report().verdict).toBe('violated');
    }
  });
});

test.each<{ algorithm: AnyAlgorithm; options: CheckOptions; why: string }>([
  { algorithm: tokenRing, options: { corrupted: true }, why: 'token-ring does not stabilise' },
  { algorithm: dijkstraKState, options: { corrupted: true, crashes: 1 }, why: 'crashes without corrupted' },
  { algorithm: dijkstraKState, options: { corrupted: true, bypass: true }, why: 'one or the other' },
])('$algorithm.name, $options is refused', ({ algorithm, options, why }) => {
  expect(() => check(algorithm, {}, options)).toThrow(why);
});
