// The contract. An algorithm is a table of handlers over a plain local state. A host (simulator, checker, lab,
// cluster) calls them and carries out their actions. Nothing else reaches an algorithm.

import type { Bound, Bypass } from './bound-types.ts';
import type { Assumptions, Synchronisation, Winner } from './declared-assumptions.ts';
import type { MessageShapes, ShapesOf } from './message-shape.ts';
import type { Problem, Problems } from './problem-events.ts';

export type { Bound, Bypass, Circumstances, Counting, Measured, Transmission } from './bound-types.ts';
export type { Assumptions, ChannelKind, Network, Synchronisation, Winner } from './declared-assumptions.ts';
export type { Problem, Problems } from './problem-events.ts';

/** JSON-like data. States and messages consist of it, so a host can copy, compare and send them. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

/** A message, a timer or an event. Its `type` names the handler that receives it. */
export type Message = {
  /** The kind of the message. */
  readonly type: string;
};

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
 * import { check } from 'batonjs-lab/check';
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
  /** Elections only: true if a process that has learned the leader may start a new election. Bounds are then counted per election. */
  readonly electsAgain?: true;
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
  /**
   * True if it never stops sending: a run ends with its workload. A perpetual election promises that eventually all living processes follow one
   * living leader, and that it stays. Until then leaders may differ.
   */
  readonly perpetual?: true;
  /** The fields that contain addresses. Hosts show the process meant: `p3`, or `self`, which is also how they show the text `me` there. Defaults to none. */
  readonly addresses?: AddressFields;
  /** Rounds of which only the differences matter. A checker counts them from the lowest one that matters to a process; those before are all the same. */
  readonly rounds?: {
    /** The field of local states and messages that holds a round. Handlers do the same if all rounds are greater by the same number. */
    readonly field: string;
    /** The field of messages, if it has another name there. Defaults to `field`. */
    readonly inMessages?: string;
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
    | 'electsAgain'
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
