import { describe, expect, test } from 'vitest';
import { ntp } from '../../src/algorithms/index.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { conformsToClocks } from '../conformance/clocks.ts';

const line: Scenario = { n: 3, topology: 'line', latency: 'fixed:2', offsets: [0, 40, -70], drift: 0 };

conformsToClocks(ntp, {
  hash: '134a0bd8b856e41f',
  reaches: { best: { n: 5 }, worst: { n: 5 } },
  survives: { 'no duplication': 'a reply names the request that it answers, and each counts once' },
  scenarios: [{}, { rounds: 9 }, { topology: 'line', n: 5, rounds: 3 }],
  lie: { faults: [{ type: 'lie', process: 0, at: 0, by: 500 }] },
  golden: {
    strata: {
      about:
        'Three on a line. 2 asks 1, which does not know the time yet, and answers when it does: T2 and T3 differ, and what was waited is no delay.\n' +
        'What 2 is promised is its own half round trip and that of 1.',
      scenario: line,
    },
    'forgets-strata': {
      about:
        'The first leg takes its time in one direction only. 1 is off, as it says; 2 does not listen, and believes it to be right.',
      scenario: { ...line, slow: [{ between: [0, 1], ticks: 20, oneWay: true }] },
      of: 'ntp-forgets-strata',
    },
  },
});

describe('ntp', () => {
  test('the stratum is one more than that of the parent, and promises add up', () => {
    const { clocks } = simulate(ntp, line);
    expect(clocks!.map(({ promised }) => promised)).toEqual([null, 2e6, 4e6]);
    expect(clocks!.map(({ error }) => error)).toEqual([0, 0, 0]);
  });

  test('each exchange takes two messages', () => {
    for (const n of [1, 2, 5, 17, 100])
      expect(simulate(ntp, { n, rounds: 8, seed: n }).messages.total).toBe(16 * (n - 1));
  });

  test('the filter takes the best of eight samples, so more exchanges promise more', () => {
    const mean = (rounds: number) => {
      const runs = Array.from({ length: 100 }, (_, seed) =>
        simulate(ntp, { n: 2, drift: 0, latency: 'uniform:1:100', rounds, seed }),
      );
      return runs.reduce((sum, { clocks }) => sum + clocks![1]!.promised!, 0) / runs.length;
    };
    expect(mean(8)).toBeLessThan(0.6 * mean(1));
    expect(mean(64)).toBeGreaterThan(0.8 * mean(8)); // older samples are forgotten
  });

  test('with a delay in one direction only, the error is half the delay', () => {
    const slow = [{ between: [0, 1] as const, ticks: 40, oneWay: true }];
    const { clocks } = simulate(ntp, { n: 2, topology: 'line', latency: 'fixed:0', slow, drift: 0 });
    expect(Math.abs(clocks![1]!.error)).toBe(20e6);
    expect(clocks![1]!.promised).toBe(20e6);
  });
});
