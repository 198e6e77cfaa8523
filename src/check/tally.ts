import type { Circumstances, Message } from '../core/algorithm.ts';
import { brokenBound, type Limits, limitsOf } from '../core/bounds.ts';
import type { Violation } from '../problems/monitor.ts';
import { circumstancesOf } from '../sim/scenario.ts';
import type { Question } from './question.ts';
import type { User } from './user.ts';

/** Messages counted along a run, in one number for each group of kinds that the papers count together. */
export class Tally {
  readonly groups: readonly (readonly string[])[];
  readonly #question: Question;
  readonly #circumstances: Circumstances;

  constructor(question: Question) {
    const { algorithm } = question.setup;
    this.#question = question;
    this.#circumstances = circumstancesOf(question.setup);
    this.groups = question.bounds ? limitsOf(algorithm, this.#circumstances).map(({ counts }) => counts) : [];
  }

  /** The group of a message, or -1. */
  groupOf({ type }: Message): number {
    return this.groups.findIndex((kinds) => kinds.includes(type));
  }

  /** The bound that a run has broken which is over now. */
  broken(users: readonly User[], counts: Int32Array): Violation | null {
    return this.#broken(users, counts, (limits) => limits);
  }

  /** The bound that is broken whatever comes next: more are sent already than may be for what was asked so far. */
  exceeded(users: readonly User[], counts: Int32Array): Violation | null {
    return this.#broken(users, counts, (limits) => limits.map((limit) => ({ ...limit, atLeast: 0 })));
  }

  #broken(
    users: readonly User[],
    counts: Int32Array,
    those: (limits: readonly Limits[]) => readonly Limits[],
  ): Violation | null {
    const { setup, together } = this.#question;
    const { algorithm, starts, entries } = setup;
    const isMutex = algorithm.problem === 'mutex';
    const may = isMutex ? entries : 1;
    const initiators = users.filter(({ left }) => left < may).length - (setup.n - starts.count); // without those who never may
    if (initiators === 0) return null;
    const times = isMutex ? starts.count * entries - users.reduce((sum, { left }) => sum + left, 0) : 1;
    const byType = Object.fromEntries(this.groups.map(([kind], k) => [kind!, counts[k]!]));
    const limits = limitsOf(algorithm, { ...this.#circumstances, initiators, together }, times);
    const why = brokenBound(those(limits), byType);
    return why === null ? null : { property: 'the message bound', why };
  }
}
