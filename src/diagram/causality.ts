import type { Pid } from '../core/algorithm.ts';
import type { Trace } from '../core/trace.ts';

/**
 * Vector time of each event of a trace: entry k counts the events of process k in its past, itself included. The past reaches an event
 * through a message that it receives, or through the last write to a register that it reads.
 */
export function vectorClocks(trace: Trace): ReadonlyMap<Pid, number>[] {
  const latest = new Map<Pid, ReadonlyMap<Pid, number>>();
  const ofMessage: ReadonlyMap<Pid, number>[] = [];
  const ofRegister = new Map<string, ReadonlyMap<Pid, number>>();
  return trace.events.map(({ process, input, outputs }) => {
    const clock = new Map(latest.get(process));
    const learn = (past: ReadonlyMap<Pid, number> = new Map()) => {
      for (const [k, count] of past) clock.set(k, Math.max(clock.get(k) ?? 0, count));
    };
    if (input.kind === 'recv') learn(ofMessage[input.serial]);
    for (const output of outputs) if (output.kind === 'read') learn(ofRegister.get(output.register));
    clock.set(process, (clock.get(process) ?? 0) + 1);
    latest.set(process, clock);
    for (const output of outputs) {
      if (output.kind === 'send') ofMessage[output.serial] = clock;
      if (output.kind === 'write' || output.kind === 'reset') ofRegister.set(output.register, clock);
    }
    return clock;
  });
}
