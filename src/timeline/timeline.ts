import type { Pid } from '../core/algorithm.ts';
import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { Setup } from '../sim/index.ts';
import type { StateFields } from './state-history.ts';

/** A run that can be viewed forwards and backwards. Positions count events: 0 is before the first. */
export interface Timeline {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>; // of its trace
  readonly events: readonly TraceEvent[]; // those known so far
  readonly isOver: boolean; // no further events follow
  readonly verdict: string | null; // null until the run is over; then `ok`, or the violation and its cause
  /** Makes the first `position` events known. Returns false if the run has fewer. */
  advanceTo(position: number): boolean;
  stateAt(process: Pid, position: number): StateFields;
}

/** The trace of the events known so far. */
export const traceOfTimeline = (timeline: Pick<Timeline, 'head' | 'events' | 'verdict'>): Trace =>
  traceOf(timeline.head, timeline.events, timeline.verdict ?? 'it goes on');
