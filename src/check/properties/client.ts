import type { Message, Pid } from '../../core/algorithm.ts';
import { type BypassLimit, bypassViolation } from '../../problems/bypass-counter.ts';
import { leadersDiffer, roundsGoBack } from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
import { enteredUnasked, type MutexPhase } from '../../problems/mutex-monitor.ts';

/** What the application at one process is doing: all that the properties of the problem depend on. Plain data. */
export interface Client {
  readonly phase: MutexPhase;
  readonly left: number; // how many more times it may ask for the lock, or start the election
  readonly leader: number | 'me' | 'another' | null;
  readonly round: number; // the latest round of the election that its process took part in; -1 if rounds have no numbers
  readonly involved: boolean; // it started, the election begins by itself or, where processes may crash, its process received a message of the election
  readonly passed: readonly number[]; // while it waits: entries of other processes, counted for each bypass bound
  readonly elections: ClientElections | null; // null unless they are counted
  readonly snapshot: 'none' | 'recorded' | 'complete'; // how far its process is in it
}

/** The elections of a run as one client sees them. See `ElectionCount`. */
interface ClientElections {
  readonly learned: number; // those whose leader it has learned
  readonly begun: number; // the number of the last one it started
}

export const newClient = (left: number, { countsElections = false, involved = false } = {}): Client => ({
  phase: 'idle',
  left,
  leader: null,
  round: -1,
  involved,
  passed: [],
  elections: countsElections ? { learned: 0, begun: 0 } : null,
  snapshot: 'none',
});

/** Returns the client after it made a call. */
export function afterCall(client: Client, name: string, limits: readonly BypassLimit[]): Client {
  if (name === 'snapshot') return client;
  if (name === 'release') return { ...client, phase: 'idle' };
  const left = client.left - 1;
  if (name === 'request') return { ...client, left, phase: 'waiting', passed: limits.map(() => 0) };
  const elections = client.elections && { ...client.elections, begun: client.elections.learned + 1 };
  return { ...client, left, involved: true, elections };
}

/** Returns the client after an event of the algorithm, and what is wrong with the event as far as one process can tell. */
export function afterEvent(
  client: Client,
  process: Pid,
  event: Message,
  limits: readonly BypassLimit[],
  mayChange: boolean, // the leader, where processes may crash or the election is perpetual
): { readonly client: Client; readonly violation: Violation | null } {
  if (event.type === 'recorded' || event.type === 'complete')
    return { client: { ...client, snapshot: event.type }, violation: null };
  if (event.type === 'suspects') return { client, violation: null };
  if (event.type === 'electing') {
    const { round } = event as Message & { round: number };
    const violation = round < client.round ? roundsGoBack(process, client.round, round) : null;
    return { client: { ...client, round, leader: null, involved: true }, violation };
  }
  if (event.type !== 'elected') {
    if (client.phase !== 'waiting') return { client, violation: enteredUnasked(process, client.phase) };
    const k = limits.findIndex(({ most }, limit) => client.passed[limit]! > most);
    const violation = k < 0 ? null : bypassViolation(process, client.passed[k]!, limits[k]!);
    return { client: { ...client, phase: 'inside', passed: [] }, violation };
  }
  const { leader, round } = event as Message & { leader: number | 'me' | 'another'; round?: number };
  if (round !== undefined)
    return {
      client: { ...client, leader, round: Math.max(round, client.round), involved: true },
      violation: null,
    };
  const before = client.leader;
  const isChanged = before !== null && before !== leader && !mayChange;
  const pidOf = (one: typeof leader) => (typeof one === 'number' ? one : one === 'me' ? process : -1);
  const violation = isChanged
    ? leadersDiffer({ process, leader: pidOf(before) }, { process, leader: pidOf(leader) })
    : null;
  const elections = client.elections && { ...client.elections, learned: client.elections.learned + 1 };
  return { client: { ...client, leader, involved: true, elections }, violation };
}

/** Another process enters while this one waits: adds one for each bound that counts the entry. */
export function passedBy(client: Client, counts: readonly boolean[], limits: readonly BypassLimit[]): Client {
  if (client.phase !== 'waiting') return client;
  const most = (k: number) => limits[k]!.most + 1; // a higher count would change nothing
  return {
    ...client,
    passed: client.passed.map((times, k) => Math.min(times + (counts[k] ? 1 : 0), most(k))),
  };
}
