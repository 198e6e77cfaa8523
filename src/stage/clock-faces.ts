import type { TraceEvent } from '../core/trace.ts';
import { type Adjustment, type ClockFace, Clocks } from '../sim/index.ts';
import type { Show } from './stage.ts';

/**
 * The clocks of a run when so many events have happened, at that moment or at a later one before the next event: the hardware, what is
 * shown, and the last correction; by position. Null where clocks are not to be synchronised.
 */
export function clockFaces(
  { setup, events }: Pick<Show, 'setup' | 'events'>,
  position: number,
  time = events[position - 1]?.time ?? 0,
): ClockFace[] | null {
  if (setup.clockwork === null) return null;
  const clocks = new Clocks(setup.clockwork);
  for (const event of events.slice(0, position)) {
    if (event.input.kind === 'restart') clocks.reset(event.process);
    for (const adjustment of adjustmentsIn(event)) clocks.adjust(event.process, event.time, adjustment);
  }
  return Array.from({ length: setup.n }, (_, i) => clocks.face(i, time));
}

/** All that is emitted where clocks are synchronised. */
function adjustmentsIn({ outputs }: TraceEvent): Adjustment[] {
  return outputs.flatMap((output) => {
    if (output.kind !== 'emit') return [];
    const [, offset, within, round] = /^adjust\(offset=([^,]*),within=([^,)]*)(?:,round="(.*)")?\)$/.exec(
      output.event,
    )!;
    const told = { offset: Number(offset), within: Number(within) };
    return [round === undefined ? told : { ...told, round }];
  });
}
