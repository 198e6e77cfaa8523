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
import type { Medium } from './medium.ts';
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
  readonly #medium: Medium;
  readonly #n: number;
  readonly #electorate: Electorate | null; // of an election
  readonly #numbers: Int32Array;
  readonly #combinations: Tuples;
  readonly #judgements: Judgement[] = [];

  constructor(medium: Medium) {
    const { algorithm, n, ids, entries } = medium.question.setup;
    const { problem, assumes } = algorithm;
    const elects = ('elects' in algorithm ? algorithm.elects : undefined) ?? 'any';
    this.#medium = medium;
    this.#n = n;
    this.#electorate =
      problem === 'mutex' ? null : { ids, elects, survivesCrashes: assumes.failures === 'crash' };
    const mutex = entries === Infinity ? mutexWitnesses.slice(0, 1) : mutexWitnesses;
    this.witnesses = problem === 'mutex' ? mutex : electionWitnesses;
    this.#numbers = new Int32Array(n);
    this.#combinations = new Tuples(n, 64);
  }

  of(worlds: Int32Array, offset: number): Judgement {
    for (let i = 0; i < this.#n; i += 1) this.#numbers[i] = this.#medium.states.userOf(worlds[offset + i]!);
    const number = this.#combinations.add(this.#numbers, 0);
    this.#judgements[number] ??= this.#judge(usersIn(this.#medium, worlds, offset));
    return this.#judgements[number];
  }

  #judge(users: readonly User[]): Judgement {
    const electorate = this.#electorate;
    const { help } = this.#medium;
    const stuck = electorate === null ? stuckMutex(users, help) : stuckElection(users, electorate);
    return {
      violation: electorate === null ? brokenMutex(users) : brokenElection(users, electorate),
      shown: electorate === null ? mutexWitness(users) : electionWitness(users),
      atRest: stuck ?? stuckSnapshot(users),
    };
  }
}

/** The applications in a world, by process. */
export const usersIn = ({ states, question }: Medium, worlds: Int32Array, offset: number): User[] =>
  Array.from({ length: question.setup.n }, (_, i) => states.users.of(states.userOf(worlds[offset + i]!)));
