import type { ElectionSpec } from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
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
  readonly witnessed: number; // of what should be seen sometimes
  readonly whenQuiescent: Violation | null; // what is wrong if nothing is bound to happen any more
}

/** The problem's properties in each world. Nothing counts for them but the users, and of these there are few different combinations. */
export class PropertyCache {
  readonly witnesses: readonly string[];
  readonly #medium: Medium;
  readonly #n: number;
  readonly #electorate: ElectionSpec | null; // of an election
  readonly #numbers: Int32Array;
  readonly #combinations: TupleTable;
  readonly #results: PropertyResult[] = [];

  constructor(medium: Medium) {
    const { algorithm, n, ids, entries } = medium.config.setup;
    const { problem, assumes } = algorithm;
    const elects = ('elects' in algorithm ? algorithm.elects : undefined) ?? 'any';
    this.#medium = medium;
    this.#n = n;
    this.#electorate =
      problem === 'mutex' ? null : { ids, elects, survivesCrashes: assumes.failures === 'crash' };
    const mutex = entries === Infinity ? mutexWitnesses.slice(0, 1) : mutexWitnesses;
    this.witnesses = problem === 'mutex' ? mutex : electionWitnesses;
    this.#numbers = new Int32Array(n);
    this.#combinations = new TupleTable(n, 64);
  }

  of(worlds: Int32Array, offset: number): PropertyResult {
    for (let i = 0; i < this.#n; i += 1) this.#numbers[i] = this.#medium.states.clientOf(worlds[offset + i]!);
    const number = this.#combinations.add(this.#numbers, 0);
    this.#results[number] ??= this.#evaluate(clientsIn(this.#medium, worlds, offset));
    return this.#results[number];
  }

  #evaluate(clients: readonly Client[]): PropertyResult {
    const electorate = this.#electorate;
    const { help } = this.#medium;
    const stuck = electorate === null ? stuckMutex(clients, help) : stuckElection(clients, electorate);
    return {
      violation: electorate === null ? brokenMutex(clients) : brokenElection(clients, electorate),
      witnessed: electorate === null ? mutexWitness(clients) : electionWitness(clients),
      whenQuiescent: stuck ?? stuckSnapshot(clients),
    };
  }
}

/** The applications in a world, by process. */
export const clientsIn = ({ states, config }: Medium, worlds: Int32Array, offset: number): Client[] =>
  Array.from({ length: config.setup.n }, (_, i) => states.clients.of(states.clientOf(worlds[offset + i]!)));
