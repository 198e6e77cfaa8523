import { describe, expect, test } from 'vitest';
import { cristian } from '../../src/algorithms/index.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { conformsToClocks } from '../conformance/clocks.ts';

/** A link whose two directions take different times. */
const oneSided = (to: number, back: number): Scenario => ({
  n: 2,
  latency: 'fixed:1',
  slow: [
    { between: [1, 0], ticks: to, oneWay: true },
    { between: [0, 1], ticks: back, oneWay: true },
  ],
  offsets: [0, 500],
  drift: 0,
});

conformsToClocks(cristian, {
  hash: 'd70c1666c44a6088',
  reaches: { best: { n: 5 }, worst: { n: 5 } },
  survives: { 'no crash': 'clients do not need each other; without the server, see below' },
  lie: { faults: [{ type: 'lie', process: 0, at: 0, by: 500 }] },
  golden: {
    asymmetric: {
      about:
        'Asking takes 1 ms, the answer 9. It is taken for 5 ms old, and the clock is 4 ms off: half the round trip less the shortest\n' +
        'delay, as was promised, and not less.',
      scenario: oneSided(1, 9),
    },
    'forgets-the-way': {
      about: 'What is told is taken for the time now: off by a whole way.',
      scenario: { ...oneSided(5, 5), latency: 'fixed:5' },
      of: 'cristian-forgets-the-way',
    },
  },
});

describe('cristian', () => {
  test.each([
    [1, 9, 4],
    [9, 1, 4],
    [1, 101, 50],
    [5, 5, 0],
  ])('%i ms to the server, %i ms back: the error is %i ms, as promised', (to, back, off) => {
    const latency = `fixed:${Math.min(to, back)}`;
    const { clocks } = simulate(cristian, { ...oneSided(to, back), latency });
    expect(Math.abs(clocks![1]!.error)).toBe(off * 1e6);
    expect(clocks![1]!.promised).toBe(off * 1e6);
  });

  test('the best of several samples counts', () => {
    const latency = 'uniform:1:100';
    const runs = Array.from({ length: 100 }, (_, seed) =>
      simulate(cristian, { n: 2, drift: 0, latency, seed }),
    );
    const mean = runs.reduce((sum, { clocks }) => sum + clocks![1]!.promised!, 0) / runs.length;
    expect(mean).toBeLessThan(35e6); // one sample alone promises 49.5 on average
  });

  test('without the server no client is synchronised', () => {
    const run = simulate(cristian, { n: 3, faults: [{ type: 'crash', process: 0, at: 3 }], seed: 1 });
    expect(run.violations[0]!.property).toBe('who is to be synchronised is');
  });

  test('each client takes four samples of two messages in each round', () => {
    for (const n of [1, 2, 5, 17])
      expect(simulate(cristian, { n, rounds: 3 }).messages.byType).toEqual({
        ask: 12 * (n - 1),
        tell: 12 * (n - 1),
      });
  });
});
