import type { Pid } from '../core/algorithm.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { TraceEvent } from '../core/trace.ts';

/** What to observe and check during a run. None of these options changes the run. */
export interface WatchOptions {
  readonly trace?: (line: string) => void;
  readonly record?: (event: TraceEvent) => void;
  readonly stamps?: LogicalClock<unknown>; // stamp recorded events with this clock
  readonly freeze?: boolean; // freeze every message as it is sent
  readonly invariants?: boolean; // check the algorithm's invariants after every event
  readonly observe?: (process: Pid, state: object) => void; // after every event with a handler, once it is recorded
}
