// The bounds of papers: what they measure, and what they depend on.

import type { ChannelKind } from './declared-assumptions.ts';

/** The delay of a message: `switching` ticks, and `perBit` for each of its bits, at least one. */
export interface Transmission {
  /** The ticks that every message takes. */
  readonly switching: number;
  /** The ticks that each bit takes. */
  readonly perBit: number;
}

/** What a bound may depend on. Hosts fill it in from the run. */
export interface Circumstances {
  /** The number of processes. */
  readonly n: number;
  /** The number of links. */
  readonly edges: number;
  /** The length of the longest shortest path. */
  readonly diameter: number;
  /** The name of the topology. */
  readonly topology: string;
  /** The number of processes that start the election or request the lock. */
  readonly initiators: number;
  /** True if all initiators start at the same time. */
  readonly together: boolean;
  /** The number of processes that never crashed. */
  readonly living: number;
  /** The number of messages lost by a `lose` fault. */
  readonly lost: number;
  /** The order in which messages arrive. */
  readonly channels: ChannelKind;
  /** The longest clock unit plus the longest delay, over the shortest clock unit. */
  readonly clockRatio: number;
  /** The longest clock unit plus the longest delay, in ticks. */
  readonly longestUnit: number;
  /** How the delay of a message depends on its length; null if it does not, or not on all links. */
  readonly transmission: Transmission | null;
  /** The ids, by position; positions if processes have no ids. */
  readonly ids: ArrayLike<number>;
  /** The time of one message, in ticks. A bound from below is computed with the shortest, one from above with the longest. */
  readonly T: number;
  /** The time inside the critical section, in ticks, shortest or longest as T. */
  readonly E: number;
  /** True if every message takes the same time, and so does every stay inside. */
  readonly isUniform: boolean;
  /** True if every process asks again as soon as it has released the lock. */
  readonly isHeavy: boolean;
}

/**
 * What a bound is about. `messages`, `accesses` on shared memory: their number per entry, per election, or per call that begins a
 * synchronisation. The others are the measures of a run. `electionTime` is the time until the winner knows, `electionEnd` until the last process
 * does, `tokenHops` the messages with the token that arrive while a process waits, `load` the busiest process's share of all messages sent and
 * received, `elements` and `bits` the size of each message, `totalBits`
 * the size of all.
 */
export type Measured =
  | 'messages'
  | 'synchronisationDelay'
  | 'waitingTime'
  | 'tokenHops'
  | 'responseTime'
  | 'throughput'
  | 'electionTime'
  | 'electionEnd'
  | 'chain'
  | 'elements'
  | 'bits'
  | 'totalBits'
  | 'load';

/** A bound of the paper. */
export interface Bound<Kind extends string = string> {
  /** What it measures. Defaults to `messages`. */
  readonly measures?: Measured | undefined;
  /** `best` bounds from below, `worst` from above, `always` is exact; `mean` is over all arrangements. */
  readonly case: 'best' | 'worst' | 'always' | 'mean';
  /** The types of messages that the paper counts. Empty if the measure is not about messages. */
  readonly counts: readonly Kind[];
  /** The formula, for readers. `value` computes it. */
  readonly formula: string;
  /** Where the paper states it. */
  readonly source: string;
  /** The condition of the bound. Without it, the bound applies to every run. */
  readonly when?: { readonly condition: string; readonly holds: (c: Circumstances) => boolean } | undefined;
  /** Computes the bound. */
  readonly value: (c: Circumstances) => number;
}

/**
 * Which entries of others count while a process waits. `request`: all since its request call. `heard`: those made while
 * none of its own request messages is in flight. `quiet`: those made while no request message is in flight at all. A
 * request message has type `request`; it belongs to its `origin` if it has one, else to its sender.
 */
export type Counting = 'request' | 'heard' | 'quiet';

/** A bound on how often others enter while a process waits. */
export interface Bypass {
  /** Which entries of others count. */
  readonly from: Counting;
  /** The formula, for readers; a is the number of requesting processes. `entries` computes it. */
  readonly formula: string;
  /** Where it is stated, or why there is no bound. */
  readonly source: string;
  /** The condition of the bound. Without it, the bound applies to every run. */
  readonly when?: Bound['when'];
  /** Computes the bound. */
  readonly entries: (c: Circumstances) => number;
}
