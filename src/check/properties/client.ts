import type { Message, Pid } from '../../core/algorithm.ts';
import { type BypassLimit, bypassViolation } from '../../problems/bypass-counter.ts';
import { leadersDiffer } from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
import { enteredUnasked, type MutexPhase } from '../../problems/mutex-monitor.ts';

/** What the application at one process is doing, and all that the problem's properties ask about it. Plain data. */
export interface Client {
  readonly phase: MutexPhase;
  readonly left: number; // how often it may still ask or start
  readonly leader: number | 'me' | 'another' | null;
  readonly involved: boolean; // it started, or where processes may crash: it heard of the election
  readonly passed: readonly number[]; // while it waits: entries of others, for each bypass bound
  readonly snapshot: 'none' | 'recorded' | 'complete'; // its part in it
}

export const newClient = (left: number): Client => ({
  phase: 'idle',
  left,
  leader: null,
  involved: false,
  passed: [],
  snapshot: 'none',
});

export function afterCall(client: Client, name: string, limits: readonly BypassLimit[]): Client {
  if (name === 'snapshot') return client;
  if (name === 'release') return { ...client, phase: 'idle' };
  const left = client.left - 1;
  return name === 'request'
    ? { ...client, left, phase: 'waiting', passed: limits.map(() => 0) }
    : { ...client, left, involved: true };
}

/** It is told something; what is wrong with that, as far as one process can see. */
export function afterEvent(
  client: Client,
  process: Pid,
  event: Message,
  limits: readonly BypassLimit[],
  survivesCrashes: boolean,
): { readonly user: Client; readonly violation: Violation | null } {
  if (event.type === 'recorded' || event.type === 'complete')
    return { user: { ...client, snapshot: event.type }, violation: null };
  if (event.type !== 'elected') {
    if (client.phase !== 'waiting') return { user: client, violation: enteredUnasked(process, client.phase) };
    const k = limits.findIndex(({ most }, limit) => client.passed[limit]! > most);
    const violation = k < 0 ? null : bypassViolation(process, client.passed[k]!, limits[k]!);
    return { user: { ...client, phase: 'inside', passed: [] }, violation };
  }
  const { leader } = event as Message & { leader: number | 'me' | 'another' };
  const before = client.leader;
  const isChanged = before !== null && before !== leader && !survivesCrashes;
  const saw = (who: typeof leader) => (typeof who === 'number' ? who : who === 'me' ? process : -1);
  const violation = isChanged
    ? leadersDiffer({ process, leader: saw(before) }, { process, leader: saw(leader) })
    : null;
  return { user: { ...client, leader, involved: true }, violation };
}

/** Somebody else enters while it waits. What counts is one more for each bound that this entry counts for. */
export function passedBy(client: Client, counts: readonly boolean[], limits: readonly BypassLimit[]): Client {
  if (client.phase !== 'waiting') return client;
  const most = (k: number) => limits[k]!.most + 1; // more than that is no worse
  return {
    ...client,
    passed: client.passed.map((times, k) => Math.min(times + (counts[k] ? 1 : 0), most(k))),
  };
}
