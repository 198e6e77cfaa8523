import type { Pid } from '../core/algorithm.ts';

export interface Violation {
  readonly property: string;
  readonly why: string; // one sentence about the moment it broke
}

/** Watches one run of one problem. The host reports; the monitor, not the algorithm, keeps who is where. */
export interface Monitor<Event> {
  called(process: Pid, call: string): void;
  /** A message reached it. Hosts need to say so only where processes may crash. */
  messageReceived(process: Pid): void;
  emitted(process: Pid, event: Event): Violation | null;
  crashed(process: Pid): void;
  restarted(process: Pid): void;
  /** Nothing is on its way any more and nobody will call again. */
  whenQuiescent(): Violation[];
}
