import { type VectorTime, vectorClock } from '../algorithms/clocks/vector-clock.ts';
import { timestampsOf } from '../causality/timestamps.ts';
import type { Trace } from '../core/trace.ts';

/** Vector time of each event of a trace: entry k counts the events of process k in its past, itself included. */
export const vectorClocks = (trace: Trace): VectorTime[] => timestampsOf(trace, vectorClock);
