// One process taking one step. A machine owns what a process knows, the way from an address to a receiver, and every check of the
// contract. A host calls `step` and carries out what reaches its sink, which is resolved and checked already.
import type { Address, Message, Pid } from '../core/algorithm.ts';
import type { Access } from '../core/shared-algorithm.ts';

/** What happens to a process. */
export type Input =
  | { readonly kind: 'begin' | 'recover' | 'corrupt' | 'crash' }
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'message'; readonly message: Message; readonly from: Address }
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'appears' | 'goes'; readonly neighbour: Address } // the link to it
  | { readonly kind: 'step'; readonly line: string }; // the next access to shared memory

/** An access to a register, with the value read or written; `reset` is what a crash does to registers that a process owns. */
export type RegisterAccess = Omit<Access, 'kind'> & {
  readonly kind: 'read' | 'write' | 'reset';
  readonly value: number;
};

/** What one step of a process asks of its host. */
export interface Sink {
  /** `arrivesAs`: what the receiver calls the sender. `kind` is the number of the message's type, `link` that of the sender's link. */
  send(to: Pid, arrivesAs: Address, message: Message, kind: number, link: number): void;
  emit(event: Message): void;
  after(ticks: number, message: Message, timer: number): void;
  cancel(type: string, timer: number): void;
  choose(options: number): number;
  clock(): number;
  /** Only from processes that share memory. */
  access(accessed: RegisterAccess): void;
  /** Only from processes that share memory: this one is at a line of its program, and will take another step by itself. */
  continueAt(line: string): void;
}

/** The processes of one run. They differ in what they know; their states are the host's. */
export interface Machine {
  readonly turn: Pid; // the process that takes a step
  sink: Sink; // of `receive`, and of `step` unless another is given
  checksPlainData: boolean; // whether messages are checked to be plain data
  readonly calls: readonly string[];
  readonly kinds: readonly string[]; // of messages
  readonly timers: readonly string[];
  readonly hasLines: boolean; // its processes go from line to line of a program by themselves
  readonly counted: readonly string[]; // kinds of messages, or of accesses to shared memory
  /** The state in which process i begins. */
  init(i: Pid): object;
  /** A step of one process must not begin inside a step of another one: they share the object `p`. */
  step(i: Pid, state: object, input: Input, sink?: Sink): void;
  /** `step` for a message of that kind, without an object for the input: the path of long simulations. */
  receive(i: Pid, state: object, kind: number, message: Message, from: Address): void;
  /** The moment as the algorithm's lemmas see it. */
  world(states: readonly object[], inFlight: readonly InFlight[]): object;
  /** A state as people read it: its fields. */
  fieldsOf(state: object): object;
  /** The process that process i knows by the address at which a message arrived. */
  senderOf(i: Pid, arrivesAs: Address): Pid;
}

/** A message on its way. */
export interface InFlight {
  readonly from: Pid;
  readonly to: Pid;
  readonly message: Message;
}

/** Does nothing; a host takes from it what it has no use for. */
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
