import type { Pid } from '../core/algorithm.ts';
import { markerKind } from './palette.ts';
import type { TracedMessage, TraceIndex } from './trace-index.ts';

/** The cut of a snapshot through a run, so far. */
export interface Cut {
  /** The event that recorded the state of each process, or -1. */
  readonly at: readonly number[];
  /** The messages sent before the cut and not received before it. */
  readonly inTransit: readonly TracedMessage[];
  /** The messages sent after the cut and received before it. If there are any, the cut is inconsistent. */
  readonly inconsistent: readonly TracedMessage[];
}

/**
 * Returns the cut of a snapshot; null if no process has recorded its state.
 * @param position the number of events to look at. Defaults to all.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { withSnapshots } from 'batonjs-lab/compositions';
 * import { snapshotCutAt, TraceIndex } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const { trace } = simulate(withSnapshots(raymond), { n: 3, seed: 1, events: true });
 * snapshotCutAt(TraceIndex.of(trace))?.inconsistent; // → []
 * snapshotCutAt(TraceIndex.of(trace), 0); // → null
 */
export function snapshotCutAt(traceIndex: TraceIndex, position = traceIndex.events.length): Cut | null {
  const at = traceIndex.recorded.map((event) => (event < position ? event : -1));
  const last = at.reduce((a, b) => Math.max(a, b), -1);
  if (last < 0) return null;
  const isBefore = (process: Pid, event: number) => at[process]! < 0 || event < at[process]!;
  const inTransit: TracedMessage[] = [];
  const inconsistent: TracedMessage[] = [];
  for (const message of traceIndex.messages.values()) {
    if (message.sent >= position) break;
    const { kind, from, to, sent, ended } = message;
    if (kind === markerKind) continue;
    const isIn = ended >= 0 && ended < position && isBefore(to, ended);
    if (isBefore(from, sent)) {
      if (!isIn && at[to]! >= 0) inTransit.push(message);
    } else if (isIn && !message.lost) inconsistent.push(message);
  }
  return { at, inTransit, inconsistent };
}

/**
 * Returns the line of a cut, from the first lane to the last: one segment for each group of adjacent processes that have recorded.
 * @example
 * import { cutSegments } from 'batonjs-lab/diagram';
 *
 * const at = [4, 7, -1, 5]; // process 2 has not recorded its state yet
 * cutSegments({ at, inTransit: [], inconsistent: [] }); // → [[0, 1], [3]]
 */
export function cutSegments({ at }: Cut): Pid[][] {
  const segments: Pid[][] = [];
  at.forEach((event, process) => {
    if (event < 0) return;
    if (process > 0 && at[process - 1]! >= 0) segments.at(-1)!.push(process);
    else segments.push([process]);
  });
  return segments;
}
