// What a handler may ask for. The simulator and the replay check it alike, so that a breach replays as a breach.
import type { Address, AnyAlgorithm, Message, Pid, Problem, Problems } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { unplain } from '../core/plain.ts';
import type { Topology } from '../core/topology.ts';

export function kindIndex(kinds: readonly string[], type: string): number {
  for (let kind = 0; kind < kinds.length; kind += 1) if (kinds[kind] === type) return kind;
  return fail(`it sends '${type}', which is not one of its messages`);
}

const events: { readonly [P in Problem]: Problems[P]['event']['type'] } = {
  mutex: 'entered',
  election: 'elected',
  clocks: 'adjust',
};
const named = {
  mutex: 'mutual exclusion',
  election: 'an election',
  clocks: 'clock synchronisation',
} as const;

/** An application is told only what its problem is about and, where snapshots are taken, how far they are. */
export function checkEvent({ problem, snapshots }: Told, { type }: Message): void {
  if (type === events[problem] || (snapshots && (type === 'recorded' || type === 'complete'))) return;
  fail(`it emits '${type}', which is not an event of ${named[problem]}`);
}

type Told = Pick<AnyAlgorithm, 'problem' | 'snapshots'>;

export function checkPlain(message: Message): void {
  const flaw = unplain(message, `its message '${message.type}'`);
  if (flaw !== null) fail(flaw);
}

/** The link that an address means: its number, or the one that leads to the process of that name. */
export function linkOf(topology: Topology, named: boolean, from: Pid, address: Address): number {
  const link = named ? topology.link(from, address) : address;
  if (!(link >= 0 && link < topology.degree(from))) fail(`it sends to ${address}, which is not a neighbour`);
  return link;
}

/** The link as a trace gives it: only where the receiver's position does not tell. */
export const linkInTrace = (topology: Topology, named: boolean, from: Pid, link: number): number | null =>
  !named && topology.isMultiple(from) ? link : null;

export function timerIndex(timers: readonly string[], type: string): number {
  const timer = timers.indexOf(type);
  return timer >= 0 ? timer : fail(`'${type}' is not one of its timers`);
}

/** Whole, at least one; so far away that it never comes is allowed. */
export function checkTicks(ticks: number): void {
  if (!(ticks >= 1 && (Number.isInteger(ticks) || ticks === Infinity)))
    fail(`it sets a timer of ${ticks} ticks; they are whole, from 1`);
}

export function checkOptions(options: number): void {
  if (!(Number.isInteger(options) && options >= 1)) fail(`it chooses among ${options} options`);
}
