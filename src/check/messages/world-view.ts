import type { Message, Pid, World } from '../../core/algorithm.ts';
import { addressing } from '../../machine/index.ts';
import { stateAt } from '../ids.ts';
import type { ProcessStateTable } from './process-states.ts';

/** Returns a world as the algorithm's invariants see it. */
export function worldAt(
  processStates: ProcessStateTable,
  worlds: Int32Array,
  offset: number,
): World<unknown, Message> {
  const { algorithm, topology, n } = processStates.config.setup;
  const states: unknown[] = [];
  const inFlight: { from: Pid; to: Pid; message: Message }[] = [];
  for (let to = 0; to < n; to += 1) {
    const state = stateAt(worlds, offset, to);
    states.push(processStates.variablesAt(state));
    for (const envelope of processStates.envelopesIn(state)) {
      const { from, message } = processStates.envelopes.of(envelope);
      inFlight.push({ from: processStates.symmetric ? (to + from) % n : from, to, message });
    }
  }
  return { states, inFlight, ...addressing(algorithm, topology) };
}

/** Returns how many requests of each process are in flight. */
export function requestsInFlight({ states, inFlight }: World<unknown, Message>): number[] {
  const requests = states.map(() => 0);
  for (const { from, message } of inFlight) {
    if (message.type === 'request') requests[(message as { origin?: Pid }).origin ?? from]! += 1;
  }
  return requests;
}
