// What an algorithm assumes and promises, as declared.

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
  /** The processes that must be alive at any time: `majority` means more than half of all. Defaults to any number. */
  readonly quorum?: 'majority';
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
