import type { Pid } from '../core/algorithm.ts';
import type { Violation } from '../problems/monitor.ts';
import { budgetOf, costs, isAffordable, priceOf } from './budget.ts';
import type { Early } from './early.ts';
import { type Effects, effect, first, flag, trait } from './effects.ts';
import { Expansion, mark } from './expansion.ts';
import { Jury } from './jury.ts';
import type { Medium, States, Step } from './medium.ts';
import { rotate, toldOf } from './rotation.ts';
import type { Sleep } from './sleep.ts';

/** The first events of a run, before which nothing can happen. */
export interface Prologue<Move> {
  readonly world: Int32Array;
  readonly moves: readonly Step<Move>[];
  readonly violation: Violation | null;
}

/** Some of many. */
export type Choose = <T>(all: readonly T[]) => readonly T[];

const limits = costs | flag.timer; // effects that are not always possible

/** What a search explores: worlds as tuples of `width` numbers, and the transitions between them. See `Medium` for what a world is. */
export class Model<Move = unknown> {
  readonly medium: Medium<Move>;
  readonly states: States<Move>;
  readonly width: number;
  readonly expansion: Expansion;
  readonly early: Early | null; // if it is asked for
  readonly commutes: boolean; // `expand` can say which events are asleep
  readonly witnesses: readonly string[]; // what runs should show sometimes, lest properties hold because nothing could break them
  readonly #effects: Effects;
  readonly #n: number;
  readonly #budget: number; // at first; the last number of a world is what is left of it
  readonly #jury: Jury;
  readonly #rotation: Int32Array | null; // room to find the rotation that stands for all, where processes are alike
  readonly #sleep: Sleep | null;
  readonly #sleepers: number;
  #maySleep = false;

  constructor(medium: Medium<Move>) {
    const { question, states, early, sleep, variables } = medium;
    const { n } = question.setup;
    this.medium = medium;
    this.states = states;
    this.#effects = states.effects;
    this.early = early;
    this.commutes = sleep !== null;
    this.#sleep = sleep;
    this.#sleepers = sleep?.sleepers ?? 0;
    this.#n = n;
    this.#budget = budgetOf(question);
    this.width = n + variables.length + (this.#budget > 0 ? 1 : 0);
    this.#rotation = 'alike' in question && question.alike ? new Int32Array(2 * n) : null;
    this.#jury = new Jury(medium);
    this.witnesses = this.#jury.witnesses;
    this.expansion = new Expansion(this.width, 64);
  }

  /** Every world a run can begin in; or, wherever several things can come of a first event, what is chosen of them. */
  *initial(choose: Choose = (all) => all): Iterable<Prologue<Move>> {
    const { medium, states } = this;
    const { setup, together } = medium.question;
    const { algorithm, starts, entries } = setup;
    const left = Array<number>(this.#n).fill(0);
    for (let k = 0; k < starts.count; k += 1)
      left[starts.of(k).process] = algorithm.problem === 'mutex' ? entries : 1;
    const world = new Int32Array(this.width);
    world.set(left.map((times, i) => states.initial(i, times)));
    world.set(medium.variables, this.#n);
    if (this.#budget > 0) world[this.width - 1] = this.#budget;
    const all = left.map((_, process) => process);
    const askers = together ? all.filter((i) => left[i]! > 0) : [];
    const plan = [
      ...medium.prologue.flatMap((move) => all.map((process) => ({ process, move }))),
      ...askers.map((process) => ({ process, move: medium.request })),
    ];
    yield* this.#follow(plan, { world, moves: [], violation: null }, choose);
  }

  *#follow(
    plan: readonly { process: Pid; move: Move }[],
    now: Prologue<Move>,
    choose: Choose,
  ): Iterable<Prologue<Move>> {
    const [next, ...rest] = plan;
    if (next === undefined || now.violation !== null) {
      yield now;
      return;
    }
    const { process, move } = next;
    const state = now.world[process]!;
    const ways = Array.from({ length: this.states.openings(state, move) }, (_, k) => k);
    for (const k of choose(ways)) {
      const at = this.states.opening(state, move, k);
      this.expansion.count = 0;
      this.#apply(now.world, 0, process, at, 0);
      const world = this.expansion.next.slice(0, this.width);
      const moves = [...now.moves, this.stepOf(process, at)];
      const isTold = this.expansion.marks[0] === mark.told;
      const violation = this.brokenBy(process, at) ?? (isTold ? this.broken(world, 0) : null);
      yield* this.#follow(rest, { world, moves, violation }, choose);
    }
  }

  /** All that can follow, but every successor as it is, not the one that stands for it. */
  expandAsIs(worlds: Int32Array, offset: number): void {
    this.expand(worlds, offset, null, true);
  }

  /** Makes a world the one that stands for it. */
  canonise(worlds: Int32Array, offset: number): void {
    if (this.#rotation !== null) rotate(worlds, offset, this.#n, this.#rotation);
  }

  /**
   * All that can follow, except by events that are asleep; null: nobody asks which are.
   *
   * Sleep sets (P. Godefroid, 1996). If two events that are possible in a world commute, both orders of them lead to the same world. Events are
   * taken in turn; after each of them those taken before it, and those that were asleep already, sleep if they commute with it:
   * what happens then has been seen the other way round.
   */
  expand(worlds: Int32Array, offset: number, asleep: number | null, asIs = false): void {
    const { expansion, states, width } = this;
    this.#begin(asleep, false);
    let sleeping = asleep ?? 0;
    for (let i = 0; i < this.#n; i += 1) {
      this.early?.effectAt(worlds[offset + i]!); // it has to know of all that happens
      const start = states.enabled(worlds[offset + i]!, worlds, offset);
      if ((this.#effects.table[start + 1]! & trait.mustGoOn) !== 0) expansion.mustGoOn = true;
      sleeping = this.#expandAt(worlds, offset, i, start, sleeping);
    }
    this.medium.complete(expansion, worlds, offset);
    if (this.#rotation === null || asIs) return;
    for (let k = 0; k < expansion.count; k += 1) this.canonise(expansion.next, k * width);
  }

  /**
   * Only what may as well come first; false if there is no such thing. What is left out is not lost if this leads to worlds not yet looked at.
   *
   * Ample sets (D. Peled, 1993). Where nothing that happens elsewhere adds to what can happen at a process, its events commute with all that
   * others do before them: they may as well come first.
   */
  expandSome(worlds: Int32Array, offset: number, asleep: number | null): boolean {
    if (!this.medium.isAmple) return false;
    for (let i = 0; i < this.#n; i += 1) {
      const start = this.states.enabled(worlds[offset + i]!, worlds, offset);
      if (this.#effects.table[start + 1] !== (trait.closed | trait.mustGoOn)) continue;
      this.#begin(asleep, true);
      this.#expandAt(worlds, offset, i, start, asleep ?? 0);
      return true;
    }
    return false;
  }

  /**
   * Only one thing that may as well come first, as far as is known: the number of the claim in `early` that it may; -1 if there is no such
   * thing. What is left out is not lost if this leads to a world not yet looked at, and the claim is not withdrawn.
   *
   * The last process first: in a ring with descending ids, where most can happen, that leaves the fewest worlds.
   */
  expandEarly(worlds: Int32Array, offset: number): number {
    const { early } = this;
    for (let i = this.#n - 1; early !== null && i >= 0; i -= 1) {
      const state = worlds[offset + i]!;
      const at = early.effectAt(state);
      if (at === 0) continue;
      this.#begin(null, true);
      this.#apply(worlds, offset, i, at, 0);
      return early.claimAt(state);
    }
    return -1;
  }

  #begin(asleep: number | null, mustGoOn: boolean): void {
    const { expansion } = this;
    expansion.count = 0;
    expansion.mustGoOn = mustGoOn;
    this.#maySleep = this.commutes && asleep !== null && !expansion.isLast;
  }

  /** Adds a successor for each effect of the list that is awake and possible. Returns what is asleep after all of them. */
  #expandAt(worlds: Int32Array, offset: number, i: Pid, start: number, asleep: number): number {
    const { table } = this.#effects;
    const sleepers = this.#sleepers;
    let sleeping = asleep;
    let at = start + first;
    for (let k = 0; k < table[start]!; k += 1) {
      const bit = k < sleepers ? 1 << (sleepers * i + k) : 0;
      const isAwake = (asleep & bit) === 0;
      if (isAwake && ((table[at + effect.flags]! & limits) === 0 || this.#isPossible(worlds, offset, i, at)))
        this.#apply(worlds, offset, i, at, this.#maySleep ? sleeping : 0);
      if (this.#maySleep && this.#sleep!.maySleep(at)) sleeping |= bit;
      at += effect.size + 2 * table[at + effect.changes]!;
    }
    return sleeping;
  }

  #isPossible(worlds: Int32Array, offset: number, i: Pid, at: number): boolean {
    const flags = this.#effects.table[at + effect.flags]!;
    if ((flags & costs) !== 0) return isAffordable(flags, worlds[offset + this.width - 1]!);
    return this.medium.mayEnd(worlds, offset, i, at);
  }

  /** Adds the world after an effect at process i. */
  #apply(worlds: Int32Array, offset: number, i: Pid, at: number, asleep: number): void {
    const { expansion, width } = this;
    const { table } = this.#effects;
    const flags = table[at + effect.flags]!;
    const k = expansion.count;
    const base = expansion.append(worlds, offset, i, at, markOf(flags));
    const { next } = expansion;
    next[base + i] = table[at + effect.state]!;
    if ((flags & costs) !== 0) next[base + width - 1]! -= priceOf(flags);
    expansion.asleep[k] = this.medium.apply(expansion, base, i, at, worlds[offset + i]!, asleep);
  }

  /** What is broken when the world is reached by this step. */
  brokenBy(process: number, what: number): Violation | null {
    const violation = this.#effects.violations.get(what) ?? null;
    return violation !== null && this.#rotation !== null ? toldOf(process, violation) : violation;
  }

  /** What is broken in this world, whichever way it was reached. */
  broken(worlds: Int32Array, offset: number): Violation | null {
    const { violation } = this.#jury.of(worlds, offset);
    return violation !== null && this.medium.liveness.isUnsettled(worlds, offset) ? null : violation;
  }

  /** The lemmas that do not hold there. */
  brokenLemma(worlds: Int32Array, offset: number): Violation | null {
    const { lemmas } = this.medium;
    const world = this.medium.view(worlds, offset) as never;
    for (const lemma in lemmas) {
      if (!lemmas[lemma]!(world)) return { property: lemma, why: 'it fails in the last world' };
    }
    return this.medium.exceeded(worlds, offset);
  }

  /** Which of the witnesses this world shows, a bit for each. */
  witnessed(worlds: Int32Array, offset: number): number {
    return this.#jury.of(worlds, offset).shown;
  }

  /** What is wrong when nothing is bound to happen any more. */
  atRest(worlds: Int32Array, offset: number): Violation | null {
    return this.#jury.of(worlds, offset).atRest ?? this.medium.atRest(worlds, offset);
  }

  /** What happened, as `via` says it. */
  stepOf(process: number, what: number): Step<Move> {
    return process < 0 ? { process, move: null, coins: [] } : { process, ...this.states.eventAt(what) };
  }

  /** That are kept, besides the worlds. */
  get bytes(): number {
    return this.states.bytes + (this.#sleep?.bytes ?? 0);
  }

  /** Bytes of objects besides, about: to keep within a limit, not for a report. */
  held(): number {
    return this.states.held + this.expansion.next.byteLength;
  }
}

function markOf(flags: number): number {
  if ((flags & flag.breaks) !== 0) return mark.broken;
  return (flags & flag.tells) !== 0 ? mark.told : flags === flag.free ? mark.asked : mark.none;
}
