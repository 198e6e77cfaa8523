import { algorithmInfo, type EitherAlgorithm } from '../../catalogue/index.ts';
import type { Trace } from '../../core/trace.ts';
import { laneCount, TraceIndex } from '../../diagram/index.ts';
import { changesText, ReplayedTimeline, StateText } from '../../timeline/index.ts';

/** Replays a trace and returns what each event changed: registers, and fields of its process. */
export function eventChanges(algorithm: EitherAlgorithm, trace: Trace): (event: number) => string {
  const timeline = new ReplayedTimeline(algorithm, trace);
  const stateText = new StateText(timeline.setup);
  const { registers } = TraceIndex.of(trace, algorithmInfo(algorithm).registers(laneCount(trace)));
  return (event) =>
    changesText([
      ...registers.changesAt(event + 1, trace.events[event]!),
      ...stateText.changesAt(timeline, event + 1),
    ]);
}
