// The properties of each problem, in one world.
import type { Pid } from '../../core/algorithm.ts';
import {
  type ElectionSpec,
  electionWhenQuiescent,
  followsNobody,
  leadersDiffer,
  severalLeaders,
} from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
import { deadlocked, severalInside } from '../../problems/mutex-monitor.ts';
import { incompleteSnapshot } from '../../problems/snapshot-monitor.ts';
import type { Client } from './client.ts';

export function brokenMutex(clients: readonly Client[]): Violation | null {
  const insiders = pids(clients, ({ phase }) => phase === 'inside');
  return insiders.length > 1 ? severalInside(insiders) : null;
}

export function brokenElection(
  clients: readonly Client[],
  { ids, survivesCrashes }: ElectionSpec,
): Violation | null {
  const claimants = pids(clients, ({ leader }, i) => leader === 'me' || leader === ids[i]);
  const follower = clients.findIndex(({ leader }) => leader === 'another');
  if (follower >= 0 && claimants.length === 0) return followsNobody(follower);
  if (survivesCrashes) return claimants.length > 1 ? severalLeaders(claimants) : null;
  const beliefs = leadersOf(clients).flatMap((leader, process) =>
    leader === null ? [] : [{ process, leader }],
  );
  const other = beliefs.find(({ leader }) => leader !== beliefs[0]!.leader);
  return other === undefined ? null : leadersDiffer(beliefs[0]!, other);
}

export function stuckMutex(clients: readonly Client[], help?: string): Violation | null {
  const waiters = pids(clients, ({ phase }) => phase === 'waiting');
  return waiters.length > 0 ? deadlocked(waiters, help) : null;
}

export function stuckElection(clients: readonly Client[], spec: ElectionSpec): Violation | null {
  if (!clients.some(({ involved, phase }) => involved && phase !== 'crashed')) return null;
  const [first] = electionWhenQuiescent(spec, leadersOf(clients), (i) => clients[i]!.phase === 'crashed');
  return first ?? null;
}

/** A snapshot was begun, and is not complete. */
export function stuckSnapshot(clients: readonly Client[]): Violation | null {
  if (clients.every(({ snapshot }) => snapshot === 'none')) return null;
  const left = pids(clients, ({ snapshot }) => snapshot !== 'complete');
  return left.length > 0 ? incompleteSnapshot(left) : null;
}

// Witnesses: what some run must show.

export const mutexWitnesses = ['one is inside while another waits', 'all have entered as often as they may'];

export function mutexWitness(clients: readonly Client[]): number {
  const isAny = (wanted: Client['phase']) => clients.some(({ phase }) => phase === wanted);
  const isContended = isAny('inside') && isAny('waiting');
  const isDone = clients.every(({ left }) => left === 0) && !isAny('waiting') && isAny('inside');
  return (isContended ? 1 : 0) | (isDone ? 2 : 0);
}

export const electionWitnesses = ['somebody leads', 'everybody has started, and somebody leads'];

export function electionWitness(clients: readonly Client[]): number {
  const isLed = clients.some(({ leader }) => leader !== null);
  return (isLed ? 1 : 0) | (isLed && clients.every(({ left }) => left === 0) ? 2 : 0);
}

/** Returns the leader of each process; where processes are anonymous, the position of the leader. */
function leadersOf(clients: readonly Client[]): (number | null)[] {
  const leader = clients.findIndex((client) => client.leader === 'me');
  return clients.map((client, i) =>
    client.leader === 'me' ? i : client.leader === 'another' ? leader : client.leader,
  );
}

const pids = (clients: readonly Client[], are: (client: Client, i: Pid) => boolean): Pid[] =>
  clients.flatMap((client, i) => (are(client, i) ? [i] : []));
