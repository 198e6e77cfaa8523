// One process taking one step. A machine owns the facts of a process, resolves addresses to receivers, and checks the contract. A host
// calls `step` and carries out the actions that reach its sink; they are already resolved and checked.
import type { Address, Message, Pid } from '../core/algorithm.ts';
import type { Access } from '../core/shared-algorithm.ts';

/** An event at a process. */
export type Input =
  | { readonly kind: 'begin' | 'recover' | 'corrupt' | 'crash' }
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'message'; readonly message: Message; readonly from: Address }
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'appears' | 'goes'; readonly neighbour: Address } // its link
  | { readonly kind: 'step'; readonly line: string }; // the next access to shared memory

/** An access to a register, with the value read or written. `reset`: a crash resets a register that the process owns. */
export type RegisterAccess = Omit<Access, 'kind'> & {
  readonly kind: 'read' | 'write' | 'reset';
  readonly value: number;
};

/** The actions of a step, which the host carries out. */
export interface Sink {
  /** `arrivesAs` is the receiver's address of the sender, `kind` the index of the message's type, `link` that of the sender's link. */
  send(to: Pid, arrivesAs: Address, message: Message, kind: number, link: number): void;
  emit(event: Message): void;
  after(ticks: number, message: Message, timer: number): void;
  cancel(type: string, timer: number): void;
  choose(options: number): number;
  clock(): number;
  /** Only on shared memory. */
  access(accessed: RegisterAccess): void;
  /** Only on shared memory: the process is at a line of its program and must take another step. */
  continueAt(line: string): void;
}

/** The processes of one run. They differ in their facts; the host keeps their states. */
export interface Machine {
  readonly turn: Pid; // the process of the current or last step
  sink: Sink; // of `receive`, and of `step` unless another is given
  checksPlainData: boolean; // check that messages are plain data
  readonly calls: readonly string[];
  readonly kinds: readonly string[]; // of messages
  readonly timers: readonly string[];
  readonly hasLines: boolean; // processes run the lines of a program
  readonly counted: readonly string[]; // kinds of messages, or of accesses
  /** The initial state of process i. */
  init(i: Pid): object;
  /** Takes a step. A step of one process must not begin inside a step of another: they share the object `p`. */
  step(i: Pid, state: object, input: Input, sink?: Sink): void;
  /** `step` for a message, without an input object: the fast path of long simulations. */
  receive(i: Pid, state: object, kind: number, message: Message, from: Address): void;
  /** The global state as the algorithm's invariants see it. */
  world(states: readonly object[], inFlight: readonly InFlight[]): object;
  /** The fields of a state, for readers. */
  fieldsOf(state: object): object;
  /** The sender of a message that arrived at process i from this address. */
  senderOf(i: Pid, arrivesAs: Address): Pid;
}

/** A message in flight. */
export interface InFlight {
  readonly from: Pid;
  readonly to: Pid;
  readonly message: Message;
}

/** A sink that does nothing, for hosts that need only some actions. */
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
