// The properties of each problem, in one world.

import type { Pid } from '../../core/algorithm.ts';
import {
  type ElectionSpec,
  electionSpecOf,
  electionWhenQuiescent,
  followsNobody,
  leadersDiffer,
  neverTookPart,
  severalLeaders,
} from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
import { deadlocked, severalInside } from '../../problems/mutex-monitor.ts';
import { incompleteSnapshot } from '../../problems/snapshot-monitor.ts';
import { stateAt } from '../ids.ts';
import type { Medium } from '../model/medium.ts';
import { TupleTable } from '../storage/tuple-table.ts';
import type { Client } from './client.ts';

function brokenMutex(clients: readonly Client[]): Violation | null {
  const insiders = pids(clients, ({ phase }) => phase === 'inside');
  return insiders.length > 1 ? severalInside(insiders) : null;
}

function brokenElection(
  clients: readonly Client[],
  { ids, survivesCrashes, isPerpetual }: ElectionSpec,
): Violation | null {
  if (clients.some(({ round }) => round >= 0)) return brokenRounds(clients, ids);
  const claimants = pids(
    clients,
    ({ leader, phase }, i) => phase !== 'crashed' && (leader === 'me' || leader === ids[i]),
  );
  const follower = clients.findIndex(({ leader }) => leader === 'another');
  if (follower >= 0 && claimants.length === 0) return followsNobody(follower);
  if (isPerpetual) return null;
  if (survivesCrashes) return claimants.length > 1 ? severalLeaders(claimants) : null;
  const beliefs = leadersOf(clients, ids).flatMap((leader, process) =>
    leader === null ? [] : [{ process, leader }],
  );
  const other = beliefs.find(({ leader }) => leader !== beliefs[0]!.leader);
  return other === undefined ? null : leadersDiffer(beliefs[0]!, other);
}

/** Each round has at most one leader, which took part in it. A process that has crashed keeps its round and its leader. */
function brokenRounds(clients: readonly Client[], ids: ArrayLike<number>): Violation | null {
  const first = new Map<number, { readonly process: Pid; readonly leader: number }>(); // by round
  const leaders = leadersOf(clients, ids);
  for (let process = 0; process < clients.length; process += 1) {
    const { round, leader: emitted } = clients[process]!;
    if (emitted === null) continue;
    const leader = leaders[process]!;
    if (leader === null) {
      if (clients.every((other) => other.round <= round)) return followsNobody(process);
      continue; // the leader has gone on to a later round
    }
    const before = first.get(round);
    if (before !== undefined && before.leader !== leader)
      return leadersDiffer(before, { process, leader }, round);
    first.set(round, before ?? { process, leader });
    const winner = clients[Array.prototype.indexOf.call(ids, leader)];
    if (winner === undefined || winner.round < round) return neverTookPart(leader, round);
  }
  return null;
}

function stuckMutex(clients: readonly Client[], help?: string): Violation | null {
  const waiters = pids(clients, ({ phase }) => phase === 'waiting');
  return waiters.length > 0 ? deadlocked(waiters, help) : null;
}

/** Returns what is wrong with an election that stays as it is. `when` says so of a perpetual one, which need not. */
export function stuckElection(
  clients: readonly Client[],
  spec: ElectionSpec,
  when?: string,
): Violation | null {
  if (!clients.some(({ involved, phase }) => involved && phase !== 'crashed')) return null;
  const [first] = electionWhenQuiescent(
    spec,
    leadersOf(clients, spec.ids),
    (i) => clients[i]!.phase === 'crashed',
    when,
  );
  return first ?? null;
}

/** A snapshot was begun, and is not complete. */
function stuckSnapshot(clients: readonly Client[]): Violation | null {
  if (clients.every(({ snapshot }) => snapshot === 'none')) return null;
  const left = pids(clients, ({ snapshot }) => snapshot !== 'complete');
  return left.length > 0 ? incompleteSnapshot(left) : null;
}

// Witnesses: what some run must show. Without the first, the properties hold because nothing happened.

const mutexWitnesses = [
  'somebody enters',
  'one is inside while another waits',
  'all have entered as often as they may',
];

function mutexWitness(clients: readonly Client[]): number {
  const isAny = (wanted: Client['phase']) => clients.some(({ phase }) => phase === wanted);
  const isContended = isAny('inside') && isAny('waiting');
  const isEntered = isAny('inside');
  const isDone = clients.every(({ left }) => left === 0) && !isAny('waiting') && isAny('inside');
  return (isEntered ? 1 : 0) | (isContended ? 2 : 0) | (isDone ? 4 : 0);
}

const electionWitnesses = ['somebody leads', 'everybody has started, and somebody leads'];
const crashWitness = 'somebody leads after a crash';

const perpetualWitnesses = ['somebody leads', 'all follow one living process'];

function electionWitness(clients: readonly Client[], spec: ElectionSpec): number {
  const leads = ({ leader }: Client, i: Pid) => leader === 'me' || leader === spec.ids[i];
  const isLed = clients.some(leads);
  if (spec.isPerpetual) return (isLed ? 1 : 0) | (isLed && stuckElection(clients, spec) === null ? 2 : 0);
  const isCrashed = ({ phase }: Client) => phase === 'crashed';
  const isAfterCrash = (client: Client) =>
    client.round > 0 || (client.round < 0 && !isCrashed(client) && clients.some(isCrashed));
  const isNewlyLed = clients.some((client, i) => isAfterCrash(client) && leads(client, i));
  return (isLed ? 1 : 0) | (isLed && clients.every(({ left }) => left === 0) ? 2 : 0) | (isNewlyLed ? 4 : 0);
}

/** Returns the id of the leader of each process; its position if processes have no ids. A process that has crashed keeps it: others may follow it. */
function leadersOf(clients: readonly Client[], ids: ArrayLike<number>): (number | null)[] {
  const winner = (round: number) =>
    clients.findIndex((client) => client.leader === 'me' && client.round === round);
  return clients.map(({ leader, round }, i) =>
    leader === 'me' ? ids[i]! : leader === 'another' ? (ids[winner(round)] ?? null) : leader,
  );
}

const pids = (clients: readonly Client[], are: (client: Client, i: Pid) => boolean): Pid[] =>
  clients.flatMap((client, i) => (are(client, i) ? [i] : []));

interface PropertyResult {
  readonly violation: Violation | null;
  readonly witnessed: number; // a bit for each witness that the world shows
  readonly whenQuiescent: Violation | null; // what is wrong if the world is quiescent
}

/** The properties of the problem in each world. They depend on the clients only, and few combinations of clients occur. */
export class PropertyCache {
  readonly witnesses: readonly string[];
  readonly #medium: Medium;
  readonly #n: number;
  readonly #election: ElectionSpec | null; // null for a lock
  readonly #ids: Int32Array; // of the clients of one world
  readonly #combinations: TupleTable;
  readonly #results: PropertyResult[] = [];

  constructor(medium: Medium) {
    const { setup, crashes } = medium.config;
    const { algorithm, n, ids, entries } = setup;
    const { problem } = algorithm;
    this.#medium = medium;
    this.#n = n;
    this.#election = problem === 'mutex' ? null : electionSpecOf(algorithm, ids);
    const mutex = entries === Infinity ? mutexWitnesses.slice(0, 2) : mutexWitnesses;
    const once =
      algorithm.crashNotice !== undefined && crashes > 0
        ? [...electionWitnesses, crashWitness]
        : electionWitnesses;
    const election = this.#election?.isPerpetual ? perpetualWitnesses : once;
    this.witnesses = problem === 'mutex' ? mutex : election;
    this.#ids = new Int32Array(n);
    this.#combinations = new TupleTable(n, 64);
  }

  of(worlds: Int32Array, offset: number): PropertyResult {
    for (let i = 0; i < this.#n; i += 1)
      this.#ids[i] = this.#medium.states.clientOf(stateAt(worlds, offset, i));
    const number = this.#combinations.add(this.#ids, 0);
    this.#results[number] ??= this.#evaluate(clientsIn(this.#medium, worlds, offset));
    return this.#results[number];
  }

  #evaluate(clients: readonly Client[]): PropertyResult {
    const election = this.#election;
    const { help } = this.#medium;
    const stuck = election === null ? stuckMutex(clients, help) : stuckElection(clients, election);
    return {
      violation: election === null ? brokenMutex(clients) : brokenElection(clients, election),
      witnessed: election === null ? mutexWitness(clients) : electionWitness(clients, election),
      whenQuiescent: stuck ?? stuckSnapshot(clients),
    };
  }
}

/** Returns the clients of a world, by process. */
export const clientsIn = ({ states, config }: Medium, worlds: Int32Array, offset: number): Client[] =>
  Array.from({ length: config.setup.n }, (_, i) =>
    states.clients.of(states.clientOf(stateAt(worlds, offset, i))),
  );
