import type { Trace } from '../core/trace.ts';
import { EventGraph } from './event-graph.ts';

/** Returns whether event a happened before event b. Events are numbered from 0. */
export type HappenedBefore = (a: number, b: number) => boolean;

/**
 * Returns Lamport's relation between the events of a trace. It follows messages, registers and the order at each process, and uses no clock.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { happenedBefore } from 'batonjs-lab/causality';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const { trace } = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * const isBefore = happenedBefore(trace);
 * [isBefore(0, 1), isBefore(1, 0)]; // → [true, false]
 */
export function happenedBefore({ events }: Pick<Trace, 'events'>): HappenedBefore {
  const graph = new EventGraph();
  const pasts: bigint[] = []; // a bit for each event
  for (const [index, event] of events.entries()) {
    graph.add(event);
    pasts.push(graph.causes(index).reduce((past, c) => past | pasts[c]! | (1n << BigInt(c)), 0n));
  }
  return (a, b) => ((pasts[b]! >> BigInt(a)) & 1n) === 1n;
}
