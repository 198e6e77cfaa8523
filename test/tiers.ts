// Two tiers of tests. The quick one runs on a person's machine: everything that finds most mistakes. The full one adds seeds, large state
// spaces, engines and browser views. `scripts/test.js` chooses; vitest.config.ts lists the files that only the full tier has.
import { test } from 'vitest';

export const isQuick = process.env.BATON_TIER === 'quick' || process.env.BATON_TIER === 'named';

/** Returns how many seeds to run: all in the full tier, a tenth in the quick one. */
export const seedsOf = (all: number): number => (isQuick ? Math.ceil(all / 10) : all);

const suffix = ' (full tier: CI=true npm test)';

/** Declares a test that only the full tier runs. The quick tier reports it as skipped, with the reason in its name. */
export const thorough = (name: string, run: () => void | Promise<void>): void =>
  isQuick ? test.skip(name + suffix, run) : test(name, run);

/** Splits the cases of `test.each` by their number of states: the quick tier leaves out large state spaces. */
export const isLarge = (states: number): boolean => isQuick && states > 30_000;
