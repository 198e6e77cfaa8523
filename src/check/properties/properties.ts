// The problems' properties, asked of one world.
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
  const hearer = clients.findIndex(({ leader }) => leader === 'another');
  if (hearer >= 0 && claimants.length === 0) return followsNobody(hearer);
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

export function stuckElection(clients: readonly Client[], electorate: ElectionSpec): Violation | null {
  if (!clients.some(({ involved, phase }) => involved && phase !== 'crashed')) return null;
  const [first] = electionWhenQuiescent(
    electorate,
    leadersOf(clients),
    (i) => clients[i]!.phase === 'crashed',
  );
  return first ?? null;
}

/** It was begun, and is not complete. */
export function stuckSnapshot(clients: readonly Client[]): Violation | null {
  if (clients.every(({ snapshot }) => snapshot === 'none')) return null;
  const left = pids(clients, ({ snapshot }) => snapshot !== 'complete');
  return left.length > 0 ? incompleteSnapshot(left) : null;
}

// What should be seen sometimes.

export const mutexWitnesses = ['one is inside while another waits', 'all have entered as often as they may'];

export function mutexWitness(clients: readonly Client[]): number {
  const isSomebody = (where: Client['phase']) => clients.some(({ phase }) => phase === where);
  const isContended = isSomebody('inside') && isSomebody('waiting');
  const isDone = clients.every(({ left }) => left === 0) && !isSomebody('waiting') && isSomebody('inside');
  return (isContended ? 1 : 0) | (isDone ? 2 : 0);
}

export const electionWitnesses = ['somebody leads', 'everybody has started, and somebody leads'];

export function electionWitness(clients: readonly Client[]): number {
  const isLed = clients.some(({ leader }) => leader !== null);
  return (isLed ? 1 : 0) | (isLed && clients.every(({ left }) => left === 0) ? 2 : 0);
}

/** Whom each follows; where nobody has a name, the position of who leads. */
function leadersOf(clients: readonly Client[]): (number | null)[] {
  const leader = clients.findIndex((client) => client.leader === 'me');
  return clients.map((client, i) =>
    client.leader === 'me' ? i : client.leader === 'another' ? leader : client.leader,
  );
}

const pids = (clients: readonly Client[], are: (client: Client, i: Pid) => boolean): Pid[] =>
  clients.flatMap((client, i) => (are(client, i) ? [i] : []));
