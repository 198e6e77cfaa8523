import type { Pid } from '../core/algorithm.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { TraceEvent } from '../core/trace.ts';

/** How closely to look. None of it changes the run. */
export interface WatchOptions {
  readonly trace?: (line: string) => void;
  readonly record?: (event: TraceEvent) => void; // what the trace has a line for
  readonly stamps?: LogicalClock<unknown>; // what is recorded has its stamps
  readonly freeze?: boolean; // freeze every message as it is sent
  readonly invariants?: boolean; // evaluate the algorithm's own lemmas after every event
  readonly observe?: (process: Pid, state: object) => void; // after every event that has a handler, once it is recorded
}
