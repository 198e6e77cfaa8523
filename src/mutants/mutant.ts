import type { AnyAlgorithm } from '../core/algorithm.ts';

/** An algorithm that is wrong on purpose, in one place. Somebody has to find it out. */
export interface Mutant extends AnyAlgorithm {
  readonly of: string; // the algorithm it distorts
  readonly lie: string; // what it does instead, and where that was printed
}
