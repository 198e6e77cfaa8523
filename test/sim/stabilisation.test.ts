// The checks of a run with corrupted states, with a self-stabilising algorithm and broken variants of it.
import { expect, test } from 'vitest';
import { dijkstraKState, misra } from '../../src/algorithms/index.ts';
import { parseScenario, type Scenario, simulate } from '../../src/sim/index.ts';

const corruptAll = (at: number) => ({ type: 'corrupt', process: 'all', at }) as const;
const disturbed: Scenario = { n: 4, entries: 3, faults: [corruptAll(20)] };

const judgedBy = (legitimate: NonNullable<typeof dijkstraKState.stabilises>['legitimate']) => ({
  ...dijkstraKState,
  stabilises: { ...dijkstraKState.stabilises!, legitimate },
});
/** Legitimate only at the start. */
const onlyAtFirst = (n: number) => {
  let begins = n;
  return () => begins-- > 0;
};
/** Every process is privileged. */
const crowded: typeof dijkstraKState = {
  ...dijkstraKState,
  init: (place) => ({ ...dijkstraKState.init(place), L: place.root ? 0 : 1 }),
};

test('an algorithm that does not stabilise cannot be corrupted', () => {
  expect(() => simulate(misra, disturbed)).toThrow('corrupt: misra does not stabilise');
});

test('a run continues until the last corruption is over and the global state is legitimate', () => {
  const { ok, time } = simulate(dijkstraKState, { ...disturbed, faults: [corruptAll(20), corruptAll(5000)] });
  expect(ok).toBe(true);
  expect(time).toBeGreaterThanOrEqual(5000);
  const never = simulate(judgedBy(onlyAtFirst(4)), { ...disturbed, faults: [corruptAll(0)], limit: 5000 });
  expect(never.violations).toEqual([
    { property: 'the run ends', why: 'it goes on after 5000 events, and is not legitimate' },
  ]);
});

test('two processes inside are a violation only after stabilisation', () => {
  const violations = (algorithm: typeof dijkstraKState) => {
    const found = new Set<string>();
    for (let seed = 0; seed < 50; seed += 1)
      for (const { property } of simulate(algorithm, { ...disturbed, seed }).violations) found.add(property);
    return [...found];
  };
  expect(violations(dijkstraKState)).toEqual([]);
  expect(violations(judgedBy(() => true))).toEqual(['at most one inside']);
});

test('closure: a legitimate global state stays legitimate without a disturbance', () => {
  const fickle = judgedBy(({ states }) => states[0]!.S !== 3);
  expect(
    simulate(fickle, { ...disturbed, start: [{ process: 0 }], entries: 30 }).violations[0]?.property,
  ).toBe('once legitimate, always legitimate');
});

test('before the first corruption, and without one, all properties are checked', () => {
  expect(simulate(crowded, { n: 4 }).violations[0]?.property).toBe('at most one inside');
  const late = simulate(crowded, { n: 4, faults: [corruptAll(1000)] });
  expect(late.violations[0]?.property).toBe('once legitimate, always legitimate');
  expect(late.time).toBe(0);
});

test('a quiescent global state must be legitimate', () => {
  const { perpetual: _, ...ceasing } = judgedBy(onlyAtFirst(1));
  const silent = { ...ceasing, begin: () => {}, on: { ...ceasing.on, repeat() {} } };
  const run = simulate(silent, { n: 1, start: [], faults: [corruptAll(3)] });
  expect(run.violations[0]?.property).toBe('the world becomes legitimate');
});

test('a crashed process cannot be corrupted', () => {
  const lines: string[] = [];
  const faults = [
    { type: 'crash', process: 1, at: 5 },
    { type: 'corrupt', process: 1, at: 10 },
  ] as const;
  const run = simulate(dijkstraKState, { n: 3, start: [], faults }, { trace: (line) => lines.push(line) });
  expect(run.ok).toBe(true);
  expect(lines.some((line) => / 1 corrupt/.test(line))).toBe(false);
});

test('as text: one process, several, or all', () => {
  expect(parseScenario({ corrupt: '2@30,all@0' }).faults).toEqual([
    { type: 'corrupt', process: 2, at: 30 },
    { type: 'corrupt', process: 'all', at: 0 },
  ]);
  expect(() => parseScenario({ corrupt: '2' })).toThrow("corrupt '2': write PROCESS@TIME");
  const head: string[] = [];
  simulate(dijkstraKState, { n: 3, faults: [corruptAll(0)] }, { trace: (line) => head.push(line) });
  expect(head).toContain('corrupt 0@0,1@0,2@0');
});
