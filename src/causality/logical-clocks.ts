import { lamportClock } from '../algorithms/clocks/lamport-clock.ts';
import { type VectorTime, vectorClock } from '../algorithms/clocks/vector-clock.ts';
import { InputError } from '../core/assert.ts';
import { suggest } from '../core/did-you-mean.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { Trace } from '../core/trace.ts';
import { timestampsOf } from './timestamps.ts';

/** Every logical clock that can stamp the events of a run. */
export const logicalClocks: readonly LogicalClock<unknown>[] = [lamportClock, vectorClock];

export function logicalClockNamed(name: string): LogicalClock<unknown> {
  const found = logicalClocks.find((clock) => clock.name === name);
  if (found) return found;
  const names = logicalClocks.map((clock) => clock.name);
  throw new InputError(
    `no clock is called '${name}'${suggest(name, names)}: there are ${names.join(' and ')}`,
  );
}

/** The vector time of each event of a trace. Entry k counts the events of process k that happened before it, itself included. */
export const vectorClocks = (trace: Trace): VectorTime[] => timestampsOf(trace, vectorClock);
