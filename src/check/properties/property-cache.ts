import type { ElectionSpec } from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
import { stateAt } from '../ids.ts';
import type { Medium } from '../model/medium.ts';
import { TupleTable } from '../storage/tuple-table.ts';
import type { Client } from './client.ts';
import {
  brokenElection,
  brokenMutex,
  electionWitness,
  electionWitnesses,
  mutexWitness,
  mutexWitnesses,
  stuckElection,
  stuckMutex,
  stuckSnapshot,
} from './properties.ts';

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
    const { algorithm, n, ids, entries } = medium.config.setup;
    const { problem, assumes } = algorithm;
    const elects = ('elects' in algorithm ? algorithm.elects : undefined) ?? 'any';
    this.#medium = medium;
    this.#n = n;
    this.#election =
      problem === 'mutex' ? null : { ids, elects, survivesCrashes: assumes.failures === 'crash' };
    const mutex = entries === Infinity ? mutexWitnesses.slice(0, 1) : mutexWitnesses;
    this.witnesses = problem === 'mutex' ? mutex : electionWitnesses;
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
      witnessed: election === null ? mutexWitness(clients) : electionWitness(clients),
      whenQuiescent: stuck ?? stuckSnapshot(clients),
    };
  }
}

/** Returns the clients of a world, by process. */
export const clientsIn = ({ states, config }: Medium, worlds: Int32Array, offset: number): Client[] =>
  Array.from({ length: config.setup.n }, (_, i) =>
    states.clients.of(states.clientOf(stateAt(worlds, offset, i))),
  );
