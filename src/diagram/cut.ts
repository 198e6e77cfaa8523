import type { Pid } from '../core/algorithm.ts';
import { markerKind } from './palette.ts';
import type { TracedMessage, TraceIndex } from './trace-index.ts';

/** The cut of a snapshot through a run, as far as it is known. */
export interface Cut {
  readonly at: readonly number[]; // by process: the event at which it recorded its state; -1 before
  readonly inTransit: readonly TracedMessage[]; // that were on their way: sent before the cut, not received before it
  readonly inconsistent: readonly TracedMessage[]; // that are received before the cut and sent after it: there is no such state
}

/** The cut when so many events have happened; null if nobody has recorded its state by then. */
export function snapshotCutAt(chronicle: TraceIndex, position = chronicle.events.length): Cut | null {
  const at = chronicle.recorded.map((event) => (event < position ? event : -1));
  const last = at.reduce((a, b) => Math.max(a, b), -1);
  if (last < 0) return null;
  const isBefore = (process: Pid, event: number) => at[process]! < 0 || event < at[process]!;
  const channels: TracedMessage[] = [];
  const culprits: TracedMessage[] = [];
  for (const message of chronicle.messages.values()) {
    if (message.sent >= position) break;
    const { kind, from, to, sent, ended } = message;
    if (kind === markerKind) continue;
    const isIn = ended >= 0 && ended < position && isBefore(to, ended);
    if (isBefore(from, sent)) {
      if (!isIn && at[to]! >= 0) channels.push(message);
    } else if (isIn && !message.lost) culprits.push(message);
  }
  return { at, inTransit: channels, inconsistent: culprits };
}

/** Where the line of a cut goes, from the first lane to the last: one stretch after the other, between those who have recorded. */
export function cutSegments({ at }: Cut): Pid[][] {
  const stretches: Pid[][] = [];
  at.forEach((event, process) => {
    if (event < 0) return;
    if (process > 0 && at[process - 1]! >= 0) stretches.at(-1)!.push(process);
    else stretches.push([process]);
  });
  return stretches;
}
