import { lamportClock } from '../algorithms/clocks/lamport-clock.ts';
import { type VectorTime, vectorClock } from '../algorithms/clocks/vector-clock.ts';
import { InputError } from '../core/assert.ts';
import { suggest } from '../core/did-you-mean.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { Trace } from '../core/trace.ts';
import { timestampsOf } from './timestamps.ts';

/** Every logical clock that can stamp the events of a run. */
export const logicalClocks: readonly LogicalClock<unknown>[] = [lamportClock, vectorClock];

/**
 * Returns the logical clock with this name.
 * @throws {InputError} if there is none.
 * @example
 * import { vectorClock } from 'batonjs-lab/algorithms';
 * import { logicalClockNamed } from 'batonjs-lab/causality';
 *
 * logicalClockNamed('vector-clock') === vectorClock; // → true
 */
export function logicalClockNamed(name: string): LogicalClock<unknown> {
  const found = logicalClocks.find((clock) => clock.name === name);
  if (found) return found;
  const names = logicalClocks.map((clock) => clock.name);
  throw new InputError(
    `no clock is called '${name}'${suggest(name, names)}: there are ${names.join(' and ')}`,
  );
}

/**
 * Returns the vector time of each event of a trace. Entry k counts the events of process k that happened before it, itself included.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { vectorClocks } from 'batonjs-lab/causality';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const { trace } = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * vectorClocks(trace)[1]; // → new Map([[1, 1], [2, 1]])
 */
export const vectorClocks = (trace: Trace): VectorTime[] => timestampsOf(trace, vectorClock);
