import type { Pid } from './algorithm.ts';

/**
 * A clock that gives the order of events, not their time. A host keeps one for each process, stamps events, and attaches the stamp to each
 * message. Algorithms do not see it.
 */
export interface LogicalClock<T> {
  readonly name: string;
  readonly paper: string;
  readonly initial: T; // the value of every clock before the first event
  /** Advances the clock C of process i at an event that receives nothing. */
  tick(C: T, i: Pid): T;
  /** Advances it at an event that receives a message with stamp t. */
  receive(C: T, t: T, i: Pid): T;
  isBefore(a: T, b: T): boolean;
  text(C: T): string; // without spaces, for a trace
}
