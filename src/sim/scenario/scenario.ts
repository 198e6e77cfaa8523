import type { ChannelKind, Pid } from '../../core/algorithm.ts';
import type { Topology } from '../../core/topology.ts';
import type { CommonFault, Fault } from './faults.ts';

/** A link with a delay of its own. */
export interface SlowLink {
  /** Its two ends. */
  readonly between: readonly [Pid, Pid];
  /** The delay of every message. */
  readonly ticks: number;
  /** Whether only messages from the first end to the second are slow. Defaults to false. */
  readonly oneWay?: boolean;
}

/**
 * The scenario of a run. Every field has a default; the same scenario and seed give the same run. Times are in ticks. A duration is a text:
 * `fixed:D`, `uniform:A:B` or `exponential:MEAN`, in whole ticks. That of a message may also be `bits:A:B`: A ticks, and B for each of its bits.
 */
export interface Scenario {
  /** The number of processes. Defaults to the number of `ids`, or of processes of the `topology`, or else to 5, as far as the algorithm allows. */
  readonly n?: number;
  /** The ids of the processes, whole numbers from 0 (Vitányi's from 1), in ring order in the direction of messages. Defaults to 1 to n, in an order drawn from the seed. */
  readonly ids?: readonly number[];
  /**
   * The network: `complete`, `ring`, `line`, `star`, `tree`, `grid`, `wheel`, `random:DEGREE`, `edges:0-1,1-2`, or a `Topology`.
   * Defaults to the one that the algorithm assumes, and to `random:3` if it assumes only a connected one.
   */
  readonly topology?: string | Topology;
  /** The first token holder, the coordinator or the special process. Defaults to 0. */
  readonly root?: Pid;
  /** The order of messages: `unordered`, `fifo` or `causal`. Defaults to what the algorithm assumes. */
  readonly channels?: ChannelKind;
  /** The delay of a message, or the duration of a step on shared memory. Defaults to `uniform:1:10`. */
  readonly latency?: string;
  /** Links with a delay of their own. Defaults to none. */
  readonly slow?: readonly SlowLink[];
  /** The probability that a message is lost. Defaults to 0. */
  readonly loss?: number;
  /** The probability that a message arrives twice. Defaults to 0. */
  readonly duplication?: number;
  /**
   * Crashes, pauses, partitions and other faults. An election that assumes no failures leaves out a process that crashes before the first start. Defaults
   * to none.
   */
  readonly faults?: readonly (Fault | CommonFault)[];
  /**
   * How processes notice a crash, if the algorithm declares a `crashNotice`. `timeout:PERIOD:TIMEOUT`: each process asks the others every period
   * and expects the answer within the time-out. `handshake:PERIOD:TIMEOUT`: each sends a handshake every period, which is expected within the
   * time-out. Defaults to `timeout:2D:2D`, where D is the longest delay that processes assume.
   */
  readonly detector?: string;
  /** The ticks per unit of each local clock, by position. Timers count in these units. Defaults to 1 for every process. */
  readonly clocks?: readonly number[];
  /** The processes that start the election, request the lock or synchronise, and when. Defaults to `all`, and to none for an election that begins by itself. */
  readonly start?:
    | 'all'
    | readonly {
        readonly process: Pid;
        /** Defaults to 0, and for a lock to a first think time. */
        readonly at?: number;
      }[];
  /** How often each process requests the lock. Defaults to 1. */
  readonly entries?: number;
  /** The processes that begin a snapshot, and when. Defaults to one process drawn from the seed. */
  readonly snapshot?: readonly {
    readonly process: Pid;
    /** Defaults to a time drawn from the seed. */
    readonly at?: number;
  }[];
  /** The time between a release and the next request, or between two synchronisations. Defaults to `uniform:0:10`. */
  readonly think?: string;
  /** The time in the critical section. Defaults to `uniform:1:5`. */
  readonly hold?: string;
  /** The offset of each hardware clock at the start, in ticks. Defaults to numbers from -1000 to 1000, drawn from the seed. */
  readonly offsets?: readonly number[];
  /** The millionths by which each hardware clock runs fast. Defaults to numbers of at most `drift`, drawn from the seed. */
  readonly drifts?: readonly number[];
  /** The largest drift that processes assume, in millionths. Defaults to 100. */
  readonly drift?: number;
  /** The millionths by which a clock under correction runs faster or slower; `step` sets it at once. Defaults to 100,000. */
  readonly slew?: number | 'step';
  /** How many synchronisations each process begins. Defaults to 1. */
  readonly rounds?: number;
  /** The seed of everything random in the run: a whole number. Defaults to 0. */
  readonly seed?: number;
  /** The number of events after which the run is stopped, which is a violation. Defaults to no limit. */
  readonly limit?: number;
}

/** From the weakest to the strongest. */
export const channelKinds: readonly ChannelKind[] = ['unordered', 'fifo', 'causal'];
