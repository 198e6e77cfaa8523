import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { conforms, type Options } from './conformance.ts';

export function conformsToElection(algorithm: AnyAlgorithm, options: Options): void {
  describe(algorithm.name, () => {
    conforms(algorithm, options);

    test('every set of initiators up to n = 6 elects one leader, and all processes know it', () => {
      for (let n = 1; n <= 6; n += 1) {
        for (let set = 1; set < 1 << n; set += 1) {
          for (let seed = 0; seed < 5; seed += 1) {
            const start = startOf(set, n);
            const run = simulate(algorithm, { n, start, seed });
            expect(run.violations, JSON.stringify({ n, start, seed })).toEqual([]);
            expect(run.leaders).toEqual(Array(n).fill(run.leader));
          }
        }
      }
    });

    test('late initiators find the same leader', () => {
      for (let seed = 0; seed < 200; seed += 1) {
        const start = [{ process: 0 }, { process: 1, at: seed % 40 }, { process: 3, at: 5 * (seed % 40) }];
        const run = simulate(algorithm, { n: 4, start, seed });
        expect(run.violations).toEqual([]);
        expect(run.leaders).toEqual(Array(4).fill(run.leader));
      }
    });

    test('without an initiator nothing happens', () => {
      const run = simulate(algorithm, { n: 3, start: [] });
      expect(run).toMatchObject({ ok: true, leader: null, messages: { total: 0 } });
    });
  });
}

function startOf(set: number, n: number): NonNullable<Scenario['start']> {
  return Array.from({ length: n }, (_, process) => ({ process })).filter(
    ({ process }) => set & (1 << process),
  );
}
