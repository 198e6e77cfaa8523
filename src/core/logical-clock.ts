import type { Pid } from './algorithm.ts';

/**
 * A clock that tells the order of events, not their time. A host keeps one for each process, has every message carry what its sender's
 * clock shows, and stamps events; algorithms know nothing of it.
 */
export interface LogicalClock<T> {
  readonly name: string;
  readonly paper: string;
  readonly initial: T; // what every clock shows before the first event
  /** The clock C of process i, at an event that receives nothing. */
  tick(C: T, i: Pid): T;
  /** At an event that receives what was sent at t. */
  receive(C: T, t: T, i: Pid): T;
  isBefore(a: T, b: T): boolean;
  text(C: T): string; // without blanks, for a line of a trace
}
