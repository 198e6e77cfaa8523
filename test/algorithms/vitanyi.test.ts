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
    worst: 'it adds up the longest life of every message, which they cannot all have',
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

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, k) => from + k);

describe('vitanyi, section 2', () => {
  test('W6: 3 wakeup, 3 sleepwell, and M_1 makes 3 passes', () => {
    const lines: string[] = [];
    const run = simulate(vitanyi, w6, { trace: (line) => lines.push(line) });
    expect(run.leader).toBe(1);
    expect(run.messages.byType).toMatchObject({ wakeup: 3, sleepwell: 3 });
    expect(lines.join('\n').match(/to \d M\(j=1\)/g)).toHaveLength(3);
  });

  const random = new Random(1, 'clocks');
  const drawn = () => {
    const n = 1 + random.below(12);
    const clocks = Array.from({ length: n }, () => 1 + random.below(1 + random.below(40)));
    const start = Array.from({ length: n }, (_, process) => ({ process, at: random.below(60) }));
    return {
      n,
      clocks,
      latency: `uniform:0:${random.below(20)}`,
      start: start.slice(0, 1 + random.below(n)),
    };
  };

  test('the corrected bound holds for thousands of clock assignments, and so does the printed 2N + 3N u/m', () => {
    for (let seed = 0; seed < 3000; seed += 1) {
      const scenario = drawn();
      const run = simulate(vitanyi, { ...scenario, seed });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      const u = Math.max(...scenario.clocks) + Number(scenario.latency.split(':')[2]);
      const printed = scenario.n * (2 + (3 * u) / Math.min(...scenario.clocks));
      expect(run.messages.total).toBeLessThanOrEqual(printed);
    }
  });

  // Id i stands where M_1, coming round, just lets it make all the passes it can.
  const adversary = (n: number): number[] => {
    const ids = Array<number>(n).fill(0);
    ids[0] = 1;
    for (let i = 2; i < 30; i += 1) {
      const place = Math.ceil(n * (1 - 3 / (2 ** i + 1)));
      if (place < n && ids[place] === 0) ids[place] = i;
    }
    let large = 40;
    return ids.map((id) => (id === 0 ? large++ : id));
  };

  test('the printed 3N u/m, and 5N in lock-step, are exceeded: 136 election messages on a ring of 45', () => {
    const small = [1, ...range(28, 44), 2, ...range(45, 56), 3, ...range(57, 62), 4, 63, 64, 5, 65, 6, 7];
    const run = simulate(vitanyi, { ids: small, latency: 'fixed:0' });
    expect(run).toMatchObject({ n: 45, ok: true, leader: 1 });
    expect(run.messages.byType.M).toBe(136);
    for (const n of [100, 1000, 5000]) {
      const large = simulate(vitanyi, { ids: adversary(n), latency: 'fixed:0' });
      expect(large.violations).toEqual([]);
      expect(large.messages.byType.M).toBeGreaterThan(3 * n);
    }
  });

  test('synchronous: at most 5.5N + 1.5', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const n = 1 + (seed % 20);
      const run = simulate(vitanyi, { n, latency: 'fixed:0', seed });
      expect(run.bounds.atMost).toBe(5.5 * n + 1.5);
      expect(run.violations).toEqual([]);
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
    expect(run.messages.total).toBeLessThanOrEqual(60_000);
  });
});
