import type { Circumstances, Message } from '../../core/algorithm.ts';
import { brokenBound, type Limits, limitsOf } from '../../core/bounds.ts';
import type { Violation } from '../../problems/monitor.ts';
import { circumstancesOf } from '../../sim/scenario/kept-assumptions.ts';
import type { Setup } from '../../sim/scenario/setup.ts';
import type { CheckConfig } from '../config.ts';
import type { Client } from './client.ts';

/** Counts the messages of a run: one number for each group of message types that the paper counts together. */
export class MessageCounts {
  readonly groups: readonly (readonly string[])[];
  readonly #config: CheckConfig;
  readonly #circumstances: Circumstances;

  constructor(config: CheckConfig) {
    const { algorithm } = config.setup;
    this.#config = config;
    this.#circumstances = circumstancesOf(config.setup);
    this.groups = config.bounds ? limitsOf(algorithm, this.#circumstances).map(({ counts }) => counts) : [];
  }

  /** Returns the group of a message, or -1. */
  groupOf({ type }: Message): number {
    return this.groups.findIndex((kinds) => kinds.includes(type));
  }

  /** Returns the bound that a finished run has broken. */
  broken(clients: readonly Client[], counts: Int32Array): Violation | null {
    return this.#broken(clients, counts, (limits) => limits);
  }

  /** Returns the bound that is broken whatever happens next: more messages were sent than the requests so far allow. */
  exceeded(clients: readonly Client[], counts: Int32Array): Violation | null {
    return this.#broken(clients, counts, (limits) => limits.map((limit) => ({ ...limit, atLeast: 0 })));
  }

  #broken(
    clients: readonly Client[],
    counts: Int32Array,
    select: (limits: readonly Limits[]) => readonly Limits[],
  ): Violation | null {
    const { setup, together } = this.#config;
    const { algorithm, starts, entries } = setup;
    const isMutex = algorithm.problem === 'mutex';
    const initiators = initiatorsAmong(clients, setup);
    if (initiators === 0) return null;
    const times = isMutex
      ? starts.count * entries - clients.reduce((sum, { left }) => sum + left, 0)
      : Math.max(...clients.map(({ elections }) => elections?.begun ?? 1));
    const byType = Object.fromEntries(this.groups.map(([kind], k) => [kind!, counts[k]!]));
    const limits = limitsOf(algorithm, { ...this.#circumstances, initiators, together }, times);
    const why = brokenBound(select(limits), byType);
    return why === null ? null : { property: 'the message bound', why };
  }
}

/** Returns how many processes have started or asked. */
export function initiatorsAmong(
  clients: readonly Client[],
  { algorithm, starts, entries, n }: Setup,
): number {
  const most = algorithm.problem === 'mutex' ? entries : 1;
  return clients.filter(({ left }) => left < most).length - (n - starts.count); // without processes that never may
}
