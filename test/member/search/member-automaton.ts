// The class `Member` as an automaton. Its states are numbered; a step leads from a state by an input to a state, with effects. The code of
// `Member` runs once for each state and input: a member is made anew, and its shortest known history is repeated.
//
// Two histories lead to the same state if `inspectState` and the pending timers are equal. This is sound because a member has no other
// memory: every field of `Member`, `LockTable`, `LockRun`, `CausalInbox` and `Leaders` is compared, except
//   - what is derived from the view: positions, networks, overlays;
//   - what nothing in the search reads: snapshots, `wasUsedRecently`, the fence of an earlier hold, the number of state checks left.
// Timers are compared by the code of their task and by what it has captured: the epoch, the peer, or the number of the try.
// `search.test.ts` tests it: different histories of one state have the same steps.
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { encode } from '../../../src/core/plain-data.ts';
import type { MemberId, MemberMessage } from '../../../src/member/index.ts';
import {
  type Circumstances,
  type Effect,
  type Input,
  leaseMs,
  type MemberClass,
  ScriptedHost,
  type Timer,
} from './scripted-host.ts';

export interface PastInput {
  readonly input: Input;
  readonly circumstances: Circumstances;
}

/** One state of one member, with what the world must know of it. */
export interface MemberState {
  readonly id: MemberId;
  readonly history: readonly PastInput[];
  readonly text: string; // the state itself
  readonly epoch: number; // -1: no view yet
  readonly ids: readonly MemberId[]; // the members of its view
  readonly isInstalled: boolean;
  readonly dead: readonly MemberId[];
  readonly early: readonly string[]; // messages that wait for a view: sender and type
  readonly timers: readonly Timer[];
  readonly isTidy: boolean; // it keeps only idle runs of this epoch
  readonly steps: Map<string, Step>;
}

export interface Step extends PastInput {
  readonly to: number | null; // null: the member is out
  readonly effects: readonly Effect[];
}

const plainTimer = ({ kind, delay, epoch, about }: Timer): Timer => ({ kind, delay, epoch, about });

/** Returns the text that identifies the state of a member. */
export const textOf = (host: ScriptedHost): string =>
  encode({ id: host.member.id, state: host.member.inspectState(), timers: host.timers.map(plainTimer) });

const usual: Circumstances = { holdsLease: true, isLeaving: false };

export class MemberAutomaton {
  readonly states: MemberState[] = [];
  readonly messages: MemberMessage[] = []; // by number
  /** Called when another history leads to a known state. */
  merged: ((state: number, history: readonly PastInput[]) => void) | null = null;
  readonly #numbers = new Map<string, number>(); // of states, by text
  readonly #messageNumbers = new Map<string, number>();
  readonly #algorithm: AnyAlgorithm;
  readonly #create: MemberClass;

  constructor(algorithm: AnyAlgorithm, create: MemberClass) {
    this.#algorithm = algorithm;
    this.#create = create;
  }

  numberOf(message: MemberMessage): number {
    const text = encode(message);
    let number = this.#messageNumbers.get(text);
    if (number === undefined) {
      number = this.messages.push(message) - 1;
      this.#messageNumbers.set(text, number);
    }
    return number;
  }

  /** Returns the state of a member that is in no view yet. */
  initial(id: MemberId): number {
    return this.#stateOf(this.replay(id, []), []);
  }

  /** A message is given by its number, so that its text is not needed. */
  receive(at: number, from: MemberId, message: number, circumstances: Circumstances = usual): Step {
    const input = { type: 'message', from, message: this.messages[message]! } as const;
    return this.step(at, input, circumstances, `${from} ${message}`);
  }

  step(from: number, input: Input, circumstances: Circumstances, name: string = encode(input)): Step {
    const { id, history, steps } = this.states[from]!;
    const lease = circumstances.holdsLease ? '' : '-';
    const key = `${lease}${circumstances.isLeaving ? '!' : ''}${name}`;
    let step = steps.get(key);
    if (step === undefined) {
      const host = this.replay(id, history);
      const effects = host.apply(input, circumstances);
      const to = host.isOut ? null : this.#stateOf(host, [...history, { input, circumstances }]);
      step = { input, circumstances, to, effects };
      steps.set(key, step);
    }
    return step;
  }

  /** Makes a member that has this history. */
  replay(id: MemberId, history: readonly PastInput[]): ScriptedHost {
    const { name } = this.#algorithm;
    const host = new ScriptedHost(this.#create, {
      id,
      algorithm: name,
      algorithmOf: () => this.#algorithm,
      leaseMs,
    });
    for (const { input, circumstances } of history) host.apply(input, circumstances);
    return host;
  }

  #stateOf(host: ScriptedHost, history: readonly PastInput[]): number {
    const text = textOf(host);
    let number = this.#numbers.get(text);
    if (number !== undefined) this.merged?.(number, history);
    else {
      const state = host.member.inspectState();
      const { view, isInstalled, dead } = state;
      const locks = [...host.member.locks];
      const isTidy =
        host.member.retainedCount === locks.length && locks.every((lock) => lock.isIdle && lock.run !== null);
      number =
        this.states.push({
          id: host.member.id,
          history,
          text,
          epoch: view?.epoch ?? -1,
          ids: view?.members ?? [],
          isInstalled,
          dead,
          early: state.early.messages.map(({ from, message }) => `${from} ${message.type}`),
          timers: host.timers.map(plainTimer),
          isTidy,
          steps: new Map(),
        }) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}
