import type { ChannelKind, Pid } from '../../core/algorithm.ts';
import type { Topology } from '../../core/topology.ts';
import type { CommonFault, Fault } from './faults.ts';

export interface SlowLink {
  readonly between: readonly [Pid, Pid];
  readonly ticks: number;
  readonly oneWay?: boolean; // only from the first to the second
}

/** The scenario of a run. Every field has a default; the same scenario and seed give the same run. */
export interface Scenario {
  readonly n?: number;
  readonly ids?: readonly number[]; // in ring order, in the direction of messages
  readonly topology?: string | Topology;
  readonly root?: Pid; // the first token holder, the coordinator or the special process
  readonly channels?: ChannelKind;
  readonly latency?: string; // fixed:D, uniform:A:B or exponential:MEAN
  readonly slow?: readonly SlowLink[]; // links with a delay of their own
  readonly loss?: number; // probability per message
  readonly duplication?: number;
  readonly faults?: readonly (Fault | CommonFault)[];
  readonly clocks?: readonly number[]; // ticks per unit of each local clock
  /** The processes that start the election or request the lock, and when. `at` defaults to 0, or for a lock to a first think time. */
  readonly start?: 'all' | readonly { readonly process: Pid; readonly at?: number }[];
  readonly entries?: number; // requests of each process
  /** The processes that begin a snapshot, and when. Defaults to one process and time drawn from the seed. */
  readonly snapshot?: readonly { readonly process: Pid; readonly at?: number }[];
  readonly think?: string; // time between a release and the next request, or between two synchronisations
  readonly hold?: string; // time in the critical section
  readonly offsets?: readonly number[]; // of each hardware clock at the start, in ticks
  readonly drifts?: readonly number[]; // millionths by which each hardware clock runs fast
  readonly drift?: number; // the largest drift that processes assume
  readonly slew?: number | 'step'; // millionths by which a clock under correction runs faster or slower
  readonly rounds?: number; // synchronisations of each process
  readonly seed?: number;
  readonly limit?: number; // events after which the run is stopped
}

/** From the weakest to the strongest. */
export const channelKinds: readonly ChannelKind[] = ['unordered', 'fifo', 'causal'];
