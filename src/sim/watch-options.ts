import type { Pid } from '../core/algorithm.ts';
import { optionNames } from '../core/did-you-mean.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { TraceEvent } from '../core/trace.ts';

/** What to observe and check during a run. None of these options changes the run. */
export interface WatchOptions {
  /** Receives the trace, line by line. Defaults to no trace. */
  readonly trace?: (line: string) => void;
  /** Receives every event. Defaults to nothing. */
  readonly record?: (event: TraceEvent) => void;
  /** The logical clock that stamps recorded events. Defaults to none. */
  readonly stamps?: LogicalClock<unknown>;
  /** Whether to freeze every message as it is sent, so that a handler that changes one fails. Defaults to false. */
  readonly freeze?: boolean;
  /** Whether to check the algorithm's invariants after every event. Defaults to false. */
  readonly invariants?: boolean;
  /** Whether to measure times, chains, sizes and load. Defaults to true. */
  readonly measures?: boolean;
  /** Receives the state of a process after every event with a handler, once it is recorded. Do not change it. Defaults to nothing. */
  readonly observe?: (process: Pid, state: object) => void;
}

export const watchOptions = optionNames<WatchOptions>({
  trace: true,
  record: true,
  stamps: true,
  freeze: true,
  invariants: true,
  measures: true,
  observe: true,
});
