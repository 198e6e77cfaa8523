import { describe, expect, test } from 'vitest';
import { vitanyi } from '../../src/algorithms/election/vitanyi.ts';
import { Random } from '../../src/core/random.ts';
import { simulate } from '../../src/sim/index.ts';
import { conformsToElection } from '../conformance/election.ts';

const w6 = { ids: [1, 2, 3], latency: 'fixed:0' };

conformsToElection(vitanyi, {
  hash: 'a85663449a0b88c9',
  reaches: {
    best: { ids: [1, 2, 3], clocks: [1, 10, 1000], latency: 'fixed:1', start: [{ process: 0 }] },
    worst: '3N u/m is the sum of bounds that are not met at once',
  },
  scenarios: [{}, { start: [{ process: 0 }] }],
  survives: {
    'no duplication':
      'an id is forwarded when it is the smallest so far, which it is once; who sleeps ignores the rest',
  },
  golden: {
    w6: { about: 'W6. Ids 1, 2, 3 in lock-step, all awake at 0.', scenario: w6 },
  },
});

describe('vitanyi, section 2', () => {
  test('W6: 3 wakeup, 3 sleepwell, and M_1 makes 3 passes', () => {
    const lines: string[] = [];
    const run = simulate(vitanyi, w6, { trace: (line) => lines.push(line) });
    expect(run.leader).toBe(1);
    expect(run.messages.byType).toMatchObject({ wakeup: 3, sleepwell: 3 });
    expect(lines.join('\n').match(/to \d M\(j=1\)/g)).toHaveLength(3);
  });

  test('2N + 3N u/m is not exceeded for thousands of clock assignments', () => {
    const random = new Random(1, 'clocks');
    for (let seed = 0; seed < 3000; seed += 1) {
      const n = 1 + random.below(12);
      const clocks = Array.from({ length: n }, () => 1 + random.below(1 + random.below(40)));
      const start = Array.from({ length: n }, (_, process) => ({ process, at: random.below(60) }));
      const latency = `uniform:0:${random.below(20)}`;
      const run = simulate(vitanyi, { n, clocks, latency, start: start.slice(0, 1 + random.below(n)), seed });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.messages.total).toBeLessThanOrEqual(run.bounds.atMost);
    }
  });

  test('synchronous: at most 5N', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const n = 1 + (seed % 20);
      const run = simulate(vitanyi, { n, latency: 'fixed:0', seed });
      expect(run.bounds.atMost).toBe(5 * n);
      expect(run.messages.total).toBeLessThanOrEqual(5 * n);
    }
  });

  test.each([4, 5, 6, 7, 8, 9, 10])(
    'section 3: the adversary reaches N(N+1)/2 election passes, N = %i',
    (n) => {
      const ids = Array.from({ length: n }, (_, i) => i + 1);
      const clocks = ids.map((i) => 2 ** (n - i + 1));
      const run = simulate(vitanyi, { ids, clocks, latency: 'fixed:0' });
      expect(run.messages.byType.M).toBe((n * (n + 1)) / 2);
    },
  );

  test('a ring of ten thousand with the smallest id 1 stays linear', () => {
    const run = simulate(vitanyi, { n: 10_000, latency: 'fixed:0', seed: 3 });
    expect(run.ok).toBe(true);
    expect(run.messages.total).toBeLessThanOrEqual(50_000);
  });
});
