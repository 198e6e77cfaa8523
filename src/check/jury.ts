import type { Electorate } from '../problems/election.ts';
import type { Violation } from '../problems/monitor.ts';
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
} from './judge.ts';
import type { Parts } from './parts.ts';
import { Tuples } from './tuples.ts';
import type { User } from './user.ts';

interface Judgement {
  readonly violation: Violation | null;
  readonly shown: number; // of what should be seen sometimes
  readonly atRest: Violation | null; // what is wrong if nothing is bound to happen any more
}

/** The problem's properties in each world. Nothing counts for them but the users, and of these there are few different combinations. */
export class Jury {
  readonly witnesses: readonly string[];
  readonly #parts: Parts;
  readonly #n: number;
  readonly #electorate: Electorate | null; // of an election
  readonly #numbers: Int32Array;
  readonly #combinations: Tuples;
  readonly #judgements: Judgement[] = [];

  constructor(parts: Parts) {
    const { algorithm, n, ids } = parts.question.setup;
    this.#parts = parts;
    this.#n = n;
    const { elects = 'any', assumes, problem } = algorithm;
    this.#electorate =
      problem === 'mutex' ? null : { ids, elects, survivesCrashes: assumes.failures === 'crash' };
    this.witnesses = problem === 'mutex' ? mutexWitnesses : electionWitnesses;
    this.#numbers = new Int32Array(n);
    this.#combinations = new Tuples(n);
  }

  of(worlds: Int32Array, offset: number): Judgement {
    for (let i = 0; i < this.#n; i += 1) this.#numbers[i] = this.#parts.userNumberOf(worlds[offset + i]!);
    const number = this.#combinations.add(this.#numbers, 0);
    this.#judgements[number] ??= this.#judge(this.users(worlds, offset));
    return this.#judgements[number];
  }

  #judge(users: readonly User[]): Judgement {
    const electorate = this.#electorate;
    const stuck = electorate === null ? stuckMutex(users) : stuckElection(users, electorate);
    return {
      violation: electorate === null ? brokenMutex(users) : brokenElection(users, electorate),
      shown: electorate === null ? mutexWitness(users) : electionWitness(users),
      atRest: stuck ?? stuckSnapshot(users),
    };
  }

  users(worlds: Int32Array, offset: number): User[] {
    return Array.from({ length: this.#n }, (_, i) => this.#parts.userOf(worlds[offset + i]!));
  }
}
