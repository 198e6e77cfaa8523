import type { Circumstances, Message } from '../../core/algorithm.ts';
import { brokenBound, type Limits, limitsOf } from '../../core/bounds.ts';
import type { Violation } from '../../problems/monitor.ts';
import { circumstancesOf } from '../../sim/scenario/kept-assumptions.ts';
import type { CheckConfig } from '../config.ts';
import type { Client } from './client.ts';

/** Messages counted along a run, in one number for each group of kinds that the papers count together. */
export class MessageCounts {
  readonly groups: readonly (readonly string[])[];
  readonly #question: CheckConfig;
  readonly #circumstances: Circumstances;

  constructor(config: CheckConfig) {
    const { algorithm } = config.setup;
    this.#question = config;
    this.#circumstances = circumstancesOf(config.setup);
    this.groups = config.bounds ? limitsOf(algorithm, this.#circumstances).map(({ counts }) => counts) : [];
  }

  /** The group of a message, or -1. */
  groupOf({ type }: Message): number {
    return this.groups.findIndex((kinds) => kinds.includes(type));
  }

  /** The bound that a run has broken which is over now. */
  broken(clients: readonly Client[], counts: Int32Array): Violation | null {
    return this.#broken(clients, counts, (limits) => limits);
  }

  /** The bound that is broken whatever comes next: more are sent already than may be for what was asked so far. */
  exceeded(clients: readonly Client[], counts: Int32Array): Violation | null {
    return this.#broken(clients, counts, (limits) => limits.map((limit) => ({ ...limit, atLeast: 0 })));
  }

  #broken(
    clients: readonly Client[],
    counts: Int32Array,
    those: (limits: readonly Limits[]) => readonly Limits[],
  ): Violation | null {
    const { setup, together } = this.#question;
    const { algorithm, starts, entries } = setup;
    const isMutex = algorithm.problem === 'mutex';
    const may = isMutex ? entries : 1;
    const initiators = clients.filter(({ left }) => left < may).length - (setup.n - starts.count); // without those who never may
    if (initiators === 0) return null;
    const times = isMutex ? starts.count * entries - clients.reduce((sum, { left }) => sum + left, 0) : 1;
    const byType = Object.fromEntries(this.groups.map(([kind], k) => [kind!, counts[k]!]));
    const limits = limitsOf(algorithm, { ...this.#circumstances, initiators, together }, times);
    const why = brokenBound(those(limits), byType);
    return why === null ? null : { property: 'the message bound', why };
  }
}
