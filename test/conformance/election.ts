import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { stableFor } from '../../src/problems/leader-stability.ts';
import { type Run, type Scenario, simulate } from '../../src/sim/index.ts';
import { conforms, type Options } from './conformance.ts';

export function conformsToElection(algorithm: AnyAlgorithm, options: Options): void {
  describe(algorithm.name, () => {
    conforms(algorithm, options);
    describeInitiators(algorithm);

    test('without an initiator nothing happens', () => {
      const run = simulate(algorithm, { n: 3, start: [] });
      expect(run).toMatchObject({ ok: true, leader: null, messages: { total: 0 } });
    });
  });
}

/** An election that begins by itself and never ends: a start is allowed, and not needed. */
export function conformsToPerpetualElection(algorithm: AnyAlgorithm, options: Options): void {
  describe(algorithm.name, () => {
    conforms(algorithm, options);
    describeInitiators(algorithm);

    test('without an initiator one process leads, and it stays', () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const run = simulate(algorithm, { n: 1 + (seed % 6), latency: 'uniform:1:10', seed });
        expectLed(run);
        const longestDelay = 11; // ticks, one of them for handling
        expect(run.time - run.stableSince!).toBeGreaterThan((stableFor - 4) * longestDelay); // the last event may be a heartbeat earlier
      }
    });

    test('if the leader crashes, another one leads', () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const { leader, time } = simulate(algorithm, { n: 3, seed });
        const faults = [{ type: 'crash', process: leader!, at: time } as const];
        const after = simulate(algorithm, { n: 3, seed, faults });
        expect(after.violations).toEqual([]);
        expect(after.leader).not.toBe(leader);
        expect(after.stableSince).toBeGreaterThan(time);
      }
    });
  });
}

function describeInitiators(algorithm: AnyAlgorithm): void {
  test('every set of initiators up to n = 6 elects one leader, and all processes know it', () => {
    for (let n = 1; n <= 6; n += 1) {
      for (let set = 1; set < 1 << n; set += 1) {
        for (let seed = 0; seed < 5; seed += 1) {
          const start = startOf(set, n);
          expectLed(simulate(algorithm, { n, start, seed }), JSON.stringify({ n, start, seed }));
        }
      }
    }
  });

  test('late initiators find the same leader', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const start = [{ process: 0 }, { process: 1, at: seed % 40 }, { process: 3, at: 5 * (seed % 40) }];
      expectLed(simulate(algorithm, { n: 4, start, seed }));
    }
  });
}

function expectLed(run: Run, about?: string): void {
  expect(run.violations, about).toEqual([]);
  expect(run.leaders).toEqual(Array(run.n).fill(run.leader));
}

function startOf(set: number, n: number): NonNullable<Scenario['start']> {
  return Array.from({ length: n }, (_, process) => ({ process })).filter(
    ({ process }) => set & (1 << process),
  );
}
