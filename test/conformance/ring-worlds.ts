// All reachable worlds of a one-way ring, from the algorithm's own handlers on copies of the state.
import type { Message, Pid } from '../../src/core/algorithm.ts';

export interface RingWorld<S, M> {
  readonly states: readonly S[];
  readonly channels: readonly (readonly M[])[]; // channel i leads to the next process; oldest message first
}

/** The actions that these handlers use. */
interface Actions<M> {
  send(to: number, message: M): void;
  emit(): void;
  after(): void;
}

/** The world after a handler ran at process i with these facts. */
export function handled<S, M extends Message, F extends object>(
  world: RingWorld<S, M>,
  i: Pid,
  facts: F,
  handler: (s: S, p: F & Actions<M>) => void,
): RingWorld<S, M> {
  const { states, channels } = JSON.parse(JSON.stringify(world)) as { states: S[]; channels: M[][] };
  handler(states[i]!, { ...facts, send: (_, message) => channels[i]!.push(message), emit() {}, after() {} });
  return { states, channels };
}

/** The world without the oldest message of channel i, and that message. */
export function taken<S, M>({ states, channels }: RingWorld<S, M>, i: Pid): [RingWorld<S, M>, M] {
  const rest = channels.map((channel, k) => (k === i ? channel.slice(1) : channel));
  return [{ states, channels: rest }, channels[i]![0]!];
}

/** All worlds reachable from these, as text, with the successors of each. */
export function explore<W>(first: Iterable<W>, following: (world: W) => Iterable<W>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const queue = [...new Set([...first].map((world) => JSON.stringify(world)))];
  for (const world of queue) found.set(world, []);
  for (const world of queue) {
    for (const next of following(JSON.parse(world) as W)) {
      const text = JSON.stringify(next);
      found.get(world)!.push(text);
      if (found.has(text)) continue;
      found.set(text, []);
      queue.push(text);
    }
  }
  return found;
}
