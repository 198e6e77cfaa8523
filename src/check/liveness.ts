import type { Violation } from '../problems/monitor.ts';
import { starved } from '../problems/mutex.ts';
import { noClosure, noConvergence } from '../problems/stabilisation.ts';
import { ending } from './clock.ts';
import { effect } from './effects.ts';
import { Interned } from './interned.ts';
import type { Goal, Liveness } from './medium.ts';
import type { Network } from './network.ts';
import type { Move } from './outcomes.ts';
import type { Question } from './question.ts';

const time = 0;
const none = -1;

/**
 * Where processes send messages, who waits enters, and what was corrupted becomes legitimate. Bound to happen: a message arrives, a timer
 * ends, who is inside leaves, time passes. Nobody has to ask, and nothing has to go wrong.
 */
export class NetworkLiveness implements Liveness {
  readonly goals: readonly Goal[];
  readonly #question: Question;
  readonly #network: Network;
  readonly #duties = new Interned<null>();
  readonly #dutyOf: number[] = []; // of each event

  constructor(question: Question, network: Network) {
    this.#question = question;
    this.#network = network;
    const { setup, scrambled } = question;
    const waiters = setup.algorithm.problem === 'mutex' ? setup.n : 0;
    const entries = Array.from({ length: waiters }, (_, i) => this.#entry(i));
    this.goals = scrambled ? [this.#legitimacy(), ...entries] : entries;
  }

  #entry(i: number): Goal {
    const { parts } = this.#network.states;
    return {
      isDue: (worlds, offset) => parts.userOf(worlds[offset + i]!).phase === 'waiting',
      never: () => starved(i, 'every message arrives'),
      lost: null,
    };
  }

  #legitimacy(): Goal {
    return {
      isDue: (worlds, offset) => this.isUnsettled(worlds, offset),
      never: () => noConvergence('the run goes round for ever, though every message arrives'),
      lost: noClosure,
    };
  }

  isUnsettled(worlds: Int32Array, offset: number): boolean {
    const { scrambled, setup } = this.#question;
    return scrambled && !setup.algorithm.stabilises!.legitimate(this.#network.view(worlds, offset));
  }

  /** What is broken by a world that will not change any more. */
  atRest(worlds: Int32Array, offset: number): Violation | null {
    return this.isUnsettled(worlds, offset) ? noConvergence('no message is left that could change it') : null;
  }

  dutyOf(process: number, what: number): number {
    if (process < 0) return time;
    const { states } = this.#network;
    if (states.effects.isFree(what)) return none;
    const event = states.effects.table[what + effect.event]!;
    this.#dutyOf[event] ??= this.#duties.add(this.#nameOf(states.eventAt(what).move), null);
    return this.#number(this.#dutyOf[event], process);
  }

  /**
   * Of a channel that keeps the order, that its first message arrives, whichever it is: then all do. Otherwise of each message, where those
   * that say the same are one.
   */
  #nameOf(move: Move): string {
    if (move.kind === 'timer') return `timer ${move.message.type}`;
    if (move.kind !== 'recv') return move.kind;
    if (this.#question.setup.channels === 'unordered') return `item ${move.item}`;
    const { from, arrivesAs } = this.#network.states.parts.items.of(move.item);
    return `channel ${from} ${arrivesAs}`;
  }

  /** A timer ends: if not now, because a channel is full, then later. */
  postponed(worlds: Int32Array, offset: number): number[] {
    const { setup, capacity } = this.#question;
    const { parts } = this.#network.states;
    const duties: number[] = [];
    for (let i = 0; i < setup.n && capacity < Infinity; i += 1) {
      for (const { message } of ending(parts.clockOf(worlds[offset + i]!), parts.timed))
        duties.push(this.#number(this.#duties.add(`timer ${message.type}`, null), i));
    }
    return duties;
  }

  #number(duty: number, process: number): number {
    return 1 + duty * this.#question.setup.n + process;
  }
}
