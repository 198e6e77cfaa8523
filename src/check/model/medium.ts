import type { Pid } from '../../core/algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { CheckConfig } from '../config.ts';
import type { Discovery } from '../parallel/discovery.ts';
import type { Client } from '../properties/client.ts';
import type { EarlyDelivery } from '../reduction/early-delivery.ts';
import type { SleepSets } from '../reduction/sleep-sets.ts';
import type { Interner } from '../storage/interner.ts';
import type { EffectTable } from './effect-table.ts';
import type { Successors } from './successors.ts';

/** One event of a run, and how the coins fell; `move` is null when a tick passes. */
export interface Step<Action> {
  readonly process: Pid;
  readonly action: Action | null;
  readonly coins: readonly number[];
}

/** What has to come about in every fair run whenever it is due. */
export interface LivenessGoal {
  isDue(worlds: Int32Array, offset: number): boolean;
  /** The violation if it stays due forever, from this world on. */
  violation(worlds: Int32Array, offset: number): Violation;
  readonly violationIfLost: Violation | null; // what is broken if it becomes due; null if it may
}

/** What must come about, and what one may count on for that. */
export interface LivenessAssumptions {
  readonly goals: readonly LivenessGoal[];
  /** Variables had any values, and the world is not legitimate yet: no other property binds. */
  isIllegitimate(worlds: Int32Array, offset: number): boolean;
  /** A number for what was bound to happen and is carried out by this step; -1 if it need not have happened. */
  fairActionOf(process: number, effect: number): number;
  /** The numbers of what is bound to happen though it may have to wait until something makes room for it. */
  postponed(worlds: Int32Array, offset: number): readonly number[];
}

/** The states that processes can be in, by number, and what can happen in each. */
export interface ProcessStates<Action = unknown> {
  readonly effects: EffectTable;
  readonly clients: Interner<Client>;
  readonly discovery: Discovery;
  /** The state of process i before everything. Its application may ask `left` times. */
  initial(i: Pid, left: number): number;
  /** How many effects a move can have in this state, when it comes before everything else; */
  initialEffectCount(state: number, action: Action): number;
  /** and one of them. */
  initialEffect(state: number, action: Action, k: number): number;
  /** The list of effects that are enabled in this state, in a process of that world. */
  enabled(state: number, worlds: Int32Array, offset: number): number;
  /** What happens by an effect, and how the coins fall. */
  eventAt(at: number): { readonly action: Action; readonly coins: readonly number[] };
  /** The number of the user of a process in this state. */
  clientOf(state: number): number;
  readonly unused: readonly string[]; // what the algorithm says for cases that never came
  readonly executions: number; // of what the algorithm says
  readonly bytes: number; // that are kept
  readonly objectBytes: number; // bytes of objects besides, about: to keep within a limit, not for a report
}

/**
 * How processes affect each other: by messages, or by shared memory. A world is the state of each process, then the variables of the medium,
 * and then, where something may go wrong, how much of it still may.
 */
export interface Medium<Action = unknown> {
  readonly config: CheckConfig;
  readonly states: ProcessStates<Action>;
  readonly variables: readonly number[]; // as they are at first
  readonly prologue: readonly Action[]; // every process makes these moves before anything else
  readonly request: Action; // by which an application asks, or starts an election
  readonly liveness: LivenessAssumptions;
  readonly sleepSets: SleepSets | null; // which events commute; null if it cannot say
  readonly hasAmpleSets: boolean; // lists say whether they are closed: see `trait`
  readonly earlyDelivery: EarlyDelivery | null; // which messages may as well arrive first, if it is asked for
  readonly lemmas: Readonly<Record<string, (world: never) => boolean>>; // of the algorithm, to be checked in every world
  readonly help: string; // what could help processes that wait forever
  /** Whether a timer of process i that has an effect may end now. */
  mayFire(worlds: Int32Array, offset: number, i: Pid, at: number): boolean;
  /**
   * Makes the changes of an effect at process i that go beyond its state, in the successor at `base`. `before` is the state that process was in.
   * Returns which of the events that were asleep still are.
   */
  apply(expansion: Successors, base: number, i: Pid, at: number, before: number, asleep: number): number;
  /** Adds what happens at no process in particular to an expansion, and says if something is bound to happen after all. */
  complete(expansion: Successors, worlds: Int32Array, offset: number): void;
  /** Nothing is bound to happen there. Takes less than to expand it. */
  isQuiescent(worlds: Int32Array, offset: number): boolean;
  /** What is wrong when nothing is bound to happen any more, besides what is wrong with the users. */
  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null;
  /** A bound that is exceeded, whatever comes next. */
  exceeded(worlds: Int32Array, offset: number): Violation | null;
  /** The world as algorithms see it. */
  view(worlds: Int32Array, offset: number): unknown;
  /** The trace of a run. `loop`: the number of steps after which it repeats without end. */
  traceOf(steps: readonly Step<Action>[], verdict: string, loop?: number): Trace;
}
