import type { Message, Pid, World } from '../core/algorithm.ts';
import { addressing } from '../machine/index.ts';
import type { Parts } from './parts.ts';
import type { Question } from './question.ts';

/** A world as algorithms and people see it. */
export function worldAt(
  { setup }: Question,
  parts: Parts,
  worlds: Int32Array,
  offset: number,
): World<unknown, Message> {
  const { algorithm, topology, n } = setup;
  const states: unknown[] = [];
  const inFlight: { from: Pid; to: Pid; message: Message }[] = [];
  for (let to = 0; to < n; to += 1) {
    const site = worlds[offset + to]!;
    states.push(parts.stateOf(site));
    for (const item of parts.inboxOf(site)) {
      const { from, message } = parts.items.of(item);
      inFlight.push({ from: parts.alike ? (to + from) % n : from, to, message });
    }
  }
  return { states, inFlight, ...addressing(algorithm, topology) };
}

/** How many requests of each process are on their way. */
export function askingIn({ states, inFlight }: World<unknown, Message>): number[] {
  const asking = states.map(() => 0);
  for (const { from, message } of inFlight) {
    if (message.type === 'request') asking[(message as { origin?: Pid }).origin ?? from]! += 1;
  }
  return asking;
}
