import { lamportClock } from '../algorithms/clocks/lamport-clock.ts';
import { vectorClock } from '../algorithms/clocks/vector-clock.ts';
import { InputError } from '../core/assert.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import { suggest } from '../core/nearest.ts';

/** Every clock that a run can be observed with. */
export const clocks: readonly LogicalClock<unknown>[] = [lamportClock, vectorClock];

export function clockNamed(name: string): LogicalClock<unknown> {
  const found = clocks.find((clock) => clock.name === name);
  if (found) return found;
  const names = clocks.map((clock) => clock.name);
  throw new InputError(
    `no clock is called '${name}'${suggest(name, names)}: there are ${names.join(' and ')}`,
  );
}
