import { describe, expect, test } from 'vitest';
import { faultTolerantAverage } from '../../src/algorithms/clocks/berkeley.ts';
import { berkeley } from '../../src/algorithms/index.ts';
import { type Fault, type Scenario, simulate } from '../../src/sim/index.ts';
import { conformsToClocks } from '../conformance/clocks.ts';

const lie = (process: number, by: number): Fault => ({ type: 'lie', process, at: 0, by });
const round: Scenario = { n: 3, offsets: [0, -10, 25], drift: 0, latency: 'fixed:1' };

conformsToClocks(berkeley, {
  hash: 'f2ad014bec304f21',
  reaches: { best: { n: 5 }, worst: { n: 5 } },
  survives: {
    'no crash':
      'the master leaves out a process that does not answer in time; without the master nothing is promised',
  },
  scenarios: [{}, { n: 5, faults: [lie(2, 30_000)] }],
  lie: { faults: [lie(1, 30_000), lie(2, 30_000), lie(3, 30_000)] },
  golden: {
    'three-clocks': {
      about:
        'The master shows 3:00, the others 2:50 and 3:25; here in milliseconds. All go to 3:05: by +5, +15 and -20.',
      scenario: round,
    },
    liar: {
      about:
        'Process 2 says that it is half a minute later. Its clock is discarded; it is told an offset, and what it does with it is its own.',
      scenario: { n: 4, offsets: [0, 100, 0, 200], drift: 0, latency: 'fixed:1', faults: [lie(2, 30_000)] },
    },
    'liar-believed': {
      about: 'The same, but nothing is discarded: all clocks are sent where none of them was.',
      scenario: { n: 4, offsets: [0, 100, 0, 200], drift: 0, latency: 'fixed:1', faults: [lie(2, 30_000)] },
      of: 'berkeley-averages-all',
    },
  },
});

describe('berkeley', () => {
  test('the textbook round: +5, +15, -20', () => {
    const { clocks } = simulate(berkeley, round);
    expect(clocks!.map(({ estimatedOffset }) => estimatedOffset! / 1e6)).toEqual([5, 15, -20]);
    expect(clocks!.map(({ error }) => error)).toEqual([0, 0, 0]);
  });

  test.each([1, 2, 3, 5, 17, 100])('3(n-1) messages in each round, n = %i', (n) => {
    const { messages } = simulate(berkeley, { n, rounds: 2, seed: n });
    expect(messages.byType).toEqual({ poll: 2 * (n - 1), answer: 2 * (n - 1), correct: 2 * (n - 1) });
  });

  test('the master averages the values that agree', () => {
    expect(faultTolerantAverage([0, 10, 20, 500], 100)).toBe(10);
    expect(faultTolerantAverage([0, 500, 510, 520], 100)).toBe(510);
    expect(faultTolerantAverage([0, 10, 500, 510], 100)).toBe(5);
    expect(faultTolerantAverage([0], 100)).toBe(0);
  });

  test('the master leaves out a dead or late slave, and the others agree', () => {
    const faults: Fault[] = [{ type: 'crash', process: 2, at: 0 }];
    const run = simulate(berkeley, { n: 4, faults, seed: 3 });
    expect(run.violations).toEqual([]);
    expect(run.clocks!.map(({ estimatedOffset }) => estimatedOffset !== null)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});
