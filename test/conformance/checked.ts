// Checks small instances in every interleaving. The pinned number of states changes only with the algorithm or the checker.
import { describe, expect, test } from 'vitest';
import { type CheckOptions, check, type Space } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { whyTooLarge } from '../tiers.ts';
import { rings } from './conformance.ts';

export function holdsEverywhere(
  algorithm: AnyAlgorithm,
  spaces: readonly (readonly [space: Space, options: CheckOptions, states: number])[],
): void {
  describe(`${algorithm.name}, every interleaving`, () => {
    test.for(spaces)('%j, %j: %i states', ([space, options, states], { skip }) => {
      const why = whyTooLarge(states);
      if (why !== null) skip(why);
      const { ok, complete, sometimes, violation, ...report } = check(algorithm, space, {
        lemmas: false,
        ...options,
      });
      expect({ violation, ok, complete }).toEqual({ violation: null, ok: true, complete: true });
      expect(report.states).toBe(states);
      expect(sometimes.every(({ seen }) => seen)).toBe(true);
    });
  });
}

/** Checks every arrangement of the ids: with invariants and bounds, or, for larger n, only the properties of the problem. The options give the total of states by n. */
export function holdsForAllIds(
  algorithm: AnyAlgorithm,
  { inFull = {}, searched = {} }: { inFull?: Record<number, number>; searched?: Record<number, number> },
): void {
  const arrangements = algorithm.assumes.topology.includes('ring') ? rings : permutations;
  const total = (n: number, options: CheckOptions) => {
    let states = 0;
    for (const ids of arrangements(n)) {
      const report = check(algorithm, { ids }, options);
      expect(report, ids.join()).toMatchObject({ violation: null, ok: true, complete: true });
      states += report.states;
    }
    return states;
  };
  describe(`${algorithm.name}, every interleaving, every arrangement, every set of initiators`, () => {
    test.for(Object.entries(inFull))('n = %i, with lemmas and bounds: %i states', ([n, states], { skip }) => {
      const why = whyTooLarge(states);
      if (why !== null) skip(why);
      expect(total(Number(n), { lemmas: true, bounds: true })).toBe(states);
    });
    test.for(Object.entries(searched))('n = %i: %i states', ([n, states], { skip }) => {
      const why = whyTooLarge(states);
      if (why !== null) skip(why);
      expect(total(Number(n), { lemmas: false })).toBe(states);
    });
  });
}

function* permutations(n: number): Iterable<number[]> {
  for (const ring of rings(n)) {
    for (let start = 0; start < n; start += 1) yield [...ring.slice(start), ...ring.slice(0, start)];
  }
}
