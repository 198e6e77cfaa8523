import type { Message, Pid } from '../core/algorithm.ts';
import { type BypassLimit, broken } from '../problems/bypass.ts';
import { disagreement } from '../problems/election.ts';
import type { Violation } from '../problems/monitor.ts';
import { intruder, type Phase } from '../problems/mutex.ts';

/** What the application at one process is doing, and all that the problem's properties ask about it. Plain data. */
export interface User {
  readonly phase: Phase;
  readonly left: number; // how often it may still ask or start
  readonly leader: number | 'me' | 'another' | null;
  readonly involved: boolean; // it started, or where processes may crash: it heard of the election
  readonly passed: readonly number[]; // while it waits: entries of others, for each bypass bound
  readonly snapshot: 'none' | 'recorded' | 'complete'; // its part in it
}

export const fresh = (left: number): User => ({
  phase: 'idle',
  left,
  leader: null,
  involved: false,
  passed: [],
  snapshot: 'none',
});

export function calls(user: User, name: string, limits: readonly BypassLimit[]): User {
  if (name === 'snapshot') return user;
  if (name === 'release') return { ...user, phase: 'idle' };
  const left = user.left - 1;
  return name === 'request'
    ? { ...user, left, phase: 'waiting', passed: limits.map(() => 0) }
    : { ...user, left, involved: true };
}

/** It is told something; what is wrong with that, as far as one process can see. */
export function told(
  user: User,
  process: Pid,
  event: Message,
  limits: readonly BypassLimit[],
  survivesCrashes: boolean,
): { readonly user: User; readonly violation: Violation | null } {
  if (event.type === 'recorded' || event.type === 'complete')
    return { user: { ...user, snapshot: event.type }, violation: null };
  if (event.type !== 'elected') {
    if (user.phase !== 'waiting') return { user, violation: intruder(process, user.phase) };
    const k = limits.findIndex(({ most }, limit) => user.passed[limit]! > most);
    const violation = k < 0 ? null : broken(process, user.passed[k]!, limits[k]!);
    return { user: { ...user, phase: 'inside', passed: [] }, violation };
  }
  const { leader } = event as Message & { leader: number | 'me' | 'another' };
  const before = user.leader;
  const isChanged = before !== null && before !== leader && !survivesCrashes;
  const saw = (who: typeof leader) => (typeof who === 'number' ? who : who === 'me' ? process : -1);
  const violation = isChanged
    ? disagreement({ process, leader: saw(before) }, { process, leader: saw(leader) })
    : null;
  return { user: { ...user, leader, involved: true }, violation };
}

/** Somebody else enters while it waits. What counts is one more for each bound that this entry counts for. */
export function passedBy(user: User, counts: readonly boolean[], limits: readonly BypassLimit[]): User {
  if (user.phase !== 'waiting') return user;
  const most = (k: number) => limits[k]!.most + 1; // more than that is no worse
  return { ...user, passed: user.passed.map((times, k) => Math.min(times + (counts[k] ? 1 : 0), most(k))) };
}
