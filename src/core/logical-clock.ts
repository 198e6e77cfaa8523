import type { Pid } from './algorithm.ts';

/**
 * A clock that gives the order of events, not their time. A host keeps one for each process, stamps events, and attaches the stamp to each
 * message. Algorithms do not see it.
 */
export interface LogicalClock<T> {
  /** Its name, as a scenario gives it. */
  readonly name: string;
  /** Its paper. */
  readonly paper: string;
  /** The value of every clock before the first event. */
  readonly initial: T;
  /** Advances the clock C of process i at an event that receives nothing. */
  tick(C: T, i: Pid): T;
  /** Advances it at an event that receives a message with stamp t. */
  receive(C: T, t: T, i: Pid): T;
  /** Combines two stamps without an event, for steps that read values of several processes. Defaults to `receive`, an event for each value. */
  merge?(C: T, t: T): T;
  /** Returns true if stamp a is before stamp b. */
  isBefore(a: T, b: T): boolean;
  /** Returns a stamp as text without spaces, for a trace. */
  text(C: T): string;
}
