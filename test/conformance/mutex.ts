import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { simulate } from '../../src/sim/index.ts';
import { conforms, type Options } from './conformance.ts';

export function conformsToMutex(algorithm: AnyAlgorithm, options: Options): void {
  describe(algorithm.name, () => {
    conforms(algorithm, options);

    test('every request enters: as many entries as were asked for', () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const n = 1 + (seed % 6);
        const heavy = { think: 'fixed:0', hold: 'uniform:0:20' };
        const run = simulate(algorithm, {
          n,
          entries: 5,
          seed,
          ...(seed % 2 ? heavy : { think: 'uniform:100:1000' }),
        });
        expect(run.violations).toEqual([]);
        expect(run.entries).toBe(5 * n);
      }
    });

    test('only who is told to asks', () => {
      const run = simulate(algorithm, { n: 5, start: [{ process: 3, at: 7 }], entries: 4, seed: 1 });
      expect(run.ok).toBe(true);
      expect(run.entries).toBe(4);
    });

    test.each([1, 2, 3, 5, 17, 100])(
      'counts per entry within the bounds, n = %i, light and heavy load',
      (n) => {
        for (const think of ['fixed:0', 'uniform:0:10', 'uniform:1000:100000']) {
          for (let seed = 0; seed < 5; seed += 1) {
            const run = simulate(algorithm, { n, entries: 3, think, seed });
            expect(run.violations).toEqual([]);
            expect(run.withinBounds).toBe(true);
          }
        }
      },
    );

    test('pauses and healed partitions only delay', () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const faults = [
          { type: 'pause', process: 0, at: 10, until: 60 },
          { type: 'partition', side: [0, 1], at: 30, until: 200 },
        ] as const;
        const run = simulate(algorithm, { n: 4, entries: 3, faults, seed });
        expect(run.violations).toEqual([]);
        expect(run.entries).toBe(12);
      }
    });
  });
}
