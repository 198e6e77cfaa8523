import { describe, expect, test } from 'vitest';
import { bully } from '../../src/algorithms/election/bully.ts';
import { check } from '../../src/check/index.ts';
import { Random } from '../../src/core/random.ts';
import type { Fault } from '../../src/sim/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';

const crash = (process: number, at = 0): Fault => ({ type: 'crash', process, at });
const w4 = { n: 8, faults: [crash(7)], start: [{ process: 4, at: 1 }] };

conformsToElection(bully, {
  hash: '728ddaefb1e82752',
  reaches: {
    best: { n: 5, faults: [crash(4)], start: [{ process: 3 }] },
    worst: { n: 5, faults: [crash(4)], start: [{ process: 0 }] },
  },
  survives: {
    'no duplication': 'a process that receives a message twice sends the same again; only the count grows',
  },
  golden: {
    w4: {
      about: 'W4. 0 .. 7, and 7 is dead. 4 holds an election; 6 wins: 6 + 3 + 6 messages.',
      scenario: w4,
    },
    'er-01': {
      about: 'ER-01. Only superiors are answered: 0 elects itself although 1 lives.',
      scenario: { n: 2, start: [{ process: 0 }] },
      of: 'bully-answers-superiors',
    },
  },
});

describe('bully', () => {
  test('W4: 15 messages, 6 wins, whatever the delays', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const run = simulate(bully, { ...w4, seed });
      expect(run).toMatchObject({ ok: true, leader: 6 });
      expect(run.messages.byType).toEqual({ election: 6, answer: 3, coordinator: 6 });
    }
  });

  test.each([2, 3, 5, 8, 20])(
    'with only the coordinator dead, n = %i: n^2-n-1 if the lowest starts, n-1 if the second highest',
    (n) => {
      for (let seed = 0; seed < 50; seed += 1) {
        const faults = [crash(n - 1)];
        expect(simulate(bully, { n, faults, start: [{ process: 0 }], seed }).messages.total).toBe(
          n * n - n - 1,
        );
        expect(simulate(bully, { n, faults, start: [{ process: n - 2 }], seed }).messages.total).toBe(n - 1);
      }
    },
  );

  test('after crashes before and during the election the highest survivor leads, or the leader has crashed', () => {
    const random = new Random(1, 'crashes');
    let diedInOffice = 0;
    for (let seed = 0; seed < 5000; seed += 1) {
      const n = 3 + random.below(5);
      const faults = [crash(n - 1, 0), crash(random.below(n - 1), random.below(150))];
      const clocks = Array.from({ length: n }, () => 1 + random.below(4));
      const start = [{ process: random.below(n - 1), at: 1 }];
      const run = simulate(bully, { n, faults, clocks, start, seed, limit: 50_000 });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      const followers = run.leaders.flatMap((leader, i) => (leader === null ? [] : [i]));
      if (followers.length === 0) continue; // the only process that knew of the election crashed
      if (run.leader === Math.max(...followers)) continue;
      expect(faults.some((fault) => fault.type === 'crash' && fault.process === run.leader)).toBe(true);
      diedInOffice += 1;
    }
    expect(diedInOffice).toBeGreaterThan(0);
  });

  test('a restarted process takes over from a lower coordinator, also when their announcements cross', () => {
    for (let seed = 0; seed < 6000; seed += 1) {
      const n = 3 + (seed % 3);
      const faults: Fault[] = [
        crash(n - 1, 0),
        { type: 'restart', process: n - 1, at: 2 + ((seed * 7) % 60) },
      ];
      const run = simulate(bully, { n, faults, start: [{ process: 1, at: 1 }], seed, limit: 50_000 });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.leader).toBe(n - 1);
    }
  });

  test('a start during an election changes nothing', () => {
    const start = [
      { process: 0, at: 0 },
      { process: 1, at: 6 },
    ];
    const run = simulate(bully, { n: 3, latency: 'fixed:1', faults: [crash(2, 3)], start });
    expect(run).toMatchObject({ ok: true, leader: 1 });
    expect(run.messages.byType.coordinator).toBe(1);
  });

  test('clocks may tick at different rates', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const clocks = [1 + (seed % 7), 1, 3, 9, 2];
      const run = simulate(bully, {
        n: 5,
        clocks,
        faults: [crash(4)],
        start: [{ process: 0 }],
        seed,
        limit: 50_000,
      });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.messages.total).toBe(19);
    }
  });
});

describe('bully, every interleaving', () => {
  test.each([
    ['uniform:0:1', 1, 105_114],
    ['uniform:0:1', 2, 106_880],
    ['fixed:1', 2, 16_888],
  ])('with crashes: latency %s, up to %i', (latency, crashes, states) => {
    expect(check(bully, { n: 3, latency }, { crashes })).toMatchObject({ ok: true, complete: true, states });
  });
});

holdsEverywhere(bully, [
  [{ n: 2 }, { bounds: true }, 335],
  [{ n: 3 }, { bounds: true }, 81_966],
]);
