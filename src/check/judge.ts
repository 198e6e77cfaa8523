// The problems' properties, asked of one world.
import type { Pid } from '../core/algorithm.ts';
import { disagreement, type Electorate, electionAtRest, rivals, rumour } from '../problems/election.ts';
import type { Violation } from '../problems/monitor.ts';
import { crowd, stuck } from '../problems/mutex.ts';
import { incomplete } from '../problems/snapshot.ts';
import type { User } from './user.ts';

export function brokenMutex(users: readonly User[]): Violation | null {
  const insiders = pids(users, ({ phase }) => phase === 'inside');
  return insiders.length > 1 ? crowd(insiders) : null;
}

export function brokenElection(
  users: readonly User[],
  { ids, survivesCrashes }: Electorate,
): Violation | null {
  const claimants = pids(users, ({ leader }, i) => leader === 'me' || leader === ids[i]);
  const hearer = users.findIndex(({ leader }) => leader === 'another');
  if (hearer >= 0 && claimants.length === 0) return rumour(hearer);
  if (survivesCrashes) return claimants.length > 1 ? rivals(claimants) : null;
  const beliefs = leadersOf(users).flatMap((leader, process) =>
    leader === null ? [] : [{ process, leader }],
  );
  const other = beliefs.find(({ leader }) => leader !== beliefs[0]!.leader);
  return other === undefined ? null : disagreement(beliefs[0]!, other);
}

export function stuckMutex(users: readonly User[], help?: string): Violation | null {
  const waiters = pids(users, ({ phase }) => phase === 'waiting');
  return waiters.length > 0 ? stuck(waiters, help) : null;
}

export function stuckElection(users: readonly User[], electorate: Electorate): Violation | null {
  if (!users.some(({ involved, phase }) => involved && phase !== 'crashed')) return null;
  const [first] = electionAtRest(electorate, leadersOf(users), (i) => users[i]!.phase === 'crashed');
  return first ?? null;
}

/** It was begun, and is not complete. */
export function stuckSnapshot(users: readonly User[]): Violation | null {
  if (users.every(({ snapshot }) => snapshot === 'none')) return null;
  const left = pids(users, ({ snapshot }) => snapshot !== 'complete');
  return left.length > 0 ? incomplete(left) : null;
}

// What should be seen sometimes.

export const mutexWitnesses = ['one is inside while another waits', 'all have entered as often as they may'];

export function mutexWitness(users: readonly User[]): number {
  const isSomebody = (where: User['phase']) => users.some(({ phase }) => phase === where);
  const isContended = isSomebody('inside') && isSomebody('waiting');
  const isDone = users.every(({ left }) => left === 0) && !isSomebody('waiting') && isSomebody('inside');
  return (isContended ? 1 : 0) | (isDone ? 2 : 0);
}

export const electionWitnesses = ['somebody leads', 'everybody has started, and somebody leads'];

export function electionWitness(users: readonly User[]): number {
  const isLed = users.some(({ leader }) => leader !== null);
  return (isLed ? 1 : 0) | (isLed && users.every(({ left }) => left === 0) ? 2 : 0);
}

/** Whom each follows; where nobody has a name, the position of who leads. */
function leadersOf(users: readonly User[]): (number | null)[] {
  const leader = users.findIndex((user) => user.leader === 'me');
  return users.map((user, i) =>
    user.leader === 'me' ? i : user.leader === 'another' ? leader : user.leader,
  );
}

const pids = (users: readonly User[], are: (user: User, i: Pid) => boolean): Pid[] =>
  users.flatMap((user, i) => (are(user, i) ? [i] : []));
