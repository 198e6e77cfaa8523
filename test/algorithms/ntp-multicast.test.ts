import { describe, expect, test } from 'vitest';
import { ntpMulticast } from '../../src/algorithms/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { conformsToClocks } from '../conformance/clocks.ts';

conformsToClocks(ntpMulticast, {
  hash: '487f30aa36951f03',
  reaches: { best: { n: 5 }, worst: { n: 5 } },
  survives: { 'no duplication': 'a duplicate is as good as the original' },
  lie: { faults: [{ type: 'lie', process: 0, at: 0, by: 500 }] },
  golden: {
    tree: {
      about:
        'The root tells its time, each passes it on: nobody asks, and nobody knows how long its messages really took.',
      scenario: { n: 4, seed: 2 },
    },
  },
});

describe('ntp-multicast', () => {
  test('the root sends one message to each other process in each round', () => {
    for (const n of [1, 2, 5, 17, 100])
      expect(simulate(ntpMulticast, { n, rounds: 3, seed: n }).messages.total).toBe(3 * (n - 1));
  });

  test('its promise is weaker than that of ntp: it depends on the longest delay, not on the actual one', () => {
    const { clocks } = simulate(ntpMulticast, { n: 2, drift: 0, latency: 'uniform:1:100' });
    expect(clocks![1]!.promised).toBe((101 - 1) * 0.5e6); // one more tick for the handler
  });
});
