import type { ChannelKind, Pid } from '../../core/algorithm.ts';
import type { Topology } from '../../core/topology.ts';
import type { CommonFault, Fault } from './faults.ts';

export interface SlowLink {
  readonly between: readonly [Pid, Pid];
  readonly ticks: number;
  readonly oneWay?: boolean; // only from the first to the second
}

/** What to run an algorithm on. Everything has a default; with the same seed the run is the same. */
export interface Scenario {
  readonly n?: number;
  readonly ids?: readonly number[]; // in ring order, in the direction in which messages are sent
  readonly topology?: string | Topology;
  readonly root?: Pid; // who has the token first, coordinates, is special
  readonly channels?: ChannelKind;
  readonly latency?: string; // fixed:D, uniform:A:B or exponential:MEAN
  readonly slow?: readonly SlowLink[]; // links with a delay of their own
  readonly loss?: number; // probability per message
  readonly duplication?: number;
  readonly faults?: readonly (Fault | CommonFault)[];
  readonly clocks?: readonly number[]; // ticks per unit of each local clock
  /** Who starts the election or asks for the lock; `at` is when, 0 or after a first think time if left out. */
  readonly start?: 'all' | readonly { readonly process: Pid; readonly at?: number }[];
  readonly entries?: number; // how often each one asks for the lock
  /** Who begins a snapshot, where one is taken, and when; one process at some time, by the seed, if left out. */
  readonly snapshot?: readonly { readonly process: Pid; readonly at?: number }[];
  readonly think?: string; // between leaving and asking again, or between two synchronisations
  readonly hold?: string; // inside
  readonly offsets?: readonly number[]; // of each hardware clock in the beginning, in ticks
  readonly drifts?: readonly number[]; // by how many millionths each runs fast
  readonly drift?: number; // the most that processes believe it to be
  readonly slew?: number | 'step'; // by how many millionths a clock that is corrected runs faster or slower
  readonly rounds?: number; // how often each one has its clock synchronised
  readonly seed?: number;
  readonly limit?: number; // events after which the run is given up
}

/** From the weakest to the strongest. */
export const channelKinds: readonly ChannelKind[] = ['unordered', 'fifo', 'causal'];
