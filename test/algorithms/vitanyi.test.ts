import { describe, expect, test } from 'vitest';
import { archimedean, vitanyi } from '../../src/algorithms/index.ts';
import { Random } from '../../src/core/random.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { findFailure, rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

const w6 = { ids: [1, 2, 3], latency: 'fixed:0' };
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, k) => from + k);

/** Section 3: ids ascend along the ring and clocks get faster, so no message overtakes another. */
const square = (n: number): Scenario => ({
  ids: range(1, n),
  clocks: range(1, n).map((i) => 2 ** (n - i + 1)),
  latency: 'fixed:0',
});
const slowGrowth: Scenario = { ids: range(1, 9), latency: 'fixed:0' };
/** Each small id is placed so that it makes as many passes as possible before M_1 arrives. */
const ring45: Scenario = {
  ids: [1, ...range(28, 44), 2, ...range(45, 56), 3, ...range(57, 62), 4, 63, 64, 5, 65, 6, 7],
  latency: 'fixed:0',
};
const longWay: Scenario = { ids: range(1, 10), latency: 'fixed:2000' };

conformsToElection(vitanyi, {
  hash: 'a85663449a0b88c9',
  reaches: {
    best: { ids: [1, 2, 3], clocks: [1, 10, 1000], latency: 'fixed:1', start: [{ process: 0 }] },
    worst: square(4),
  },
  scenarios: [{}, { start: [{ process: 0 }] }],
  survives: {
    'no duplication':
      'a process forwards an id only when it is the smallest so far, which happens once; a sleeping process ignores the rest',
  },
  foundOut: {
    'vitanyi-as-printed': (one) => !simulate(one, ring45).ok,
    'vitanyi-names-anybody': (one) => findFailure(one, [{ duplication: 0.3 }], 300) !== null,
    'vitanyi-scaled': (one) => !simulate(one, square(6)).ok,
    'vitanyi-slow-growth': (one) => !simulate(one, slowGrowth).ok,
  },
  golden: {
    w6: { about: 'W6. Ids 1, 2, 3 in lock-step, all awake at 0.', scenario: w6 },
    'er-26': {
      about:
        'ER-26. A ring of 45 in lock-step: 90 + 136 messages, where 2N + 3N u/m = 225 is printed. Ids 2 to 7 stand where they make all\nthe passes they can before M_1 comes, and each of the others makes one.',
      scenario: ring45,
      of: 'vitanyi-as-printed',
    },
    'er-27': {
      about:
        'ER-27. f scaled by u/m = 32 takes 32 times as long, and the square case stays square: 12 + 21 messages > 5N = 30.',
      scenario: square(6),
      of: 'vitanyi-scaled',
    },
    'er-28': {
      about:
        'ER-28. Equal clocks, and hops that take longer than any message waits: 20 + 55 messages, where less than\n7N = 70 is printed. The bound with u/m holds: u has the delay in it.',
      scenario: longWay,
    },
    'er-29': {
      about:
        'ER-29. f(i) = 2^9+i is at least 2^i for ids up to 9, but all ids travel at nearly the same speed: 18 + 29\nmessages > 5N = 45.',
      scenario: slowGrowth,
      of: 'vitanyi-slow-growth',
    },
    'er-32': {
      about:
        'ER-32. As printed, M_j is ours if j = k: a copy of the smallest id yet is taken for ours come home.',
      scenario: { n: 3, duplication: 0.3, seed: 1 },
      of: 'vitanyi-names-anybody',
    },
    'er-33': {
      about:
        'ER-33. The example whose end is lost: ids ascend, clocks get faster, nobody is overtaken: N(N+1)/2 = 10 passes.',
      scenario: square(4),
    },
  },
});

everyStartElects(vitanyi);

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
    const l = 1 + random.below(5);
    const ids = [...random.permutation(n)].map((i) => l - 1 + i);
    const clocks = Array.from({ length: n }, () => 1 + random.below(1 + random.below(40)));
    const start = Array.from({ length: n }, (_, process) => ({ process, at: random.below(60) }));
    return {
      n,
      l,
      ids,
      clocks,
      latency: `uniform:0:${random.below(20)}`,
      start: start.slice(0, 1 + random.below(n)),
    };
  };

  test('the corrected bound holds for thousands of clock assignments, and so does the printed 2N + 3N u/m', () => {
    for (let seed = 0; seed < 3000; seed += 1) {
      const { l, ...scenario } = drawn();
      const run = simulate(vitanyi, { ...scenario, seed });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      const u = Math.max(...scenario.clocks) + Number(scenario.latency.split(':')[2]);
      const printed = scenario.n * (2 + (3 * u) / Math.min(...scenario.clocks));
      expect(run.messages.total).toBeLessThanOrEqual(printed);
      const first = Math.min(...scenario.start.map(({ at }) => at));
      expect(run.time - first, 'Nu(2^l + 2)').toBeLessThanOrEqual(scenario.n * u * (2 ** l + 2));
    }
  });

  test('ER-26: formula (2) omits that each M_i makes one pass: 39 messages, where it gives 30.63', () => {
    const ids = [4, ...range(20, 28)];
    const printed = 20 + 10 * (2 ** 4 + 1) * ids.reduce((sum, i) => sum + 1 / 2 ** i, 0);
    expect(printed).toBeCloseTo(30.63, 2);
    expect(simulate(vitanyi, { ids, latency: 'fixed:0' }).messages.total).toBe(39);
  });

  test('ER-32: in lock-step M_l returns after (N-1)(f(l)+1) units: more than N f(l) u from N = 4 on', () => {
    for (let n = 2; n <= 30; n += 1) {
      const times: number[] = [];
      const trace = (line: string) => {
        if (/M\(j=1\)/.test(line)) times.push(Number(line.split(' ')[0]));
      };
      simulate(vitanyi, { n, latency: 'fixed:0', seed: n }, { trace });
      expect(times.at(-1)! - times[0]!).toBe(3 * (n - 1));
    }
  });

  test('ER-32: in the queue of a slow process M_l waits for five of its units, not f(l)+1 = 3', () => {
    const lines: string[] = [];
    const scenario = { ids: [1, 2, 3, 9], clocks: [1, 1, 1, 1000], latency: 'fixed:0' };
    expect(simulate(vitanyi, scenario, { trace: (line) => lines.push(line) }).ok).toBe(true);
    const at = (part: string) => Number(lines.find((line) => line.includes(part))!.split(' ')[0]);
    expect(at('to 3 M(j=1)')).toBeLessThan(1000);
    expect(at('to 0 M(j=1)')).toBe(5000);
  });

  // Places id i so that it makes as many passes as possible before M_1 arrives.
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

  test('136 election messages on a ring of 45 exceed the printed 3N u/m, and 5N in lock-step', () => {
    const run = simulate(vitanyi, ring45);
    expect(run).toMatchObject({ n: 45, ok: true, leader: 1 });
    expect(run.messages.byType.M).toBe(136);
    for (const n of [100, 1000, 5000]) {
      const large = simulate(vitanyi, { ids: adversary(n), latency: 'fixed:0' });
      expect(large.violations).toEqual([]);
      expect(large.messages.byType.M).toBeGreaterThan(3 * n);
    }
  });

  test('synchronous: at most 5.5N + 1.5, and on small rings 2N + N(N+1)/2', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const n = 1 + (seed % 20);
      const run = simulate(vitanyi, { n, latency: 'fixed:0', seed });
      expect(run.bounds.atMost).toBe(Math.min(5.5 * n + 1.5, 2 * n + (n * (n + 1)) / 2));
      expect(run.violations).toEqual([]);
    }
  });

  test.each([4, 5, 6, 7, 8, 9, 10])(
    'section 3: the adversary reaches N(N+1)/2 election passes, N = %i',
    (n) => {
      expect(simulate(vitanyi, square(n)).messages.byType.M).toBe((n * (n + 1)) / 2);
    },
  );

  test.each([
    [6, 33],
    [10, 75],
  ])('ER-27: f(i) = (u/m) 2^i changes only the time: N = %i, %i messages', (n, messages) => {
    const ratio = 2 ** (n - 1);
    const run = simulate(
      archimedean('scaled', (_i, j) => ratio * 2 ** j, []),
      square(n),
    );
    expect(run.messages.total).toBe(messages);
    expect(messages).toBeGreaterThan(5 * n);
  });

  test('ER-27: a function that grows faster helps: f(i) = (2u/m)^i gives at most 5.5N in a thousand clock assignments', () => {
    const remedied = ({ ids, clocks, ...rest }: Scenario, delay: number) => {
      const base = Math.ceil((2 * (Math.max(...clocks!) + delay)) / Math.min(...clocks!));
      const f = (_i: number, j: number) => Math.min(base ** j, 1e9); // slow enough to be overtaken
      const run = simulate(archimedean('remedied', f, []), { ids: ids!, clocks: clocks!, ...rest });
      expect(run.violations).toEqual([]);
      expect(run.messages.total).toBeLessThanOrEqual(5.5 * ids!.length);
      return run.messages.total;
    };
    expect([4, 6, 8, 10].map((n) => remedied(square(n), 0))).toEqual([15, 23, 31, 39]); // 4N-1, not quadratic
    for (let seed = 0; seed < 1000; seed += 1) {
      const { l: _, ids, ...scenario } = drawn();
      const smallest = Math.min(...ids);
      const low = ids.map((id) => id - smallest + 1);
      remedied({ ...scenario, ids: low, seed }, Number(scenario.latency.split(':')[2]));
    }
  });

  test('ER-28: if propagation dominates, 2N + N(N+1)/2 messages, more than 7N', () => {
    for (const n of [10, 12]) {
      const run = simulate(vitanyi, { ids: range(1, n), latency: 'fixed:100000' });
      expect(run.messages.total).toBe(2 * n + (n * (n + 1)) / 2);
      expect(run.messages.total).toBeGreaterThan(7 * n);
    }
  });

  test('a ring of ten thousand with smallest id 1 takes linearly many messages', () => {
    const run = simulate(vitanyi, { n: 10_000, latency: 'fixed:0', seed: 3 });
    expect(run.ok).toBe(true);
    expect(run.messages.total).toBeLessThanOrEqual(60_000);
  });
});

describe('vitanyi, section 2, synchronous case: bounded queues', () => {
  const lemma = 'a queue holds at most one message';
  const queued = archimedean('queued', (_i, j) => 2 ** j, []);
  const watched: typeof queued = {
    ...queued,
    invariants: { [lemma]: ({ states }) => states.every(({ queue }) => queue.length <= 1) },
  };
  const run = (scenario: Scenario) => simulate(watched, scenario, { invariants: true });

  test.each(['fixed:0', 'fixed:1'])(
    'in lock-step, %s: every ring up to n = 4, any start times',
    (latency) => {
      for (let n = 1; n <= 4; n += 1) {
        for (const ids of rings(n)) {
          const times = 5; // 0 .. 3, or never
          for (let code = 1; code < times ** n; code += 1) {
            const start = ids
              .map((_, process) => ({ process, at: (Math.floor(code / times ** process) % times) - 1 }))
              .filter(({ at }) => at >= 0);
            const { violations } = run({ ids, latency, start });
            if (violations.length > 0) expect(violations, JSON.stringify({ ids, start })).toEqual([]);
          }
        }
      }
    },
  );

  test('in lock-step: rings of 40', () => {
    for (let seed = 0; seed < 30; seed += 1)
      expect(run({ n: 40, latency: 'fixed:0', clocks: Array(40).fill(1 + (seed % 3)), seed }).ok).toBe(true);
  });

  test.each([
    ['clocks that differ', { ids: [1, 2, 3, 9], clocks: [1, 1, 1, 1000], latency: 'fixed:0' }],
    ['delays that differ', { n: 5, latency: 'uniform:0:9' }],
  ])('%s break it', (_, scenario) => {
    expect(run(scenario).violations[0]?.property).toContain(lemma);
  });
});

describe('vitanyi, other functions f', () => {
  const withF = (f: (j: number) => number) => archimedean('with-f', (_i, j) => f(j), []);
  const fast = [(j: number) => 3 ** j, (j: number) => 2 ** j + j];

  test('the smallest id wins with any f', () => {
    for (const f of [...fast, (j: number) => j, () => 7, () => 0, (j: number) => 100 - j]) {
      for (let seed = 0; seed < 100; seed += 1) {
        const run = simulate(withF(f), { n: 1 + (seed % 9), seed });
        expect(run).toMatchObject({ ok: true, leader: 1 });
      }
    }
  });

  test('ER-29: in lock-step 5.5N + 1.5 if f at least doubles, and N^2/4 + 3N if it grows slowly', () => {
    for (const n of [9, 20, 40]) {
      const ids = range(1, n);
      const count = (f: (j: number) => number) =>
        simulate(withF(f), { ids, latency: 'fixed:0' }).messages.total;
      for (const f of fast) expect(count(f)).toBeLessThanOrEqual(5.5 * n + 1.5);
      expect(count((j) => 2 ** n + j)).toBe(Math.floor(n ** 2 / 4) + 3 * n);
    }
  });

  test('f(i) = i^2 is worse than 2^i, unless the smallest id is small: 496 messages on a ring of 40', () => {
    const count = (l: number) =>
      simulate(
        withF((j) => j * j),
        { ids: range(l, l + 39), latency: 'fixed:0' },
      ).messages.total;
    expect([count(1), count(100)]).toEqual([159, 496]);
    expect(simulate(vitanyi, { ids: range(20, 59), latency: 'fixed:0' }).messages.total).toBeLessThan(200);
  });
});

holdsForAllIds(vitanyi, { inFull: { 2: 447, 3: 17_060 } });
