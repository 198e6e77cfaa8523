import { electionSpecOf, neverLearns } from '../../problems/election-monitor.ts';
import type { Violation } from '../../problems/monitor.ts';
import { neverEnds, starved } from '../../problems/mutex-monitor.ts';
import { noClosure, noConvergence } from '../../problems/stabilisation-monitor.ts';
import type { CheckConfig } from '../config.ts';
import { type EffectId, type FairActionId, stateAt } from '../ids.ts';
import type { LivenessAssumptions, LivenessGoal } from '../model/medium.ts';
import { stuckElection } from '../properties/properties.ts';
import { Interner } from '../storage/interner.ts';
import type { EnabledEffects } from './enabled.ts';
import { firing } from './timers.ts';
import type { MessageAction } from './transitions.ts';
import { worldAt } from './world-view.ts';

const time = 0 as FairActionId; // it passes

/**
 * Where processes send messages, every waiting process enters, every process learns the leader, a corrupted system becomes legitimate, and a run
 * ends unless the algorithm is perpetual. A perpetual election has one leader in the end, and it stays. Fair actions: a message is received,
 * a timer fires, the holder releases, time passes. Requests and faults are optional.
 */
export class MessageLiveness implements LivenessAssumptions {
  readonly goals: readonly LivenessGoal[];
  readonly end: LivenessGoal | null;
  readonly #config: CheckConfig;
  readonly #states: EnabledEffects;
  readonly #kinds = new Interner<null>(); // of fair actions, whichever process takes them
  readonly #kindOf: number[] = []; // by event

  constructor(config: CheckConfig, states: EnabledEffects) {
    this.#config = config;
    this.#states = states;
    const { setup, corrupted } = config;
    const { problem, perpetual } = setup.algorithm;
    const each = (goalOf: (i: number) => LivenessGoal) =>
      Array.from({ length: setup.n }, (_, i) => goalOf(i));
    const own =
      problem === 'mutex'
        ? each((i) => this.#entry(i))
        : perpetual
          ? [this.#leadership()]
          : each((i) => this.#news(i));
    this.goals = corrupted ? [this.#legitimacy(), ...own] : own;
    this.end = perpetual
      ? null
      : { isDue: () => true, violation: () => neverEnds, violationIfLost: null, mustStay: false };
  }

  #entry(i: number): LivenessGoal {
    const { processStates } = this.#states;
    return {
      isDue: (worlds, offset) => processStates.clientAt(stateAt(worlds, offset, i)).phase === 'waiting',
      violation: () => starved(i, 'every message arrives'),
      violationIfLost: null,
      mustStay: false,
    };
  }

  /** Process i learns the leader, if a living process takes part in the election. */
  #news(i: number): LivenessGoal {
    const { processStates } = this.#states;
    const { n } = this.#config.setup;
    const client = (worlds: Int32Array, offset: number, j: number) =>
      processStates.clientAt(stateAt(worlds, offset, j));
    return {
      isDue(worlds, offset) {
        const { phase, leader } = client(worlds, offset, i);
        if (phase === 'crashed' || leader !== null) return false;
        for (let j = 0; j < n; j += 1) {
          const { involved, phase } = client(worlds, offset, j);
          if (involved && phase !== 'crashed') return true;
        }
        return false;
      },
      violation: () => neverLearns(i, 'every message arrives'),
      violationIfLost: null,
      mustStay: false,
    };
  }

  /** All living processes follow the leader that they should. A leader can change only by way of a world in which they do not, unless one process is alive. */
  #leadership(): LivenessGoal {
    const { processStates } = this.#states;
    const { n, algorithm, ids } = this.#config.setup;
    const spec = electionSpecOf(algorithm, ids);
    const broken = (worlds: Int32Array, offset: number) => {
      const clients = Array.from({ length: n }, (_, i) => processStates.clientAt(stateAt(worlds, offset, i)));
      return stuckElection(clients, spec, 'again and again, though every message arrives,');
    };
    return {
      isDue: (worlds, offset) => broken(worlds, offset) !== null,
      violation: (worlds, offset) => broken(worlds, offset)!,
      violationIfLost: null,
      mustStay: true,
    };
  }

  #legitimacy(): LivenessGoal {
    return {
      isDue: (worlds, offset) => this.isIllegitimate(worlds, offset),
      violation: () => noConvergence('the run goes round for ever, though every message arrives'),
      violationIfLost: noClosure,
      mustStay: false,
    };
  }

  isIllegitimate(worlds: Int32Array, offset: number): boolean {
    const { corrupted, setup } = this.#config;
    if (!corrupted) return false;
    const world = worldAt(this.#states.processStates, worlds, offset);
    return !setup.algorithm.stabilises!.legitimate(world);
  }

  /** Returns what is wrong with a world that will not change any more. */
  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return this.isIllegitimate(worlds, offset)
      ? noConvergence('no message is left that could change it')
      : null;
  }

  fairActionOf(process: number, effect: EffectId): FairActionId | -1 {
    if (process < 0) return time;
    const { effects } = this.#states;
    if (effects.isOptional(effect)) return -1;
    const event = effects.eventOf(effect);
    this.#kindOf[event] ??= this.#kinds.add(this.#nameOf(this.#states.eventAt(effect).action), null);
    return this.#fairAction(this.#kindOf[event], process);
  }

  /**
   * On a channel that keeps the order, the fair action is to receive its first message, whichever it is: then all are received. Otherwise
   * each message is one, and messages with the same content are the same one.
   */
  #nameOf(action: MessageAction): string {
    if (action.kind === 'timer') return `timer ${action.message.type}`;
    if (action.kind !== 'recv') return action.kind;
    if (this.#config.setup.channels === 'unordered')
      return `envelope ${this.#states.processStates.withoutChain(action.envelope)}`;
    const { from, arrivesAs } = this.#states.processStates.envelopes.of(action.envelope);
    return `channel ${from} ${arrivesAs}`;
  }

  /** A timer that cannot fire because a channel is full fires later. */
  postponed(worlds: Int32Array, offset: number): FairActionId[] {
    const { setup, capacity } = this.#config;
    const { processStates } = this.#states;
    const postponed: FairActionId[] = [];
    for (let i = 0; i < setup.n && capacity < Infinity; i += 1) {
      for (const { message } of firing(
        processStates.timersAt(stateAt(worlds, offset, i)),
        processStates.timed,
      ))
        postponed.push(this.#fairAction(this.#kinds.add(`timer ${message.type}`, null), i));
    }
    return postponed;
  }

  #fairAction(kind: number, process: number): FairActionId {
    return (1 + kind * this.#config.setup.n + process) as FairActionId;
  }
}
