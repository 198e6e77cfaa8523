// The contract. An algorithm is a table of handlers over a plain local state. A host (simulator, checker, lab,
// cluster) calls them and carries out their actions. Nothing else reaches an algorithm.

/** JSON-like data. States and messages consist of it, so a host can copy, compare and send them. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

export type Message = { readonly type: string };

/** The calls an application makes and the events it receives, for each problem. */
export interface Problems {
  mutex: { call: 'request' | 'release'; event: { readonly type: 'entered' } };
  /** Anonymous processes can name the leader only as `me` or `another`. */
  election: {
    call: 'start';
    event: { readonly type: 'elected'; readonly leader: number | 'me' | 'another' };
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
      readonly round?: string;
    };
  };
}
export type Problem = keyof Problems;

/** A position in the network, 0 .. n-1, as hosts and observers see it. A process may not know its own. */
export type Pid = number;

/**
 * How a process names a neighbour. A process that knows `me` uses Pids. Any other process numbers its own
 * links 0, 1, ..: the link to the next process of a ring is 0, and a two-way ring has `left` and `right`.
 */
export type Address = number;

export const next: Address = 0;
export const left: Address = 0;
export const right: Address = 1;

/** What a process can know before the first event. Each algorithm declares the facts that its paper allows. */
export interface AllFacts {
  readonly me: Address; // its own address, as the others use it
  readonly id: number; // unique and comparable; independent of the position
  readonly n: number; // the number of processes
  readonly neighbours: readonly Address[]; // the addresses that `send` accepts
  readonly root: boolean; // true at one process: the first token holder, the coordinator or the special machine
  readonly parent: Address | null; // the neighbour towards the root; null at the root
  readonly maxDelay: number; // the longest message delay, including handling, in units of this process's clock
  readonly minDelay: number; // the shortest message delay, in units of `clock`
  readonly drift: number; // the most that two clocks drift apart, per unit of either
}
export type Fact = keyof AllFacts;
export type Knowledge = readonly Fact[];

/** The facts that an algorithm declares. Others are absent from the type and from the object. */
export type Facts<K extends Knowledge> = Pick<AllFacts, K[number]>;

/** The actions of a handler. Each host implements them. */
export interface Actions<P extends Problem, M extends Message> {
  send(to: Address, message: M): void; // the message must not change from here on
  emit(event: Problems[P]['event']): void; // notify the application
  /** Sets a timer: a message to the process itself, at the `ticks`-th next tick of its clock. The same type re-arms it. */
  after(ticks: number, message: M): void;
  cancel(type: M['type']): void;
  choose(options: number): number; // 0 .. options-1: random in the simulator, all branches in the checker
}

/** What a process also has if the problem is clock synchronisation. */
export interface Clock {
  /** Reads the hardware clock, in nanoseconds. It drifts, and is never set. A tick is a millisecond. */
  clock(): number;
}
export const tick = 1_000_000; // nanoseconds

export type Process<P extends Problem, M extends Message, K extends Knowledge> = Facts<K> &
  Actions<P, M> &
  (P extends 'clocks' ? Clock : unknown);

export interface Assumptions {
  readonly topology: Network | 'shared memory'; // the latter is implied by the other contract and never declared
  readonly channels: ChannelKind;
  /** The failures that may happen; no other message is lost or repeated. `corruption`: variables take any values. `lies`: a minority misreads its clocks. */
  readonly failures: 'none' | 'crash' | 'token loss' | 'corruption' | 'link changes' | 'lies';
  /** `bounded`: no message takes longer than maxDelay. `archimedean`: clock rates and delays have bounded ratios. */
  readonly timing: 'asynchronous' | 'bounded' | 'archimedean';
}
export type Network = 'complete' | 'ring' | 'two-way ring' | 'tree' | 'connected';
export type ChannelKind = 'unordered' | 'fifo' | 'causal';

/** The process that wins an election among the living ones. With `any`, it may be each of them. */
export type Winner = 'largest' | 'smallest' | 'any';

/** The clock to synchronise to, and the processes whose calls begin a synchronisation. */
export interface Synchronisation {
  readonly to: 'root' | 'each other';
  readonly begins: 'root' | 'others' | 'all';
}

/** What a bound may depend on. Hosts fill it in from the run. */
export interface Circumstances {
  readonly n: number;
  readonly edges: number;
  readonly diameter: number;
  readonly topology: string;
  readonly initiators: number; // processes that start the election or request the lock
  readonly together: boolean; // all initiators start at the same time
  readonly living: number; // processes that never crashed
  readonly lost: number; // messages lost by a `lose` fault
  readonly channels: ChannelKind;
  readonly clockRatio: number; // longest clock unit plus longest delay, over the shortest clock unit
}

/** A bound on messages per entry, per election, or per call that begins a synchronisation, as the paper counts them. */
export interface Bound<Kind extends string = string> {
  /** `best` bounds from below, `worst` from above, `always` is exact; `mean` is over all arrangements. */
  readonly case: 'best' | 'worst' | 'always' | 'mean';
  readonly counts: readonly Kind[];
  readonly formula: string; // for readers; `messages` computes it
  readonly source: string;
  readonly when?: { readonly condition: string; readonly holds: (c: Circumstances) => boolean } | undefined;
  readonly messages: (c: Circumstances) => number;
}

/**
 * Which entries of others count while a process waits. `request`: all since its request call. `heard`: those made while
 * none of its own request messages is in flight. `quiet`: those made while no request message is in flight at all. A
 * request message has type `request`; it belongs to its `origin` if it has one, else to its sender.
 */
export type Counting = 'request' | 'heard' | 'quiet';

/** A bound on how often others enter while a process waits. */
export interface Bypass {
  readonly from: Counting;
  readonly formula: string; // for readers; a is the number of requesting processes; `entries` computes it
  readonly source: string; // where it is stated, or why there is no bound
  readonly when?: Bound['when'];
  readonly entries: (c: Circumstances) => number;
}

/** The global state of a run: local states by position, and messages in flight. Those of one FIFO channel are in order. */
export interface World<S, M extends Message> {
  readonly states: readonly S[];
  readonly inFlight: readonly { readonly from: Pid; readonly to: Pid; readonly message: M }[];
  readonly meant: (process: Pid, address: Address) => Pid; // the process that an address refers to
  readonly sender: (process: Pid, address: Address) => Pid; // the sender of messages that arrive from an address
}

export interface Algorithm<
  P extends Problem,
  S extends Plain,
  M extends Message & Plain,
  K extends Knowledge,
> {
  readonly name: string;
  readonly problem: P;
  readonly paper: string;
  readonly assumes: Assumptions;
  readonly knows: K;
  readonly elects?: Winner; // elections only; defaults to 'any'
  readonly synchronises?: Synchronisation; // required for clocks, and only for them
  readonly bounds: readonly Bound<M['type']>[];
  readonly bypass?: readonly Bypass[]; // mutual exclusion only
  readonly timers?: readonly M['type'][]; // sent only by `after`; of those due at the same tick, the first declared fires first
  readonly perpetual?: true; // it never stops sending: a run ends with its workload
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
    isHeld(s: S): boolean;
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
    readonly legitimate: (world: World<S, M>) => boolean;
  };
}

// biome-ignore-start lint/suspicious/noExplicitAny: handlers consume their own state and messages, so only `any` fits all
/**
 * Snapshots of another algorithm. The call `snapshot` begins one. A process emits `recorded` when it has recorded its state, and
 * `complete` when it has recorded all its channels.
 */
export interface Snapshots {
  readonly of: AnyAlgorithm; // unaffected by the snapshot
  readonly marker: string; // the type of messages that the snapshot adds
  /** The recorded global state; null until every process is complete. */
  readonly recorded: (world: World<any, any>) => World<any, any> | null;
}
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
    | 'init'
    | 'token'
    | 'invariants'
  > {
  readonly problem: Problem;
  readonly knows: Knowledge;
  readonly bounds: readonly Bound[];
  readonly timers?: readonly string[];
  readonly snapshots?: Snapshots;
  readonly calls: { readonly [call: string]: (s: any, p: any) => void };
  readonly on: { readonly [type: string]: (s: any, p: any, m: any, from: Address) => void };
  readonly begin?: (s: any, p: any) => void;
  readonly recover?: (s: any, p: any) => void;
  readonly links?: { readonly [C in 'appears' | 'goes']: (s: any, p: any, j: Address) => void };
  readonly stabilises?: {
    readonly scramble: (s: any, p: any) => void;
    readonly legitimate: (world: any) => boolean;
  };
}
// biome-ignore-end lint/suspicious/noExplicitAny: above
