import type { Pid } from '../core/algorithm.ts';
import type { Trace } from '../core/trace.ts';

/** Vector time of each event of a trace: entry k counts the events of process k in its past, itself included. */
export function vectorClocks(trace: Trace): ReadonlyMap<Pid, number>[] {
  const latest = new Map<Pid, ReadonlyMap<Pid, number>>();
  const ofMessage: ReadonlyMap<Pid, number>[] = [];
  return trace.events.map(({ process, input, outputs }) => {
    const clock = new Map(latest.get(process));
    if (input.kind === 'recv') {
      for (const [k, count] of ofMessage[input.serial] ?? [])
        clock.set(k, Math.max(clock.get(k) ?? 0, count));
    }
    clock.set(process, (clock.get(process) ?? 0) + 1);
    latest.set(process, clock);
    for (const output of outputs) if (output.kind === 'send') ofMessage[output.serial] = clock;
    return clock;
  });
}
