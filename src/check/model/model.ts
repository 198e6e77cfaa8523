import type { Pid } from '../../core/algorithm.ts';
import type { Violation } from '../../problems/monitor.ts';
import { budgetOf, faultFlags, isAffordable, priceOf } from '../properties/fault-budget.ts';
import { PropertyCache } from '../properties/property-cache.ts';
import type { EarlyDelivery } from '../reduction/early-delivery.ts';
import type { SleepSets } from '../reduction/sleep-sets.ts';
import { canonicalRotation, renameProcess } from '../reduction/symmetry.ts';
import { type EffectTable, effectField, effectFlag, listHeader, listTrait } from './effect-table.ts';
import type { Medium, ProcessStates, Step } from './medium.ts';
import { Successors, stepMark } from './successors.ts';

/** The first events of a run, before which nothing can happen. */
export interface Prologue<Action> {
  readonly world: Int32Array;
  readonly steps: readonly Step<Action>[];
  readonly violation: Violation | null;
}

/** Some of many. */
export type Choice = <T>(all: readonly T[]) => readonly T[];

const conditional = faultFlags | effectFlag.timer; // effects that are not always possible

/** What a search explores: worlds as tuples of `width` numbers, and the transitions between them. See `Medium` for what a world is. */
export class Model<Action = unknown> {
  readonly medium: Medium<Action>;
  readonly states: ProcessStates<Action>;
  readonly width: number;
  readonly successors: Successors;
  readonly earlyDelivery: EarlyDelivery | null; // if it is asked for
  readonly hasSleepSets: boolean; // `expand` can say which events are asleep
  readonly witnesses: readonly string[]; // what runs should show sometimes, lest properties hold because nothing could break them
  readonly #effects: EffectTable;
  readonly #n: number;
  readonly #budget: number; // at first; the last number of a world is what is left of it
  readonly #properties: PropertyCache;
  readonly #rotation: Int32Array | null; // room to find the rotation that stands for all, where processes are alike
  readonly #sleepSets: SleepSets | null;
  readonly #sleepers: number;
  #maySleep = false;

  constructor(medium: Medium<Action>) {
    const { config, states, earlyDelivery, sleepSets, variables } = medium;
    const { n } = config.setup;
    this.medium = medium;
    this.states = states;
    this.#effects = states.effects;
    this.earlyDelivery = earlyDelivery;
    this.hasSleepSets = sleepSets !== null;
    this.#sleepSets = sleepSets;
    this.#sleepers = sleepSets?.bitsPerProcess ?? 0;
    this.#n = n;
    this.#budget = budgetOf(config);
    this.width = n + variables.length + (this.#budget > 0 ? 1 : 0);
    this.#rotation = config.symmetric ? new Int32Array(2 * n) : null;
    this.#properties = new PropertyCache(medium);
    this.witnesses = this.#properties.witnesses;
    this.successors = new Successors(this.width, 64);
  }

  /** Every world a run can begin in; or, wherever several things can come of a first event, what is chosen of them. */
  *initial(choose: Choice = (all) => all): Iterable<Prologue<Action>> {
    const { medium, states } = this;
    const { setup, together } = medium.config;
    const { algorithm, starts, entries } = setup;
    const left = Array<number>(this.#n).fill(0);
    for (let k = 0; k < starts.count; k += 1)
      left[starts.of(k).process] = algorithm.problem === 'mutex' ? entries : 1;
    const world = new Int32Array(this.width);
    world.set(left.map((times, i) => states.initial(i, times)));
    world.set(medium.variables, this.#n);
    if (this.#budget > 0) world[this.width - 1] = this.#budget;
    const all = left.map((_, process) => process);
    const requesters = together ? all.filter((i) => left[i]! > 0) : [];
    const plan = [
      ...medium.prologue.flatMap((action) => all.map((process) => ({ process, move: action }))),
      ...requesters.map((process) => ({ process, move: medium.request })),
    ];
    yield* this.#follow(plan, { world, steps: [], violation: null }, choose);
  }

  *#follow(
    plan: readonly { process: Pid; move: Action }[],
    now: Prologue<Action>,
    choose: Choice,
  ): Iterable<Prologue<Action>> {
    const [next, ...rest] = plan;
    if (next === undefined || now.violation !== null) {
      yield now;
      return;
    }
    const { process, move: action } = next;
    const state = now.world[process]!;
    const ways = Array.from({ length: this.states.initialEffectCount(state, action) }, (_, k) => k);
    for (const k of choose(ways)) {
      const at = this.states.initialEffect(state, action, k);
      this.successors.count = 0;
      this.#apply(now.world, 0, process, at, 0);
      const world = this.successors.next.slice(0, this.width);
      const actions = [...now.steps, this.stepOf(process, at)];
      const isTold = this.successors.marks[0] === stepMark.emitted;
      const violation = this.brokenBy(process, at) ?? (isTold ? this.broken(world, 0) : null);
      yield* this.#follow(rest, { world, steps: actions, violation }, choose);
    }
  }

  /** All that can follow, but every successor as it is, not the one that stands for it. */
  expandAsIs(worlds: Int32Array, offset: number): void {
    this.expand(worlds, offset, null, true);
  }

  /** Makes a world the one that stands for it. */
  canonicalise(worlds: Int32Array, offset: number): void {
    if (this.#rotation !== null) canonicalRotation(worlds, offset, this.#n, this.#rotation);
  }

  /**
   * All that can follow, except by events that are asleep; null: nobody asks which are.
   *
   * Sleep sets (P. Godefroid, 1996). If two events that are possible in a world commute, both orders of them lead to the same world. Events are
   * taken in turn; after each of them those taken before it, and those that were asleep already, sleep if they commute with it:
   * what happens then has been seen the other way round.
   */
  expand(worlds: Int32Array, offset: number, asleep: number | null, asIs = false): void {
    const { successors, states, width } = this;
    this.#begin(asleep, false);
    let sleeping = asleep ?? 0;
    for (let i = 0; i < this.#n; i += 1) {
      this.earlyDelivery?.effectAt(worlds[offset + i]!); // it has to know of all that happens
      const start = states.enabled(worlds[offset + i]!, worlds, offset);
      if ((this.#effects.table[start + 1]! & listTrait.mustContinue) !== 0) successors.mustContinue = true;
      sleeping = this.#expandAt(worlds, offset, i, start, sleeping);
    }
    this.medium.complete(successors, worlds, offset);
    if (this.#rotation === null || asIs) return;
    for (let k = 0; k < successors.count; k += 1) this.canonicalise(successors.next, k * width);
  }

  /**
   * Only what may as well come first; false if there is no such thing. What is left out is not lost if this leads to worlds not yet looked at.
   *
   * Ample sets (D. Peled, 1993). Where nothing that happens elsewhere adds to what can happen at a process, its events commute with all that
   * others do before them: they may as well come first.
   */
  expandAmple(worlds: Int32Array, offset: number, asleep: number | null): boolean {
    if (!this.medium.hasAmpleSets) return false;
    for (let i = 0; i < this.#n; i += 1) {
      const start = this.states.enabled(worlds[offset + i]!, worlds, offset);
      if (this.#effects.table[start + 1] !== (listTrait.closed | listTrait.mustContinue)) continue;
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
    const { earlyDelivery } = this;
    for (let i = this.#n - 1; earlyDelivery !== null && i >= 0; i -= 1) {
      const state = worlds[offset + i]!;
      const at = earlyDelivery.effectAt(state);
      if (at === 0) continue;
      this.#begin(null, true);
      this.#apply(worlds, offset, i, at, 0);
      return earlyDelivery.claimAt(state);
    }
    return -1;
  }

  #begin(asleep: number | null, mustGoOn: boolean): void {
    const { successors } = this;
    successors.count = 0;
    successors.mustContinue = mustGoOn;
    this.#maySleep = this.hasSleepSets && asleep !== null && !successors.isLast;
  }

  /** Adds a successor for each effect of the list that is awake and possible. Returns what is asleep after all of them. */
  #expandAt(worlds: Int32Array, offset: number, i: Pid, start: number, asleep: number): number {
    const { table } = this.#effects;
    const sleepers = this.#sleepers;
    let sleeping = asleep;
    let at = start + listHeader;
    for (let k = 0; k < table[start]!; k += 1) {
      const bit = k < sleepers ? 1 << (sleepers * i + k) : 0;
      const isAwake = (asleep & bit) === 0;
      if (
        isAwake &&
        ((table[at + effectField.flags]! & conditional) === 0 || this.#isPossible(worlds, offset, i, at))
      )
        this.#apply(worlds, offset, i, at, this.#maySleep ? sleeping : 0);
      if (this.#maySleep && this.#sleepSets!.maySleep(at)) sleeping |= bit;
      at += effectField.size + 2 * table[at + effectField.changes]!;
    }
    return sleeping;
  }

  #isPossible(worlds: Int32Array, offset: number, i: Pid, at: number): boolean {
    const flags = this.#effects.table[at + effectField.flags]!;
    if ((flags & faultFlags) !== 0) return isAffordable(flags, worlds[offset + this.width - 1]!);
    return this.medium.mayFire(worlds, offset, i, at);
  }

  /** Adds the world after an effect at process i. */
  #apply(worlds: Int32Array, offset: number, i: Pid, at: number, asleep: number): void {
    const { successors, width } = this;
    const { table } = this.#effects;
    const flags = table[at + effectField.flags]!;
    const k = successors.count;
    const base = successors.append(worlds, offset, i, at, markOf(flags));
    const { next } = successors;
    next[base + i] = table[at + effectField.state]!;
    if ((flags & faultFlags) !== 0) next[base + width - 1]! -= priceOf(flags);
    successors.asleep[k] = this.medium.apply(successors, base, i, at, worlds[offset + i]!, asleep);
  }

  /** What is broken when the world is reached by this step. */
  brokenBy(process: number, effect: number): Violation | null {
    const violation = this.#effects.violations.get(effect) ?? null;
    return violation !== null && this.#rotation !== null ? renameProcess(process, violation) : violation;
  }

  /** What is broken in this world, whichever way it was reached. */
  broken(worlds: Int32Array, offset: number): Violation | null {
    const { violation } = this.#properties.of(worlds, offset);
    return violation !== null && this.medium.liveness.isIllegitimate(worlds, offset) ? null : violation;
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
    return this.#properties.of(worlds, offset).witnessed;
  }

  /** What is wrong when nothing is bound to happen any more. */
  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return (
      this.#properties.of(worlds, offset).whenQuiescent ?? this.medium.brokenWhenQuiescent(worlds, offset)
    );
  }

  /** What happened, as `via` says it. */
  stepOf(process: number, effect: number): Step<Action> {
    return process < 0 ? { process, action: null, coins: [] } : { process, ...this.states.eventAt(effect) };
  }

  /** That are kept, besides the worlds. */
  get bytes(): number {
    return this.states.bytes + (this.#sleepSets?.bytes ?? 0);
  }

  /** Bytes of objects besides, about: to keep within a limit, not for a report. */
  objectBytes(): number {
    return this.states.objectBytes + this.successors.next.byteLength;
  }
}

function markOf(flags: number): number {
  if ((flags & effectFlag.breaks) !== 0) return stepMark.broken;
  return (flags & effectFlag.emits) !== 0
    ? stepMark.emitted
    : flags === effectFlag.optional
      ? stepMark.requested
      : stepMark.none;
}
