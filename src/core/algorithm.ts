// The contract. An algorithm is a table of handlers over a plain local state. A host (simulator, checker, lab,
// cluster) calls them and carries out their actions. Nothing else reaches an algorithm.

import type { MessageShapes, ShapesOf } from './message-shape.ts';

/** JSON-like data. States and messages consist of it, so a host can copy, compare and send them. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

/** A message, a timer or an event. Its `type` names the handler that receives it. */
export type Message = {
  /** The kind of the message. */
  readonly type: string;
};

/** The calls an application makes and the events it receives, for each problem. */
export interface Problems {
  /**
   * Mutual exclusion: the application requests the critical section, enters it and releases it. `suspects` means that the process on which
   * the request depends seems to have crashed: the application may do something about it.
   */
  mutex: { call: 'request' | 'release'; event: { readonly type: 'entered' } | { readonly type: 'suspects' } };
  /**
   * Leader election. Anonymous processes can name the leader only as `me` or `another`. An algorithm that elects more than once numbers its
   * elections: `electing` means that the process takes part in that round, and follows nobody until it is `elected`.
   */
  election: {
    call: 'start';
    event:
      | {
          readonly type: 'elected';
          readonly leader: number | 'me' | 'another';
          /** The round that elected the leader. Absent if the algorithm elects once. */
          readonly round?: number;
        }
      | { readonly type: 'electing'; readonly round: number };
  };
  /**
   * The application shows a clock, and corrects it gradually. `adjust` means: show the hardware clock plus `offset`; that is at most
   * `within` from the source now. Without a source, two clocks of the same `round` differ by at most the sum of both `within`.
   */
  clocks: {
    call: 'synchronise';
    event: {
      readonly type: 'adjust';
      readonly offset: number;
      readonly within: number;
      /** The round of a synchronisation without a source. */
      readonly round?: string;
    };
  };
}

/** The name of a problem. */
export type Problem = keyof Problems;

/** A position in the network, 0 .. n-1, as hosts and observers see it. A process may not know its own. */
export type Pid = number;

/**
 * How a process names a neighbour. A process that knows `me` uses Pids. Any other process numbers its own
 * links 0, 1, ..: the link to the next process of a ring is 0, and a two-way ring has `left` and `right`.
 */
export type Address = number;

/** The link to the next process of a one-way ring. */
export const next: Address = 0;

/** The link to the left neighbour in a two-way ring. */
export const left: Address = 0;

/** The link to the right neighbour in a two-way ring. */
export const right: Address = 1;

/** What a process can know before the first event. Each algorithm declares the facts that its paper allows. */
export interface AllFacts {
  /** Its own address, as the other processes use it. */
  readonly me: Address;
  /** Its identity: unique and comparable, independent of the position. */
  readonly id: number;
  /** The number of processes. */
  readonly n: number;
  /** The addresses that `send` accepts. */
  readonly neighbours: readonly Address[];
  /** True at one process: the first token holder, the coordinator or the special machine. */
  readonly root: boolean;
  /** The neighbour towards the root; null at the root. */
  readonly parent: Address | null;
  /** The longest message delay, including handling, in units of this process's clock. */
  readonly maxDelay: number;
  /** The shortest message delay, in units of `clock`. */
  readonly minDelay: number;
  /** The most that two clocks drift apart, per unit of either. */
  readonly drift: number;
}

/** The name of a fact. */
export type Fact = keyof AllFacts;

/** The names of the facts that an algorithm declares. */
export type Knowledge = readonly Fact[];

/** The facts that an algorithm declares. Others are absent from the type and from the object. */
export type Facts<K extends Knowledge> = Pick<AllFacts, K[number]>;

/** The actions of a handler. Each host implements them. */
export interface Actions<P extends Problem, M extends Message> {
  /** Sends a message. It must not change from here on. */
  send(to: Address, message: M): void;
  /** Notifies the application. */
  emit(event: Problems[P]['event']): void;
  /** Sets a timer: a message to the process itself, at the `ticks`-th next tick of its clock. The same type re-arms it. */
  after(ticks: number, message: M): void;
  /** Cancels the timer of this type, if it is set. */
  cancel(type: M['type']): void;
  /** Returns one of 0 .. options-1: at random in the simulator, every one of them in the checker. */
  choose(options: number): number;
}

/** What a process also has if the problem is clock synchronisation. */
export interface Clock {
  /** Reads the hardware clock, in nanoseconds. It drifts, and is never set. A tick is a millisecond. */
  clock(): number;
}

/** A tick of a hardware clock, in nanoseconds. */
export const tick = 1_000_000;

/** What a handler gets as `p`: the declared facts, the actions, and for clock synchronisation the clock. */
export type Process<P extends Problem, M extends Message, K extends Knowledge> = Facts<K> &
  Actions<P, M> &
  (P extends 'clocks' ? Clock : unknown);

/** The fields of states and messages that contain addresses, by name. A field inside other fields is named without them. */
export interface AddressFields {
  /** The fields whose number, or each number in their list, is an address. Defaults to none. */
  readonly values?: readonly string[];
  /** The fields whose list has an element for each address, or whose object has addresses as keys. Defaults to none. */
  readonly keys?: readonly string[];
  /** Compositions only: the fields with the state of another algorithm, whose own address fields apply there. Defaults to none. */
  readonly inner?: { readonly [field: string]: InnerState };
}

/** The state of an algorithm that runs inside another one, over some of its processes. */
export interface InnerState {
  /** The algorithm. */
  readonly of: AnyAlgorithm;
  /** The name of the field with the participants, in order. Defaults to all processes. */
  readonly members?: string;
}

/** What an algorithm assumes. Its promises bind only in runs that keep the assumptions. */
export interface Assumptions {
  /** The network. `shared memory` is implied by the other contract and never declared. */
  readonly topology: Network | 'shared memory';
  /** The order in which messages arrive. */
  readonly channels: ChannelKind;
  /** The failures that may happen; no other message is lost or repeated. `corruption`: variables take any values. `lies`: a minority misreads its clocks. */
  readonly failures: 'none' | 'crash' | 'token loss' | 'corruption' | 'link changes' | 'lies';
  /** `bounded`: no message takes longer than maxDelay. `synchronous`: nor do clocks differ in rate. `archimedean`: clock rates and delays have bounded ratios. */
  readonly timing: 'asynchronous' | 'bounded' | 'synchronous' | 'archimedean';
}

/** The networks that an algorithm can assume. */
export type Network = 'complete' | 'ring' | 'two-way ring' | 'tree' | 'connected';

/**
 * The order in which messages arrive. `fifo`: messages from one process to another arrive in the order of sending. `causal`: so do messages
 * to one process whose sendings are ordered by happened-before.
 */
export type ChannelKind = 'unordered' | 'fifo' | 'causal';

/** The process that wins an election among the living ones. With `any`, it may be each of them. */
export type Winner = 'largest' | 'smallest' | 'any';

/** The clock to synchronise to, and the processes whose calls begin a synchronisation. */
export interface Synchronisation {
  /** The clock to synchronise to. */
  readonly to: 'root' | 'each other';
  /** The processes whose calls begin a synchronisation. */
  readonly begins: 'root' | 'others' | 'all';
}

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
 * does, `load` the busiest process's share of all messages sent and received, `elements` and `bits` the size of each message, `totalBits`
 * the size of all.
 */
export type Measured =
  | 'messages'
  | 'synchronisationDelay'
  | 'waitingTime'
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

/** The global state of a run: local states by position, and messages in flight. Those of one FIFO channel are in order. */
export interface World<S, M extends Message> {
  /** The local states, by position. */
  readonly states: readonly S[];
  /** The messages in flight. Those of one FIFO channel are in order. */
  readonly inFlight: readonly { readonly from: Pid; readonly to: Pid; readonly message: M }[];
  /** Returns the process that an address of `process` refers to. */
  readonly meant: (process: Pid, address: Address) => Pid;
  /** Returns the sender of messages that arrive at `process` from an address. */
  readonly sender: (process: Pid, address: Address) => Pid;
}

/**
 * An algorithm that sends messages: a table of handlers over a plain local state. See [the contract](docs/reference/contract.md).
 *
 * @example
 * import { check } from 'batonjs/check';
 * import type { Algorithm } from 'batonjs/core';
 *
 * type State = { inside: boolean };
 * type Message = { type: 'entering' };
 * const hasty: Algorithm<'mutex', State, Message, ['neighbours']> = {
 *   name: 'hasty', problem: 'mutex', paper: 'none: it announces that it enters, and waits for no reply',
 *   assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
 *   knows: ['neighbours'], bounds: [],
 *   init: () => ({ inside: false }),
 *   calls: {
 *     request(s, p) {
 *       for (const j of p.neighbours) p.send(j, { type: 'entering' });
 *       s.inside = true;
 *       p.emit({ type: 'entered' });
 *     },
 *     release(s) { s.inside = false; },
 *   },
 *   on: { entering: () => {} },
 * };
 * check(hasty, { n: 2 }).violation?.property; // → 'at most one inside'
 */
export interface Algorithm<
  P extends Problem,
  S extends Plain,
  M extends Message & Plain,
  K extends Knowledge,
> {
  /** Its name, in lower case with hyphens. */
  readonly name: string;
  /** The problem that it solves. */
  readonly problem: P;
  /** Its paper, as `doi:…` or a citation. */
  readonly paper: string;
  /** What it assumes. */
  readonly assumes: Assumptions;
  /** The facts that a process knows. */
  readonly knows: K;
  /** Elections only: the process that wins. Defaults to `any`. */
  readonly elects?: Winner;
  /** Required for clocks, and only for them. */
  readonly synchronises?: Synchronisation;
  /** The paper's bounds on messages. Runs are held to them. */
  readonly bounds: readonly Bound<M['type']>[];
  /** Mutual exclusion only: bounds on the entries of others while a process waits. */
  readonly bypass?: readonly Bypass[];
  /**
   * The type of message by which a failure detector reports a crash. It arrives from the process that crashed, once at every other process,
   * some time after the crash. No handler sends it. Without it, no process is told.
   */
  readonly crashNotice?: M['type'];
  /** The types of messages that only `after` sends. Of those due at the same tick, the first declared fires first. */
  readonly timers?: readonly M['type'][];
  /**
   * Mutual exclusion only: the fields of each kind of message, besides `type`. A handler that sends another message breaks the contract, and
   * a member of a group refuses one that arrives. Defaults to none: members then pass all messages of known types to the handlers.
   */
  readonly messages?: P extends 'mutex' ? ShapesOf<M> : never;
  /** True if it never stops sending: a run ends with its workload. */
  readonly perpetual?: true;
  /** The fields that contain addresses. Hosts show the process meant: `p3`, or `self`, which is also how they show the text `me` there. Defaults to none. */
  readonly addresses?: AddressFields;
  /** Rounds of which only the differences matter. A checker counts them from the lowest one that matters to a process; those before are all the same. */
  readonly rounds?: {
    /** The field of local states and messages that holds a round. Handlers do the same if all rounds are greater by the same number. */
    readonly field: string;
    /** Returns false if the process never looks at its round again. */
    matters(s: S): boolean;
  };
  /**
   * Numbers that the algorithm finds out besides solving its problem, by name: each a function of the local state of the process that knows it,
   * or null. Hosts show them and do not judge them. Defaults to none.
   */
  readonly finds?: { readonly [what: string]: (s: S) => number | null };
  /** Returns the initial state of a process. */
  init(place: Facts<K>): S;
  /** Runs once, before any other event. */
  readonly begin?: (s: S, p: Process<P, M, K>) => void;
  /** The handlers of the application's calls. */
  readonly calls: { [C in Problems[P]['call']]: (s: S, p: Process<P, M, K>) => void };
  /** The handlers of messages. A handler runs to completion and changes only `s`. */
  readonly on: {
    [T in M['type']]: (s: S, p: Process<P, M, K>, m: M & { readonly type: T }, from: Address) => void;
  };
  /** Runs after a restart, with a fresh state. Without it, a restarted process waits for a message. */
  readonly recover?: (s: S, p: Process<P, M, K>) => void;
  /** The link to j appears, or goes and loses its messages in flight. `neighbours` includes every link that ever exists. */
  readonly links?: {
    readonly [C in 'appears' | 'goes']: (s: S, p: Process<P, M, K>, j: Address) => void;
  };
  /** The token, if the algorithm has one: it is at one process or in one message, unless it is lost. */
  readonly token?: {
    /** Returns true if the process with this state has the token. */
    isHeld(s: S): boolean;
    /** Returns true if this message carries the token. */
    isIn(m: M): boolean;
    /** The process the receiver will forward the token to, if the message says. Only for algorithms that know `me`. */
    next?(m: M): Address | undefined;
  };
  /** The lemmas of the paper. A host that sees global states checks each one in all of them. */
  readonly invariants?: { readonly [lemma: string]: (world: World<S, M>) => boolean };
  /** Self-stabilisation: a run begins in a legitimate global state and returns to one after any corruption. */
  readonly stabilises?: {
    /** Sets the variables to arbitrary values by `p.choose`, but not what the application knows: whether it waits or is inside. */
    readonly scramble: (s: S, p: Facts<K> & Pick<Actions<P, M>, 'choose'>) => void;
    /** Returns true if the global state is legitimate. */
    readonly legitimate: (world: World<S, M>) => boolean;
  };
}

// biome-ignore-start lint/suspicious/noExplicitAny: handlers consume their own state and messages, so only `any` fits all
/**
 * Snapshots of another algorithm. The call `snapshot` begins one. A process emits `recorded` when it has recorded its state, and
 * `complete` when it has recorded all its channels.
 */
export interface Snapshots {
  /** The algorithm whose state is recorded. The snapshot does not affect it. */
  readonly of: AnyAlgorithm;
  /** The type of messages that the snapshot adds. */
  readonly marker: string;
  /** The recorded global state; null until every process is complete. */
  readonly recorded: (world: World<any, any>) => World<any, any> | null;
}

/** What a process emits during a snapshot: it has recorded its state, or all its channels as well. */
export type SnapshotEvent = { readonly type: 'recorded' | 'complete' };

/** An algorithm as hosts see it: the types of its state and messages are its own. */
export interface AnyAlgorithm
  extends Pick<
    Algorithm<any, any, any, any>,
    | 'name'
    | 'paper'
    | 'assumes'
    | 'elects'
    | 'synchronises'
    | 'bypass'
    | 'perpetual'
    | 'rounds'
    | 'addresses'
    | 'finds'
    | 'init'
    | 'token'
    | 'invariants'
  > {
  /** The problem that it solves. */
  readonly problem: Problem;
  /** The facts that a process knows. */
  readonly knows: Knowledge;
  /** The paper's bounds on messages. */
  readonly bounds: readonly Bound[];
  /** The type of message by which a failure detector reports a crash. See {@link Algorithm}. */
  readonly crashNotice?: string;
  /** The types of messages that only `after` sends. */
  readonly timers?: readonly string[];
  /** The fields of each kind of message. See {@link Algorithm}. */
  readonly messages?: MessageShapes;
  /** Present if the algorithm takes snapshots of another one. */
  readonly snapshots?: Snapshots;
  /** The handlers of the application's calls. */
  readonly calls: { readonly [call: string]: (s: any, p: any) => void };
  /** The handlers of messages. */
  readonly on: { readonly [type: string]: (s: any, p: any, m: any, from: Address) => void };
  /** Runs once, before any other event. */
  readonly begin?: (s: any, p: any) => void;
  /** Runs after a restart, with a fresh state. */
  readonly recover?: (s: any, p: any) => void;
  /** The handlers of links that appear and go. */
  readonly links?: { readonly [C in 'appears' | 'goes']: (s: any, p: any, j: Address) => void };
  /** Self-stabilisation. See {@link Algorithm}. */
  readonly stabilises?: {
    readonly scramble: (s: any, p: any) => void;
    readonly legitimate: (world: any) => boolean;
  };
}
// biome-ignore-end lint/suspicious/noExplicitAny: above
