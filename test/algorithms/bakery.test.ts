import { describe, expect, test } from 'vitest';
import { bakery } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import { parseTrace, type Trace } from '../../src/core/trace.ts';
import { type Fault, simulate } from '../../src/sim/index.ts';
import { traceOf } from '../conformance/conformance.ts';
import { conformsToShared, mostPassed } from '../conformance/shared.ts';

const waiting = ['L2: if choosing[j] ≠ 0 goto L2', 'L3: if (number[j], j) < (number[i], i) goto L3'];

conformsToShared(bakery, {
  hash: 'eaaac1f9511f7795',
  alone: {
    1: { read: 3, write: 4 },
    2: { read: 6, write: 4 },
    3: { read: 9, write: 4 },
    10: { read: 30, write: 4 },
  },
  registers: { 1: 2, 2: 4, 3: 6, 10: 20 },
  spaces: [
    { n: 2, entries: 2, states: 1324 },
    { n: 2, entries: 2, crashes: 2, states: 3119 },
    { n: 3, entries: 1, states: 7818 },
  ],
  bypass: {
    'two processes: at most once': { space: { n: 2, entries: 4 }, lines: waiting, most: 1 },
    'three processes, one entry each: by both others': {
      space: { n: 3, entries: 1 },
      lines: waiting,
      most: 2,
    },
  },
  golden: {
    'same-number': {
      about: 'Both draw number 1: the smaller name goes first.',
      scenario: { n: 2, think: 'fixed:0', latency: 'fixed:1' },
    },
    'no-choosing': {
      about:
        'Nobody waits for who is choosing. 1 sees no number of 0 and goes past it; then 0 writes the same number, and with the smaller name goes past 1.',
      scenario: { n: 2, think: 'fixed:0', seed: 139 },
      of: 'bakery-no-choosing',
    },
    'crash-inside': {
      about:
        'Process 1 stops inside. Its registers read 0 from then on, and 0 goes in. Restarted, 1 asks again.',
      scenario: {
        n: 2,
        seed: 3,
        think: 'fixed:0',
        faults: [
          { type: 'crash', process: 1, at: 45 },
          { type: 'restart', process: 1, at: 60 },
        ],
        entries: 2,
      },
    },
    'crash-choosing': {
      about:
        'Process 0 stops while it chooses and 1 waits for it at L2. Its registers read 0, and 1 goes in.',
      scenario: { n: 2, seed: 3, think: 'fixed:0', faults: [{ type: 'crash', process: 0, at: 22 }] },
    },
  },
});

/** Returns, for each entry, when its doorway began and ended and when the process entered, as positions in the trace. */
function visits({ events }: Trace) {
  const open = new Map<number, { process: number; began: number; ended: number; entered: number }>();
  const all: { process: number; began: number; ended: number; entered: number }[] = [];
  events.forEach(({ process, input, outputs }, index) => {
    if (input.kind === 'crash') open.delete(process);
    if (input.kind !== 'step') return;
    if (input.line === 'choosing[i] := 1') {
      const visit = { process, began: index, ended: Infinity, entered: Infinity };
      open.set(process, visit);
      all.push(visit);
    }
    const visit = open.get(process);
    if (visit && input.line === 'choosing[i] := 0') visit.ended = index;
    if (visit && outputs.some(({ kind }) => kind === 'emit')) visit.entered = index;
  });
  return all;
}

describe('bakery', () => {
  test('first come, first served: a process that leaves the doorway before another reaches it enters first', () => {
    let pairs = 0;
    for (let seed = 0; seed < 100; seed += 1) {
      const scenario = { n: 2 + (seed % 4), entries: 4, think: 'uniform:0:30', seed };
      const all = visits(parseTrace(traceOf(bakery, scenario)));
      for (const first of all) {
        for (const second of all) {
          if (first.ended > second.began) continue;
          pairs += 1;
          expect(first.entered).toBeLessThan(second.entered);
        }
      }
    }
    expect(pairs).toBeGreaterThan(1000);
  });

  test('each other process bypasses a process that has chosen at most once, and that happens', () => {
    for (const n of [2, 3, 4]) {
      const heavy = { n, entries: 10, think: 'fixed:0', latency: 'exponential:20' };
      expect(mostPassed(bakery, heavy, 'choosing[i] := 0', 10)).toBe(n - 1);
    }
  });

  test('the doorway does not preserve order: the first to arrive may enter last', () => {
    const passed = Array.from({ length: 100 }, (_, seed) => {
      const [first, second] = visits(parseTrace(traceOf(bakery, { n: 2, seed })));
      return first!.entered > second!.entered;
    });
    expect(passed).toContain(true);
  });

  test('tickets grow without bound while the bakery is never empty', () => {
    const largest = (entries: number) => {
      let most = 0;
      const observe = (_process: number, state: unknown) => {
        most = Math.max(most, 1 + (state as { s: { maximum: number } }).s.maximum);
      };
      const run = simulate(bakery, { n: 2, entries, think: 'fixed:0', hold: 'fixed:100' }, { observe });
      expect(run.ok).toBe(true);
      return most;
    };
    expect([1, 10, 100, 1000].map(largest)).toEqual([2, 20, 200, 2000]);
  });

  test('with crashes and restarts of several processes, all others enter, and FCFS holds', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const n = 3 + (seed % 3);
      const faults: Fault[] = [
        { type: 'crash', process: 0, at: 5 + (seed % 70) },
        { type: 'crash', process: 1, at: 10 + ((seed * 7) % 200) },
        { type: 'restart', process: 1, at: 215 + (seed % 50) },
      ];
      const text = traceOf(bakery, { n, entries: 3, faults, seed });
      const trace = parseTrace(text);
      expect(trace.verdict).toBe('ok');
      const living = visits(trace).filter(({ process }) => process > 1);
      expect(living).toHaveLength(3 * (n - 2));
    }
  });

  test('if a crash did not reset its registers, the others would wait forever', () => {
    const { violation } = check({ ...bakery, owned: [] }, { n: 2 }, { crashes: 1 });
    expect(violation?.property).toBe('every request enters');
    const faults = [{ type: 'crash', process: 0, at: 22 }] as const;
    const run = simulate({ ...bakery, owned: [] }, { n: 2, seed: 3, think: 'fixed:0', faults });
    expect(run.violations[0]?.property).toBe('every request enters');
  });
});
