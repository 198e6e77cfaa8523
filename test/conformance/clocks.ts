import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { conforms, findFailure, type Options } from './conformance.ts';

interface ClocksOptions extends Options {
  /** A lie that the algorithm does not tolerate. */
  readonly lie: Scenario;
}

/** Random scenarios by seed: distant clocks that drift, asymmetric delays, overlapping corrections. */
export function unruly(algorithm: AnyAlgorithm, seed: number): Scenario {
  const random = new Random(seed, 'unruly');
  const one = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const n = 1 + random.below(7);
  const isComplete = algorithm.assumes.topology === 'complete' && n > 1;
  const [a, b] = random.shuffle(Array.from({ length: n }, (_, i) => i)) as [number, number];
  const slow = isComplete ? [{ between: [a, b] as const, ticks: random.below(60), oneWay: true }] : [];
  return {
    n,
    root: random.below(n),
    rounds: 1 + random.below(4),
    latency: one(['uniform:1:10', 'fixed:1', 'uniform:0:100', 'uniform:5:500']),
    slow: random.below(2) ? slow : [],
    drift: one([0, 10, 100, 5000, 100_000]),
    think: one(['fixed:0', 'uniform:0:1000', 'uniform:0:100000']),
    slew: one([500, 100_000, 500_000]),
    seed,
  };
}

export function conformsToClocks(algorithm: AnyAlgorithm, options: ClocksOptions): void {
  describe(algorithm.name, () => {
    conforms(algorithm, options);

    test('1000 seeds of drift, asymmetric delays and offsets: the promised error holds, and is nearly reached', () => {
      let nearest = 0;
      for (let seed = 0; seed < 1000; seed += 1) {
        const run = simulate(algorithm, unruly(algorithm, seed));
        expect(run.violations, `seed ${seed}`).toEqual([]);
        for (const { error, promised } of run.clocks!)
          if (promised !== null && promised > 0) nearest = Math.max(nearest, Math.abs(error) / promised);
      }
      expect(nearest).toBeGreaterThan(0.95);
      expect(nearest).toBeLessThanOrEqual(1);
    });

    test('without: clocks drift as little as assumed', () => {
      const fast = { drift: 10, drifts: [0, 90_000], think: 'fixed:100', rounds: 2, n: 2 };
      expect(findFailure(algorithm, [fast], 50)).not.toBeNull();
    });

    test('without: corrections are gradual, a clock runs backwards', () => {
      const failure = findFailure(algorithm, [{ slew: 'step' }], 50)!;
      const [violation] = simulate(algorithm, failure).violations;
      expect(violation!.property).toBe('no clock runs backwards');
    });

    test('without: trusted clocks are truthful', () => {
      expect(simulate(algorithm, { n: 4, ...options.lie }).ok).toBe(false);
    });
  });
}
