import type { Pid } from '../core/algorithm.ts';
import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { Setup } from '../sim/index.ts';
import type { StateFields } from './state-history.ts';

/** A run to be looked at, forwards and backwards. Positions count events: 0 is before the first. */
export interface Timeline {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>; // of its trace
  readonly events: readonly TraceEvent[]; // as many as are known so far
  readonly isOver: boolean; // there are no others
  readonly verdict: string | null; // of a run that is over: `ok`, or what is violated and why
  /** Makes so many events known; false if there are fewer. */
  advanceTo(position: number): boolean;
  stateAt(process: Pid, position: number): StateFields;
}

/** The trace of what is known of a run. */
export const traceOfTimeline = (timeline: Pick<Timeline, 'head' | 'events' | 'verdict'>): Trace =>
  traceOf(timeline.head, timeline.events, timeline.verdict ?? 'it goes on');
