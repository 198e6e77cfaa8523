import type { Pid } from '../core/algorithm.ts';
import type { Trace } from '../core/trace.ts';
import type { Violation } from '../problems/monitor.ts';
import type { Early } from './early.ts';
import type { Novelty } from './novelty.ts';

/** One event of a run, and how the coins fell; `move` is null when a tick passes. */
export interface Step<Move> {
  readonly process: Pid;
  readonly move: Move | null;
  readonly coins: readonly number[];
}

/** The first events of a run, before which nothing can happen. */
export interface Prologue<Move> {
  readonly world: Int32Array;
  readonly moves: readonly Step<Move>[];
  readonly violation: Violation | null;
}

/** Some of many. */
export type Choose = <T>(all: readonly T[]) => readonly T[];

/** What a step means for the properties of the problem. */
export const mark = {
  none: 0,
  told: 1, // an application was told something: they must be looked at
  asked: 2, // an application asks: nothing can be broken by that
  broken: 3, // and by this step
} as const;

/** Successors of a world: `count` of them in `next`, one after the other, and how each comes about in `via`. */
export interface Expansion {
  count: number;
  next: Int32Array;
  via: Int32Array; // for each: the process, or -1 for the passage of time; and what happened there, as the model knows it
  marks: Uint8Array; // for each, one of `mark`
  asleep: Int32Array; // for each, where events commute: those that lead to worlds that are reached otherwise, as bits
  mustGoOn: boolean; // something is bound to happen
  isLast: boolean; // as the search says: successors that are new will not be looked at, so it does not matter what is asleep there
}

/** What has to come about in every fair run whenever it is due. */
export interface Goal {
  isDue(worlds: Int32Array, offset: number): boolean;
  /** What is broken if it is due for ever, from this world on. */
  never(worlds: Int32Array, offset: number): Violation;
  readonly lost: Violation | null; // what is broken if it becomes due; null if it may
}

/** What must come about, and what one may count on for that. */
export interface Liveness {
  readonly goals: readonly Goal[];
  /** A number for what was bound to happen and is carried out by this step; -1 if it need not have happened. */
  dutyOf(process: number, what: number): number;
  /** The numbers of what is bound to happen though it may have to wait until something makes room for it. */
  postponed(worlds: Int32Array, offset: number): readonly number[];
}

/** What a search explores: worlds as tuples of `width` numbers. */
export interface Model<Move = unknown> {
  readonly width: number;
  readonly expansion: Expansion;
  readonly novelty: Novelty;
  /** Every world a run can begin in; or, wherever several things can come of a first event, what is chosen of them. */
  initial(choose?: Choose): Iterable<Prologue<Move>>;
  /** `expand` can say which events are asleep. */
  readonly commutes: boolean;
  /** All that can follow, except by events that are asleep; null: nobody asks which are. */
  expand(worlds: Int32Array, offset: number, asleep: number | null): void;
  /** Only what may as well come first; false if there is no such thing. What is left out is not lost if this leads to worlds not yet looked at. */
  expandSome(worlds: Int32Array, offset: number, asleep: number | null): boolean;
  /**
   * Only one thing that may as well come first, as far as is known: the number of the claim in `early` that it may; -1 if there is no such
   * thing. What is left out is not lost if this leads to a world not yet looked at, and the claim is not withdrawn.
   */
  expandEarly(worlds: Int32Array, offset: number): number;
  readonly early: Early | null; // if it is asked for
  /** All that can follow, but every successor as it is, not the one that stands for it. */
  expandAsIs(worlds: Int32Array, offset: number): void;
  /** Makes a world the one that stands for it. */
  canonise(worlds: Int32Array, offset: number): void;
  /** What is broken when the world is reached by this step. */
  brokenBy(process: number, what: number): Violation | null;
  /** What is broken in this world, whichever way it was reached. */
  broken(worlds: Int32Array, offset: number): Violation | null;
  /** The lemmas that do not hold there. */
  brokenLemma(worlds: Int32Array, offset: number): Violation | null;
  /** What a run should show sometimes, lest the properties hold for want of anything that could break them. */
  readonly witnesses: readonly string[];
  /** Which of them this world shows, a bit for each. */
  witnessed(worlds: Int32Array, offset: number): number;
  /** Nothing is bound to happen there. Takes less than to expand it. */
  isAtRest(worlds: Int32Array, offset: number): boolean;
  /** What is wrong when nothing is bound to happen any more. */
  atRest(worlds: Int32Array, offset: number): Violation | null;
  readonly liveness: Liveness;
  /** What happened, as `via` says it. */
  stepOf(process: number, what: number): Step<Move>;
  /** The trace of a run. `loop`: the number of steps after which it goes round for ever. */
  traceOf(steps: readonly Step<Move>[], verdict: string, loop?: number): Trace;
  readonly unused: readonly string[]; // what the algorithm says for cases that never came
  readonly executions: number; // of what the algorithm says
  readonly bytes: number; // that are kept, besides the worlds
  held(): number; // bytes of objects besides, about: for who must not take too much, not for a report
}
