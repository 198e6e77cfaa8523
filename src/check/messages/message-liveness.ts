import type { Violation } from '../../problems/monitor.ts';
import { starved } from '../../problems/mutex-monitor.ts';
import { noClosure, noConvergence } from '../../problems/stabilisation-monitor.ts';
import type { CheckConfig } from '../config.ts';
import { effectField } from '../model/effect-table.ts';
import type { LivenessAssumptions, LivenessGoal } from '../model/medium.ts';
import { Interner } from '../storage/interner.ts';
import type { MessagePassing } from './message-passing.ts';
import { firing } from './timers.ts';
import type { MessageAction } from './transitions.ts';

const time = 0;
const none = -1;

/**
 * Where processes send messages, who waits enters, and what was corrupted becomes legitimate. Bound to happen: a message arrives, a timer
 * ends, who is inside leaves, time passes. Nobody has to ask, and nothing has to go wrong.
 */
export class MessageLiveness implements LivenessAssumptions {
  readonly goals: readonly LivenessGoal[];
  readonly #config: CheckConfig;
  readonly #medium: MessagePassing;
  readonly #fairActions = new Interner<null>();
  readonly #ofEvent: number[] = []; // of each event

  constructor(config: CheckConfig, network: MessagePassing) {
    this.#config = config;
    this.#medium = network;
    const { setup, corrupted } = config;
    const waiters = setup.algorithm.problem === 'mutex' ? setup.n : 0;
    const entries = Array.from({ length: waiters }, (_, i) => this.#entry(i));
    this.goals = corrupted ? [this.#legitimacy(), ...entries] : entries;
  }

  #entry(i: number): LivenessGoal {
    const { processStates } = this.#medium.states;
    return {
      isDue: (worlds, offset) => processStates.clientAt(worlds[offset + i]!).phase === 'waiting',
      violation: () => starved(i, 'every message arrives'),
      violationIfLost: null,
    };
  }

  #legitimacy(): LivenessGoal {
    return {
      isDue: (worlds, offset) => this.isIllegitimate(worlds, offset),
      violation: () => noConvergence('the run goes round for ever, though every message arrives'),
      violationIfLost: noClosure,
    };
  }

  isIllegitimate(worlds: Int32Array, offset: number): boolean {
    const { corrupted, setup } = this.#config;
    return corrupted && !setup.algorithm.stabilises!.legitimate(this.#medium.view(worlds, offset));
  }

  /** What is broken by a world that will not change any more. */
  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return this.isIllegitimate(worlds, offset)
      ? noConvergence('no message is left that could change it')
      : null;
  }

  fairActionOf(process: number, effect: number): number {
    if (process < 0) return time;
    const { states } = this.#medium;
    if (states.effects.isOptional(effect)) return none;
    const event = states.effects.table[effect + effectField.event]!;
    this.#ofEvent[event] ??= this.#fairActions.add(this.#nameOf(states.eventAt(effect).action), null);
    return this.#number(this.#ofEvent[event], process);
  }

  /**
   * Of a channel that keeps the order, that its first message arrives, whichever it is: then all do. Otherwise of each message, where those
   * that say the same are one.
   */
  #nameOf(action: MessageAction): string {
    if (action.kind === 'timer') return `timer ${action.message.type}`;
    if (action.kind !== 'recv') return action.kind;
    if (this.#config.setup.channels === 'unordered') return `item ${action.item}`;
    const { from, arrivesAs } = this.#medium.states.processStates.envelopes.of(action.item);
    return `channel ${from} ${arrivesAs}`;
  }

  /** A timer ends: if not now, because a channel is full, then later. */
  postponed(worlds: Int32Array, offset: number): number[] {
    const { setup, capacity } = this.#config;
    const { processStates } = this.#medium.states;
    const fairActions: number[] = [];
    for (let i = 0; i < setup.n && capacity < Infinity; i += 1) {
      for (const { message } of firing(processStates.timersAt(worlds[offset + i]!), processStates.timed))
        fairActions.push(this.#number(this.#fairActions.add(`timer ${message.type}`, null), i));
    }
    return fairActions;
  }

  #number(fairAction: number, process: number): number {
    return 1 + fairAction * this.#config.setup.n + process;
  }
}
