import type { Circumstances, Measured } from '../../core/algorithm.ts';
import type { Spread } from './spread.ts';

/** A bound that applies to a run, as figures. */
export interface AppliedBound {
  /** What it measures. */
  readonly measure: Measured;
  /** The formula, for readers. */
  readonly formula: string;
  /** Where the paper states it. */
  readonly source: string;
  /** The figure must be at least this; null if the bound is from above only. */
  readonly atLeast: number | null;
  /** The figure must be at most this; null if the bound is from below only. */
  readonly atMost: number | null;
}

/** A bound on one measure, as plain data. */
export interface MeasureBound extends AppliedBound {
  readonly counts: readonly string[]; // the types of messages it is about
}

/** What a run measured, and the bounds that apply to it. */
export interface Judged {
  /** The bounds of the paper that apply to this run. */
  readonly bounds: readonly AppliedBound[];
}

/** The circumstances with the longest times and with the shortest. */
export interface TimedCircumstances {
  readonly longest: Circumstances;
  readonly shortest: Circumstances;
}

/** The time until each process knows the leader. */
export interface ElectionTime extends Spread, Judged {
  /** Until the winner knows; null if no process wins. */
  readonly winner: number | null;
}

/** One round of an election that happens again and again. Times are in ticks, from the beginning of the run. */
export interface ElectionRound {
  /** Its number. */
  readonly round: number;
  /** When the first process took part. */
  readonly begun: number;
  /** The leader: an id, or a position if processes have no ids; null if nobody won. */
  readonly leader: number | null;
  /** When the first process knew the leader; null if nobody won. */
  readonly won: number | null;
  /** When the last process learned the leader so far; null if nobody won. */
  readonly known: number | null;
}

/** The load of processes: messages sent plus received by each. */
export interface Load extends Spread, Judged {
  /** The share of all messages, sent and received, that the busiest process has; from 0 to 1. */
  readonly busiestShare: number;
}

/** What a run measures beside its number of messages. Times are in ticks. A measure that does not apply is null. */
export interface Measures {
  /** From a release, while another process waits, to the next entry by another process. */
  readonly synchronisationDelay: (Spread & Judged) | null;
  /** From a request to its entry. */
  readonly waitingTime: (Spread & Judged) | null;
  /** Messages with the token that arrive from a request to its entry. Null if the algorithm declares no bound on them. */
  readonly tokenHops: (Spread & Judged) | null;
  /** From a request to its release. */
  readonly responseTime: (Spread & Judged) | null;
  /** Entries per tick, from the first request to the last exit. */
  readonly throughput: number | null;
  /**
   * From the first start to the moment a process knows the leader. The most is that of the last process. If elections have rounds, of the
   * latest round.
   */
  readonly electionTime: ElectionTime | null;
  /** The rounds of an election that numbers them, in the order in which they began. */
  readonly rounds: readonly ElectionRound[];
  /** The longest causal chain of messages that ends at each process. The most is the longest of the run. */
  readonly chain: (Spread & Judged) | null;
  /** By message kind: fields, the type among them, with the entries of lists counted one by one. */
  readonly elements: Readonly<Record<string, Spread & Judged>> | null;
  /** By message kind: the bits of all fields but the type, each number in binary. Sampled above a million messages. */
  readonly bits: Readonly<Record<string, Spread & Judged>> | null;
  /** The bits of all messages, as `bits` counts them. An estimate above a million messages. */
  readonly totalBits: number | null;
  /** The bounds that apply to measures that are a single number. */
  readonly boundsOn: {
    readonly throughput: readonly AppliedBound[];
    readonly totalBits: readonly AppliedBound[];
  };
  /** Messages sent plus received by each process. */
  readonly load: Load | null;
}
