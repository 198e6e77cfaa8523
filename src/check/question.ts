import type { BypassLimit } from '../problems/bypass.ts';
import type { Setup } from '../sim/scenario.ts';
import type { SharedSetup } from '../sim/shared-scenario.ts';

/** What a search of all interleavings is about, with everything decided. */
export interface Question {
  readonly setup: Setup;
  readonly together: boolean; // all who start do so before anything else
  readonly crashes: number; // at most so many processes crash,
  readonly losses: number; // so many messages are lost,
  readonly repeats: number; // and so many arrive once more than they should
  readonly capacity: number; // a timer waits while a channel it would send on holds so many messages
  readonly bypass: readonly BypassLimit[]; // the bounds to check
  readonly scrambled: boolean; // from every value of the variables, not from the initial ones
  readonly alike: boolean; // nothing tells one process of the ring from another, so worlds that are rotations of each other are one
}

/** The same of an algorithm on shared memory. */
export interface SharedQuestion {
  readonly setup: SharedSetup; // `entries` may be Infinity
  readonly together: boolean;
  readonly crashes: number; // so many times at most a process crashes
}

/** Time counts where delays or clocks are bounded; otherwise anything can be late, and a timer can end at any moment. */
export const isTimed = ({ algorithm }: Setup): boolean => algorithm.assumes.timing !== 'asynchronous';
