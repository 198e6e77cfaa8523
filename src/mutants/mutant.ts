import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { AnySharedAlgorithm } from '../core/shared-algorithm.ts';

/** A deliberate fault, in one place. The checks have to find it. */
interface Lie {
  /** The name of the algorithm it distorts. */
  readonly of: string;
  /** The wrong behaviour, and where it was printed. */
  readonly lie: string;
  /**
   * The scenario of a run that breaks a promise, as options of `baton simulate`; null if no run breaks one.
   * Defaults to the scenario with which the lab opens the algorithm.
   */
  readonly failingRun?: Readonly<Record<string, string>> | null;
}

/** An algorithm with one deliberate fault, which the checks have to find. */
export interface Mutant extends AnyAlgorithm, Lie {}
/** The same, on shared memory. */
export interface SharedMutant extends AnySharedAlgorithm, Lie {}
