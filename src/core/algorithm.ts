// The contract. An algorithm is a table of handlers over a plain local state; a host (simulator,
// checker, lab, cluster) calls them and carries out what they ask for. Nothing else reaches an algorithm.

/** JSON-like data: states and messages are made of it, so a host can copy, compare and ship them. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

export type Message = { readonly type: string };

/** What an application asks for and is told, whichever algorithm answers. */
export interface Problems {
  mutex: { call: 'request' | 'release'; event: { readonly type: 'entered' } };
  /** Where nobody has a name, the leader can only be `me` or `another`. */
  election: {
    call: 'start';
    event: { readonly type: 'elected'; readonly leader: number | 'me' | 'another' };
  };
  /**
   * The application owns a clock that it shows, and works corrections off. `adjust`: show the hardware clock plus `offset`; that is
   * `within` so much of the source now. Where there is no source, what belongs to the same `round` is within both of each other.
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
 * How a process says whom it means. Who knows `me` calls the others by name: an address is a Pid.
 * Who does not numbers its own links 0, 1, ..: the link to the next process of a ring is 0, a two-way
 * ring has `left` and `right`.
 */
export type Address = number;

export const next: Address = 0;
export const left: Address = 0;
export const right: Address = 1;

/** All that a process can know before the first event. Each algorithm names the facts its paper allows. */
export interface AllFacts {
  readonly me: Address; // its own name, as the others' addresses say it
  readonly id: number; // unique and comparable; says nothing about the position
  readonly n: number; // how many processes there are
  readonly neighbours: readonly Address[]; // whom `send` reaches
  readonly root: boolean; // true at one process: who has the token first, the coordinator, the special machine
  readonly parent: Address | null; // the neighbour towards the root; null at the root
  readonly maxDelay: number; // no message takes longer, handling included, in units of this process's clock
  readonly minDelay: number; // none takes less, as `clock` counts
  readonly drift: number; // two clocks part by at most so much, per unit of either
}
export type Fact = keyof AllFacts;
export type Knowledge = readonly Fact[];

/** What this algorithm's processes know: other facts are missing from the type and from the object. */
export type Facts<K extends Knowledge> = Pick<AllFacts, K[number]>;

/** All a handler can do to the world. Each host implements it. */
export interface Actions<P extends Problem, M extends Message> {
  send(to: Address, message: M): void; // the message is frozen by convention from here on
  emit(event: Problems[P]['event']): void; // tell the application
  /** A timer is a message to oneself, at the `ticks`-th next tick of the local clock; the same type re-arms it. */
  after(ticks: number, message: M): void;
  cancel(type: M['type']): void;
  choose(options: number): number; // a coin, 0 .. options-1: seeded in the simulator, branched on by the checker
}

/** What a process has that is to synchronise clocks. */
export interface Clock {
  /** Its hardware clock: it runs nearly like time, and nobody sets it. It counts nanoseconds; a tick is taken for a millisecond. */
  clock(): number;
}
export const tick = 1_000_000; // on a clock

export type Process<P extends Problem, M extends Message, K extends Knowledge> = Facts<K> &
  Actions<P, M> &
  (P extends 'clocks' ? Clock : unknown);

export interface Assumptions {
  readonly topology: Network | 'shared memory'; // the latter is implied by the other contract, never declared
  readonly channels: ChannelKind;
  /** What may happen; otherwise channels neither lose nor repeat. `corruption`: variables take any values. `lies`: clocks of a minority are misread. */
  readonly failures: 'none' | 'crash' | 'token loss' | 'corruption' | 'link changes' | 'lies';
  /** `bounded`: no message takes longer than maxDelay. `archimedean`: clock rates and delays have bounded ratios. */
  readonly timing: 'asynchronous' | 'bounded' | 'archimedean';
}
export type Network = 'complete' | 'ring' | 'two-way ring' | 'tree' | 'connected';
export type ChannelKind = 'unordered' | 'fifo' | 'causal';

/** Whom an election picks among the living; some algorithms promise only that it is one of them. */
export type Winner = 'largest' | 'smallest' | 'any';

/** Whose clock is right, and whose calls begin a synchronisation. */
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
  readonly initiators: number; // how many started the election, or asked for the lock
  readonly together: boolean; // all initiators at the same moment
  readonly living: number; // processes that never crashed
  readonly lost: number; // messages that a fault loses
  readonly channels: ChannelKind;
  readonly clockRatio: number; // longest clock unit plus longest delay, over the shortest clock unit
}

/** Messages per critical section (mutex), per election, or per call that begins a synchronisation, as the paper counts them. */
export interface Bound<Kind extends string = string> {
  /** `best` bounds from below, `worst` from above, `always` is exact; `mean` is over all arrangements. */
  readonly case: 'best' | 'worst' | 'always' | 'mean';
  readonly counts: readonly Kind[];
  readonly formula: string; // for people; `messages` is the same for tests
  readonly source: string;
  readonly when?: { readonly condition: string; readonly holds: (c: Circumstances) => boolean } | undefined;
  readonly messages: (c: Circumstances) => number;
}

/**
 * Which entries of others count while one waits: all since the `request` call; those made when its requests have been
 * `heard`, none of its own being on its way; or those made in `quiet`, when nobody's is. A request is a message of that
 * type; whose it is says its `origin`, or else who sends it.
 */
export type Counting = 'request' | 'heard' | 'quiet';

/** How often others enter while one waits, at most. */
export interface Bypass {
  readonly from: Counting;
  readonly formula: string; // for people, with a for the number of processes that ask; `entries` is the same for tests
  readonly source: string; // who says so, or why there is no bound
  readonly when?: Bound['when'];
  readonly entries: (c: Circumstances) => number;
}

/** A moment of a run: the states by position, and the messages on their way, those of one FIFO channel in their order. */
export interface World<S, M extends Message> {
  readonly states: readonly S[];
  readonly inFlight: readonly { readonly from: Pid; readonly to: Pid; readonly message: M }[];
  readonly meant: (process: Pid, address: Address) => Pid; // whom a process means by an address
  readonly sender: (process: Pid, address: Address) => Pid; // whose messages come to it from there
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
  readonly elects?: Winner; // elections only; 'any' if not said
  readonly synchronises?: Synchronisation; // clocks only, always
  readonly bounds: readonly Bound<M['type']>[];
  readonly bypass?: readonly Bypass[]; // mutual exclusion only
  readonly timers?: readonly M['type'][]; // only `after` carries these; of those due at one tick, the first named comes first
  readonly perpetual?: true; // its messages never cease: a run ends with its workload
  init(place: Facts<K>): S;
  /** Before everything else, once. */
  readonly begin?: (s: S, p: Process<P, M, K>) => void;
  /** When the application calls .. do. */
  readonly calls: { [C in Problems[P]['call']]: (s: S, p: Process<P, M, K>) => void };
  /** When received (..) from j do. Runs to completion; `s` is the only thing it may change. */
  readonly on: {
    [T in M['type']]: (s: S, p: Process<P, M, K>, m: M & { readonly type: T }, from: Address) => void;
  };
  /** After a crash, with a fresh state; without it a restarted process just waits to be spoken to. */
  readonly recover?: (s: S, p: Process<P, M, K>) => void;
  /** When the link to j appears, or goes with all that is on its way there. `neighbours` has every link that ever is. */
  readonly links?: {
    readonly [C in 'appears' | 'goes']: (s: S, p: Process<P, M, K>, j: Address) => void;
  };
  /** Where the token is, if there is one that lets enter: at one process or in one message, unless it is lost. */
  readonly token?: {
    isHeld(s: S): boolean;
    isIn(m: M): boolean;
    /** Whom who receives it will send it to, by what it carries. For algorithms that know `me`. */
    next?(m: M): Address | undefined;
  };
  /** The paper's own lemmas; hosts that look at whole worlds test each one everywhere. */
  readonly invariants?: { readonly [lemma: string]: (world: World<S, M>) => boolean };
  /** Self-stabilising: a run begins in a legitimate world and, whatever values its variables take, comes back to one for good. */
  readonly stabilises?: {
    /** Gives the variables any values, by `p.choose`; not what the application knows: who wants, who is inside. */
    readonly scramble: (s: S, p: Facts<K> & Pick<Actions<P, M>, 'choose'>) => void;
    readonly legitimate: (world: World<S, M>) => boolean;
  };
}

/** What hosts are given: an algorithm whose state and messages are its own business. */
// biome-ignore-start lint/suspicious/noExplicitAny: handlers consume their own state and messages, so only `any` fits all
/** Snapshots of another algorithm: the call `snapshot` begins one; who records its state, and who has all its channels too, says so. */
export interface Snapshots {
  readonly of: AnyAlgorithm; // which runs as if nobody looked
  readonly marker: string; // messages of this type are not its own
  /** The global state that was recorded; null before all have their part. */
  readonly recorded: (world: World<any, any>) => World<any, any> | null;
}
export type SnapshotEvent = { readonly type: 'recorded' | 'complete' };

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
