import type { Trace } from '../core/trace.ts';
import { EventGraph } from './event-graph.ts';

/** Whether one event happened before another, by their numbers. It follows causes and uses no clock. */
export type HappenedBefore = (a: number, b: number) => boolean;

export function happenedBefore({ events }: Pick<Trace, 'events'>): HappenedBefore {
  const graph = new EventGraph();
  const pasts: bigint[] = []; // a bit for each event
  for (const [index, event] of events.entries()) {
    graph.add(event);
    pasts.push(graph.causes(index).reduce((past, c) => past | pasts[c]! | (1n << BigInt(c)), 0n));
  }
  return (a, b) => ((pasts[b]! >> BigInt(a)) & 1n) === 1n;
}
