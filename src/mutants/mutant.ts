import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { AnySharedAlgorithm } from '../core/shared-algorithm.ts';

/** What is wrong on purpose, in one place. Somebody has to find it out. */
interface Lie {
  readonly of: string; // the algorithm it distorts
  readonly lie: string; // what it does instead, and where that was printed
}

export interface Mutant extends AnyAlgorithm, Lie {}
export interface SharedMutant extends AnySharedAlgorithm, Lie {}
