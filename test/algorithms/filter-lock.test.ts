import { describe, expect, test } from 'vitest';
import { filterLock } from '../../src/algorithms/index.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { traceOf } from '../conformance/conformance.ts';
import { conformsToShared, mostPassed } from '../conformance/shared.ts';

const waiting = ['wait until all Q[k] < j', 'or TURN[j] ≠ i'];
const competing = ['Q[i] := j', 'TURN[j] := i', ...waiting];

conformsToShared(filterLock, {
  hash: '6e2d0e32c2833041',
  alone: {
    2: { read: 1, write: 3 },
    3: { read: 4, write: 5 },
    4: { read: 9, write: 7 },
    10: { read: 81, write: 19 },
  },
  registers: { 2: 3, 3: 5, 4: 7, 10: 19 },
  spaces: [
    { n: 3, entries: 1, states: 1836 },
    { n: 3, states: 2931 },
    { n: 2, states: 58 },
  ],
  bypass: {
    'two processes: at most once': { space: { n: 2 }, lines: waiting, most: 1 },
    'three processes, one entry each: by both others': {
      space: { n: 3, entries: 1 },
      lines: competing,
      most: 2,
    },
    'three processes: no bound': { space: { n: 3 }, lines: waiting, most: Infinity },
  },
  golden: {
    'three-ask': {
      about: 'Three ask: one stays behind at level 1, one at level 2.',
      scenario: { n: 3, think: 'fixed:0', seed: 1 },
    },
    'one-level-short': {
      about: 'One level for three processes: one stays behind, two come through.',
      scenario: { n: 3, seed: 5 },
      of: 'filter-lock-one-level-short',
    },
  },
});

describe('filter-lock', () => {
  test('not first come, first served: even at random speeds one process bypasses another more than once', () => {
    const heavy = { n: 3, entries: 20, think: 'fixed:0', latency: 'exponential:20' };
    expect(mostPassed(filterLock, heavy, 'TURN[j] := i', 20)).toBe(4);
  });

  test('a slow process is bypassed any number of times, although all others started behind it', () => {
    for (const entries of [3, 30, 300]) {
      const faults = [{ type: 'pause', process: 0, at: 25, until: 1000 * entries }] as const;
      const text = traceOf(filterLock, {
        n: 3,
        start: [
          { process: 0, at: 0 },
          { process: 1, at: 30 },
          { process: 2, at: 30 },
        ],
        entries,
        think: 'fixed:0',
        faults,
        latency: 'fixed:10',
      });
      const { events, verdict } = parseTrace(text);
      const resumed = events.findIndex(({ input }) => input.kind === 'resume');
      const passed = events
        .slice(0, resumed)
        .filter(({ outputs }) => outputs.some(({ kind }) => kind === 'emit'));
      expect(verdict).toBe('ok');
      expect(passed.length).toBeGreaterThan(entries);
    }
  });
});
