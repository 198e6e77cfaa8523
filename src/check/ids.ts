// The numbers by which the checker knows things. Each thing gets its number when the checker first meets it, in the order of a search by one
// thread, so the same question always gives the same numbers. Every kind is a type of its own: the compiler refuses one for another.

declare const kind: unique symbol;

type NumberId<Kind extends string> = number & { readonly [kind]: Kind };

/** A world: the state of the whole system, which TLC and Spin call a state. It is a tuple of numbers: see `Medium`. */
export type WorldId = NumberId<'world'>;

/**
 * The state of one process, as far as a world records it. Where processes send messages it is a local state and an inbox; on shared memory
 * it is a local state.
 */
export type ProcessStateId = NumberId<'process state'>;

/** What a process has by itself: its variables, its client and its timers. */
export type LocalStateId = NumberId<'local state'>;

/** The variables of one process: the state object that the handlers of the algorithm read and change. */
export type VariablesId = NumberId<'variables'>;

/** A client: what the application at one process is doing. See `Client`. */
export type ClientId = NumberId<'client'>;

/** The armed timers of one process and what is known of its causal past. See `TimerState`. */
export type TimersId = NumberId<'timers'>;

/** A message in flight, with its sender and all that decides when it may arrive. See `Envelope`. */
export type EnvelopeId = NumberId<'envelope'>;

/** The messages in flight to one process: a list of envelopes in canonical order. */
export type InboxId = NumberId<'inbox'>;

/** What can happen at a process, before chance decides: a call, the receipt of an envelope, a timer, a fault. */
export type ActionId = NumberId<'action'>;

/** An action together with the result of every coin toss in it. */
export type EventId = NumberId<'event'>;

/** All transitions of one action from one local state, one for each way the coins can fall. */
export type TransitionsId = NumberId<'transitions'>;

/** An effect: what one event does in one process state. It is a position in the table of effects. See `EffectTable`. */
export type EffectId = NumberId<'effect'>;

/** The effects that are enabled in one process state: the position of a list in the table of effects. */
export type EffectListId = NumberId<'effect list'>;

/** The value of a register. */
export type ValueId = NumberId<'value'>;

/** A claim that a message may as well arrive first. See `CommuteClaims`. */
export type ClaimId = NumberId<'claim'>;

/** Something that a fair run cannot put off forever while it is enabled: the receipt on a channel, a timer, a release, a step. */
export type FairActionId = NumberId<'fair action'>;

/** A transition of the state graph: a position in its table of edges. */
export type EdgeId = NumberId<'edge'>;

/** An array whose elements are ids of one kind. */
export interface IdArray<I extends number> extends Int32Array {
  [index: number]: I;
}

/** Returns the state of process i in the world that begins at `offset`. */
export const stateAt = (worlds: Int32Array, offset: number, i: number): ProcessStateId =>
  worlds[offset + i]! as ProcessStateId;
