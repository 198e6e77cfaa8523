import type { Pid } from '../core/algorithm.ts';

/** A property that a run broke. */
export interface Violation {
  /** The name of the property, like `at most one inside`. */
  readonly property: string;
  /** One sentence about the moment it broke. */
  readonly why: string;
}

/** Checks the properties of a problem in one run. The host reports what happens; the monitor does not rely on the algorithm's state. */
export interface Monitor<Event> {
  called(process: Pid, call: string): void;
  /** A process received a message. Hosts need to report this only if processes may crash. */
  messageReceived(process: Pid): void;
  emitted(process: Pid, event: Event): Violation | null;
  crashed(process: Pid): void;
  restarted(process: Pid): void;
  /** The violations once no message is in flight and no call will follow. */
  whenQuiescent(): Violation[];
}
