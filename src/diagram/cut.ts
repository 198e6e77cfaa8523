import type { Pid } from '../core/algorithm.ts';
import { markerKind } from './palette.ts';
import type { TracedMessage, TraceIndex } from './trace-index.ts';

/** The cut of a snapshot through a run, so far. */
export interface Cut {
  readonly at: readonly number[]; // by process: the event that recorded its state, or -1
  readonly inTransit: readonly TracedMessage[]; // sent before the cut, not received before it
  readonly inconsistent: readonly TracedMessage[]; // sent after the cut and received before it: such a cut is inconsistent
}

/** The cut at a position; null if no process has recorded its state. */
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

/** The line of a cut, from the first lane to the last: one segment for each group of adjacent processes that have recorded. */
export function cutSegments({ at }: Cut): Pid[][] {
  const segments: Pid[][] = [];
  at.forEach((event, process) => {
    if (event < 0) return;
    if (process > 0 && at[process - 1]! >= 0) segments.at(-1)!.push(process);
    else segments.push([process]);
  });
  return segments;
}
