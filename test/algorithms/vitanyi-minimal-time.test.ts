import { describe, expect, test } from 'vitest';
import { vitanyi, vitanyiMinimalTime } from '../../src/algorithms/election/vitanyi.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

const w6 = { ids: [1, 2, 3], latency: 'fixed:0' };

conformsToElection(vitanyiMinimalTime, {
  hash: '5ee6c262ec6d3e48',
  reaches: {
    best: { ids: [1, 2, 3], clocks: [1, 10, 1000], latency: 'fixed:1', start: [{ process: 0 }] },
    worst: { ids: [1, 2, 3, 4, 5, 6], latency: 'fixed:0' },
  },
  scenarios: [{}, { start: [{ process: 0 }] }],
  survives: {
    'no duplication':
      'a process forwards an id only when it is the smallest so far, which happens once; a sleeping process ignores the rest',
  },
  golden: {
    w6: {
      about:
        'Ids 1, 2, 3 in lock-step, all awake at 0: an id that is smaller than all before goes on at once.',
      scenario: w6,
    },
    'er-30': {
      about: 'ER-30. The printed rule: a timer that is set to 0 never fires. M_1 ends at 2, M_2 at 3.',
      scenario: w6,
      of: 'vitanyi-minimal-time-never-fires',
    },
  },
});

everyStartElects(vitanyiMinimalTime);

describe('vitanyi-minimal-time, section 3', () => {
  test('ER-30: it is Chang-Roberts for the smallest id, N(N+1)/2 in the worst case, which the paper does not say', () => {
    for (const n of [2, 5, 10, 50]) {
      const ids = Array.from({ length: n }, (_, i) => i + 1);
      const run = simulate(vitanyiMinimalTime, { ids, latency: 'fixed:0' });
      expect(run.messages.total).toBe(2 * n + (n * (n + 1)) / 2);
    }
    for (const ids of rings(6)) {
      const run = simulate(vitanyiMinimalTime, { ids, latency: 'fixed:0' });
      const passes = ids.map((id, at) => {
        const behind = Array.from({ length: 6 }, (_, d) => ids[(at + d + 1) % 6]!);
        return 1 + behind.findIndex((other) => other <= id);
      });
      expect(run.messages.byType.M).toBe(passes.reduce((a, b) => a + b, 0));
    }
  });

  test('its time does not depend on the smallest id: two rounds in lock-step', () => {
    for (const l of [1, 5, 10]) {
      const ids = Array.from({ length: 20 }, (_, i) => l + i);
      expect(simulate(vitanyiMinimalTime, { ids, latency: 'fixed:0' }).time).toBe(2 * 20);
      expect(simulate(vitanyi, { ids, latency: 'fixed:0' }).time).toBe(19 * (2 ** l + 2) + 2);
    }
  });
});

holdsForAllIds(vitanyiMinimalTime, { inFull: { 2: 444, 3: 18_132 } });
