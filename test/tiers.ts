// Three tiers of tests. `quick` runs on a person's machine: everything that finds most mistakes. `full` adds seeds, large state spaces,
// engines and browser views. `verify` adds tests that take many minutes, Firefox for every view, and other versions of TypeScript.
// `scripts/test.js` and `scripts/verify.js` choose; vitest.config.ts lists the files that the quick tier leaves out.
import { test } from 'vitest';

export const isQuick = process.env.BATON_TIER === 'quick' || process.env.BATON_TIER === 'named';
export const isVerify = process.env.BATON_TIER === 'verify';

/** Returns how many seeds to run: a tenth in the quick tier, ten times as many in the verify tier. */
export const seedsOf = (all: number): number => (isQuick ? Math.ceil(all / 10) : isVerify ? 10 * all : all);

const skipped = (name: string, tier: string, run: () => void | Promise<void>): void =>
  test.skip(`${name} (${tier})`, run);

/** Declares a test that the quick tier leaves out. It is reported as skipped, with the reason in its name. */
export const thorough = (name: string, run: () => void | Promise<void>): void =>
  isQuick ? skipped(name, 'full tier: CI=true npm test', run) : test(name, run);

/** Declares a test that only the verify tier runs. The others report it as skipped, with the reason in its name. */
export const long = (name: string, run: () => void | Promise<void>): void =>
  isVerify ? test(name, run) : skipped(name, 'verify tier: npm run verify', run);

/** Returns why this tier leaves out a search of this many states; null if it does not. */
export function whyTooLarge(states: number): string | null {
  if (isVerify || states <= 30_000) return null;
  if (states > 150_000) return 'a large state space: npm run verify';
  return isQuick ? 'a large state space: CI=true npm test' : null;
}
