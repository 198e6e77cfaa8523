import type { Pid } from '../../core/algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { CheckConfig } from '../config.ts';
import type { ClaimId, ClientId, EffectId, EffectListId, FairActionId, ProcessStateId } from '../ids.ts';
import type { Client } from '../properties/client.ts';
import type { Interner } from '../storage/interner.ts';
import type { Discovery } from './discovery.ts';
import type { EffectTable } from './effect-table.ts';
import type { Successors } from './successors.ts';

/** One event of a run, and how the coins fell. `action` is null when a tick passes. */
export interface Step<Action> {
  readonly process: Pid;
  readonly action: Action | null;
  readonly coins: readonly number[];
}

/** Something that every fair run reaches whenever it is due, with probability 1 where coins are tossed. */
export interface LivenessGoal {
  isDue(worlds: Int32Array, offset: number): boolean;
  /** Returns the violation if the goal stays due forever, from this world on. */
  violation(worlds: Int32Array, offset: number): Violation;
  readonly violationIfLost: Violation | null; // if the goal becomes due again; null if it may
  readonly mustStay: boolean; // it may become due again only finitely often
}

/** The liveness goals, and the fairness that a run can be relied on for. */
export interface LivenessAssumptions {
  readonly goals: readonly LivenessGoal[];
  readonly end: LivenessGoal | null; // that the run ends; null if the algorithm does not promise it
  /** Says whether a corrupted system has not recovered yet. No other property binds until then. */
  isIllegitimate(worlds: Int32Array, offset: number): boolean;
  /** Returns the fair action that this step performs; -1 if the step is optional. */
  fairActionOf(process: number, effect: EffectId): FairActionId | -1;
  /** Returns the fair actions that are due here though they may have to wait until a channel has room. */
  postponed(worlds: Int32Array, offset: number): readonly FairActionId[];
}

/** The states that processes can be in, by number, and the effects that are enabled in each. */
export interface ProcessStates<Action = unknown> {
  readonly effects: EffectTable;
  readonly clients: Interner<Client, ClientId>;
  readonly discovery: Discovery;
  /** Returns the initial state of process i, whose client may ask `left` times. */
  initial(i: Pid, left: number): ProcessStateId;
  /** Returns how many effects an action can have in this state before anything else has happened; */
  initialEffectCount(state: ProcessStateId, action: Action): number;
  /** and one of them. */
  initialEffect(state: ProcessStateId, action: Action, k: number): EffectId;
  /** Returns the effects that are enabled in this state, at a process of that world. */
  enabled(state: ProcessStateId, worlds: Int32Array, offset: number): EffectListId;
  /** Returns the id of the action that an effect belongs to. It has several effects if it tosses a coin. */
  actionOf(effect: EffectId): number;
  /** Returns what happens by an effect, and how the coins fall. */
  eventAt(effect: EffectId): { readonly action: Action; readonly coins: readonly number[] };
  clientOf(state: ProcessStateId): ClientId;
  readonly unused: readonly string[]; // handlers or lines of the algorithm that never ran
  readonly executions: number; // of handlers or lines
  readonly bytes: number; // in tables
  readonly objectBytes: number; // in other objects, estimated
}

/** Says which events may be left out after an event that commutes with them. `SleepSets` implements it. */
export interface SleepSetReduction {
  readonly bitsPerProcess: number; // events of one process that can sleep: its first ones
  readonly bytes: number;
  maySleep(effect: EffectId): boolean;
}

/** Says which message may as well arrive first. `EarlyDelivery` implements it. */
export interface EarlyDeliveryReduction {
  readonly hasErred: boolean; // a claim was withdrawn since the last review
  readonly bytes: number;
  readonly hasGivenUp: boolean; // checking the claims would cost too much
  /** Returns the effect of the message, or 0 if there is none. */
  effectAt(state: ProcessStateId): EffectId | 0;
  /** Returns the claim that this message may come first. */
  claimAt(state: ProcessStateId): ClaimId;
  isWithdrawn(claim: ClaimId): boolean;
  /** Chooses again wherever the claim was withdrawn. */
  review(): void;
}

/**
 * How processes affect each other: by messages, or by shared memory. A world is a tuple of numbers: the state of each process, then the
 * variables of the medium and last, where faults may happen, how many still may.
 */
export interface Medium<Action = unknown> {
  readonly config: CheckConfig;
  readonly states: ProcessStates<Action>;
  readonly variables: readonly number[]; // their initial values
  readonly prologue: readonly Action[]; // every process takes these actions before anything else
  readonly request: Action; // by which a client asks for the lock or starts an election
  readonly liveness: LivenessAssumptions;
  readonly sleepSets: SleepSetReduction | null; // null if the medium cannot say which events commute
  readonly hasAmpleSets: boolean; // lists say whether they are closed: see `listTrait`
  readonly earlyDelivery: EarlyDeliveryReduction | null; // null unless the configuration asks for it
  /** Replaces a world by one that takes the same steps, and stands for more than one; null if none does. */
  readonly normalise: ((worlds: Int32Array, offset: number) => void) | null;
  readonly help: string; // what could help processes that wait forever
  /** Says whether a timer of process i may fire now. */
  mayFire(worlds: Int32Array, offset: number, i: Pid, effect: EffectId): boolean;
  /**
   * Makes the changes of an effect at process i beyond its state, in the successor at `base`. `before` is the state of the process before.
   * Returns which of the events in `asleep` still sleep.
   */
  apply(
    successors: Successors,
    base: number,
    i: Pid,
    effect: EffectId,
    before: ProcessStateId,
    asleep: number,
  ): number;
  /** Adds the steps of no process in particular, and sets `mustContinue` if a process must go on after all. */
  complete(successors: Successors, worlds: Int32Array, offset: number): void;
  /** Says whether every step from this world is optional. Costs less than expanding it. */
  isQuiescent(worlds: Int32Array, offset: number): boolean;
  /** Returns what is wrong with a quiescent world, besides what the clients show. */
  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null;
  /** Returns a lemma of the algorithm that fails in this world, if lemmas are checked. */
  brokenLemma(worlds: Int32Array, offset: number): Violation | null;
  /** Returns a bound that is exceeded, whatever happens next. */
  exceeded(worlds: Int32Array, offset: number): Violation | null;
  /** Returns the world as invariants of the algorithm see it. */
  view(worlds: Int32Array, offset: number): unknown;
  /** Returns the trace of a run. `loop` is the number of steps after which it repeats without end. */
  traceOf(steps: readonly Step<Action>[], verdict: string, loop?: number): Trace;
}
