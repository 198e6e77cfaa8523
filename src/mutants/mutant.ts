import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { AnySharedAlgorithm } from '../core/shared-algorithm.ts';

/** A deliberate fault, in one place. The checks have to find it. */
interface Lie {
  readonly of: string; // the algorithm it distorts
  readonly lie: string; // the wrong behaviour, and where it was printed
}

export interface Mutant extends AnyAlgorithm, Lie {}
export interface SharedMutant extends AnySharedAlgorithm, Lie {}
