// One process taking one step. A machine owns the facts of a process, resolves addresses to receivers, and checks the contract. A host
// calls `step` and carries out the actions that reach its sink; they are already resolved and checked.
import type { Address, Message, Pid } from '../core/algorithm.ts';
import type { Access } from '../core/shared-algorithm.ts';

/** An event at a process. */
export type Input =
  | { readonly kind: 'begin' | 'recover' | 'corrupt' | 'crash' }
  /** A call of the application. */
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'message'; readonly message: Message; readonly from: Address }
  | { readonly kind: 'timer'; readonly message: Message }
  /** The link to a neighbour appears or goes. */
  | { readonly kind: 'appears' | 'goes'; readonly neighbour: Address }
  /** The next access to shared memory. */
  | { readonly kind: 'step'; readonly line: string };

/** An access to a register, with the value read or written. `reset`: a crash resets a register that the process owns, or a corruption gives it any value. */
export type RegisterAccess = Omit<Access, 'kind'> & {
  readonly kind: 'read' | 'write' | 'reset';
  /** The value read, written or reset to. */
  readonly value: number;
};

/** The actions of a step, which the host carries out. Those of messages were checked, and addresses resolved. */
export interface Sink {
  /** Sends a message. `arrivesAs` is the receiver's address of the sender, `kind` the index of the message's type, `link` that of the sender's link. */
  send(to: Pid, arrivesAs: Address, message: Message, kind: number, link: number): void;
  /** Notifies the application. */
  emit(event: Message): void;
  /** Sets a timer, or sets it again. `timer` is the index of its type. */
  after(ticks: number, message: Message, timer: number): void;
  /** Cancels a timer, if it is set. */
  cancel(type: string, timer: number): void;
  /** Returns a choice from 0 to options - 1. */
  choose(options: number): number;
  /** Returns what the hardware clock of the process shows, in nanoseconds. */
  clock(): number;
  /** Reports an access to a register, which has been made. Only on shared memory. */
  access(accessed: RegisterAccess): void;
  /** Only on shared memory: the process is at a line of its program and must take another step. */
  continueAt(line: string): void;
}

/** The processes of one run. They differ in their facts; the host keeps their states. */
export interface Machine {
  /** The process of the current or last step. */
  readonly turn: Pid;
  /** The sink of `receive`, and of `step` unless another is given. */
  sink: Sink;
  /** Whether to check that messages are plain data. */
  checksPlainData: boolean;
  /** The names of the calls that the application may make. */
  readonly calls: readonly string[];
  /** The types of messages, without timers. */
  readonly kinds: readonly string[];
  /** The types of timers. */
  readonly timers: readonly string[];
  /** Whether processes run the lines of a program, on shared memory. */
  readonly hasLines: boolean;
  /** What a run counts: kinds of messages, or of accesses. */
  readonly counted: readonly string[];
  /** Returns the initial state of process i. */
  init(i: Pid): object;
  /**
   * Takes a step, which changes the state. A step of one process must not begin inside a step of another: they share the object `p`.
   * @throws {AssertionError} if the handler breaks the contract. What a handler throws passes through.
   */
  step(i: Pid, state: object, input: Input, sink?: Sink): void;
  /** Takes the step for a message without an input object: the fast path of long simulations. `kind` is an index of `kinds`. */
  receive(i: Pid, state: object, kind: number, message: Message, from: Address): void;
  /** Returns the global state as the algorithm's invariants see it. */
  world(states: readonly object[], inFlight: readonly InFlight[]): object;
  /** Returns the fields of a state, for readers. */
  fieldsOf(state: object): object;
  /** Returns the sender of a message that arrived at process i from this address. */
  senderOf(i: Pid, arrivesAs: Address): Pid;
}

/** A message in flight. */
export interface InFlight {
  readonly from: Pid;
  readonly to: Pid;
  readonly message: Message;
}

/** A sink that does nothing, for hosts that need only some actions. It chooses 0, and its clock shows 0. */
export const noSink: Sink = {
  send() {},
  emit() {},
  after() {},
  cancel() {},
  choose: () => 0,
  clock: () => 0,
  access() {},
  continueAt() {},
};
