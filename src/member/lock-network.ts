import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { fail, InputError } from '../core/assert.ts';
import type { Topology } from '../core/topology.ts';
import {
  checkState,
  type Input,
  type MessageMachine,
  noSink,
  Overlay,
  type Sink,
  stepFailure,
} from '../machine/index.ts';

const maxDelay = 1000; // milliseconds: the bound on message delays that algorithms with timers are told

/** The sink of lock algorithms. Random choices are not allowed, because they could not be replayed. */
export const lockSink: Sink = { ...noSink, choose: () => fail('it tosses a coin, which no lock may') };

/** The topology of an algorithm over the members of a view, in the order of the view. */
export class LockNetwork {
  readonly algorithm: AnyAlgorithm;
  readonly n: number;
  readonly #overlay: Overlay;
  readonly #ids: readonly number[];
  #rules: MessageMachine['rules'] | null = null;
  readonly #entersWithoutMessages: boolean[] = []; // by position, as far as it was asked

  constructor(algorithm: AnyAlgorithm, n: number) {
    this.algorithm = algorithm;
    this.n = n;
    this.#overlay = new Overlay(algorithm, () => n);
    this.#ids = Array.from({ length: n }, (_, i) => i + 1);
  }

  /** Returns the machine for runs with this root. */
  machine(root: Pid): MessageMachine {
    return this.#overlay.machine({ ids: this.#ids, root, maxDelay });
  }

  get isCausal(): boolean {
    return this.algorithm.assumes.channels === 'causal';
  }

  /** Whether the algorithm can send such a message, as far as it declares its messages. */
  accepts(message: Message): boolean {
    this.#rules ??= this.machine(0).rules;
    return this.#rules.accepts(message);
  }

  /** Whether a message that arrives at `position` by the address `as` can come from `sender`. */
  comesFrom(position: Pid, as: Address, sender: Pid): boolean {
    return isLinkFrom(this.algorithm, this.#overlay.topology(this.n), position, as, sender);
  }

  /**
   * Whether the root enters without sending a message, if it is at this position. No other member can then enter before the root sends
   * one, or the algorithm would violate exclusion.
   */
  entersWithoutMessages(position: Pid): boolean {
    const known = this.#entersWithoutMessages[position];
    if (known !== undefined) return known;
    const tried = this.#tryOrNull(position, position, [begin, request]);
    const enters = tried?.entered === true && tried.sent.length + tried.timers === 0;
    this.#entersWithoutMessages[position] = enters;
    return enters;
  }

  /** Whether a run starts with the token at this position, or with a message of it from there. */
  beginsWithToken(position: Pid, root: Pid): boolean {
    const { token } = this.algorithm;
    const tried = token && this.#tryOrNull(position, root, [begin]);
    return (
      tried != null && (tried.sent.some((message) => token!.isIn(message)) || token!.isHeld(tried.state))
    );
  }

  /** Requests once at every position, each in a fresh run. Returns the reason for the first failure, or null. */
  dryRun(): string | null {
    for (let position = 0; position < this.n; position += 1) {
      try {
        this.#try(position, 0, [begin, request]);
      } catch (error) {
        return failureReason(this.algorithm, error, position);
      }
    }
    return null;
  }

  /** Ignores failures: the algorithm fails in the same way at the member concerned, which reports it. */
  #tryOrNull(position: Pid, root: Pid, inputs: readonly Input[]) {
    try {
      return this.#try(position, root, inputs);
    } catch {
      return null;
    }
  }

  #try(position: Pid, root: Pid, inputs: readonly Input[]) {
    const sent: Message[] = [];
    const seen = { entered: false, timers: 0 };
    const machine = this.machine(root);
    const state = machine.init(position);
    const sink: Sink = {
      ...lockSink,
      emit: ({ type }) => {
        if (type === 'entered') seen.entered = true;
      },
      send: (_to, _as, message) => {
        sent.push(message);
      },
      after: () => {
        seen.timers += 1;
      },
    };
    for (const input of inputs) machine.step(position, state, input, sink);
    checkState(state);
    return { ...seen, sent, state };
  }
}

/** Whether a process at `position` can receive messages of `sender` by the address `as`. */
export function isLinkFrom(
  { knows }: AnyAlgorithm,
  topology: Topology,
  position: Pid,
  as: Address,
  sender: Pid,
): boolean {
  if (knows.includes('me')) return as === sender && topology.link(position, sender) >= 0;
  const degree = topology.isRing ? 2 : topology.degree(position);
  return as >= 0 && as < degree && topology.sender(position, as) === sender;
}

/** Whether a message carries the token. False if it is not a message of the algorithm: its handler will fail, too. */
export function carriesToken({ token }: AnyAlgorithm, message: Message): boolean {
  try {
    return token?.isIn(message) ?? false;
  } catch {
    return false;
  }
}

/** Returns the reason why a member cannot continue with an algorithm. */
export const failureReason = ({ name }: AnyAlgorithm, error: unknown, position: Pid): string =>
  error instanceof InputError
    ? error.message
    : `${name} breaks its contract ${stepFailure(error, position).why}`;

const begin: Input = { kind: 'begin' };
const request: Input = { kind: 'call', name: 'request' };
