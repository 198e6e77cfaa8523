import { InputError } from '../core/assert.ts';
import type { Trace } from '../core/trace.ts';

/** A trace, or a run simulated with `events: true`. */
export type Drawable = Trace | { readonly trace: Trace };

/** @throws {InputError} if it is a run without events. */
export function traceIn(drawable: Drawable): Trace {
  const trace = 'trace' in drawable ? drawable.trace : drawable;
  if (Array.isArray(trace?.events)) return trace;
  throw new InputError(
    'this run has no events to draw; ask for them: simulate(algorithm, { …, events: true })',
  );
}

/**
 * Returns the number of lanes: the n of the head, or more if an event has a larger position.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { laneCount } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * laneCount(run.trace); // → 3
 */
export const laneCount = ({ scenario, events }: Trace): number =>
  events.reduce((n, { process }) => Math.max(n, process + 1), Number(scenario.n ?? 0));
