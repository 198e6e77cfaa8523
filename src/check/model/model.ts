import type { Pid } from '../../core/algorithm.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { ClaimId, EffectId, EffectListId, ProcessStateId } from '../ids.ts';
import { budgetOf, faultFlags, isAffordable, priceOf } from '../properties/fault-budget.ts';
import { PropertyCache } from '../properties/properties.ts';
import { canonicalRotation, renameProcess } from '../reduction/symmetry.ts';
import { type EffectTable, effectField, effectFlag, listHeader, listTrait } from './effect-table.ts';
import type { EarlyDeliveryReduction, Medium, ProcessStates, SleepSetReduction, Step } from './medium.ts';
import { Successors, stepMark } from './successors.ts';

/** How a run can begin: its first steps, before which nothing can happen, and the world they lead to. */
export interface Prologue<Action> {
  readonly world: Int32Array;
  readonly steps: readonly Step<Action>[];
  readonly violation: Violation | null;
}

/** Returns some of many. */
export type Choice = <T>(all: readonly T[]) => readonly T[];

const conditional = faultFlags | effectFlag.timer; // flags of effects that are not always possible

/** What a search explores: worlds, which are tuples of `width` numbers, and the transitions between them. See `Medium` for what is in a world. */
export class Model<Action = unknown> {
  readonly medium: Medium<Action>;
  readonly states: ProcessStates<Action>;
  readonly width: number;
  readonly successors: Successors;
  readonly earlyDelivery: EarlyDeliveryReduction | null;
  readonly hasSleepSets: boolean; // `expand` can compute sleep sets
  readonly witnesses: readonly string[]; // what runs must show sometimes: otherwise a property may hold because nothing could break it
  readonly #effects: EffectTable;
  readonly #n: number;
  readonly #budget: number; // of faults, at first; the last number of a world is what is left of it
  readonly #properties: PropertyCache;
  readonly #rotation: Int32Array | null; // scratch space to find the canonical rotation, where the ring is symmetric
  readonly #sleepSets: SleepSetReduction | null;
  readonly #bitsPerProcess: number;
  #computesSleepSets = false; // in the expansion in progress

  constructor(medium: Medium<Action>) {
    const { config, states, earlyDelivery, sleepSets, variables } = medium;
    const { n } = config.setup;
    this.medium = medium;
    this.states = states;
    this.#effects = states.effects;
    this.earlyDelivery = earlyDelivery;
    this.hasSleepSets = sleepSets !== null;
    this.#sleepSets = sleepSets;
    this.#bitsPerProcess = sleepSets?.bitsPerProcess ?? 0;
    this.#n = n;
    this.#budget = budgetOf(config);
    this.width = n + variables.length + (this.#budget > 0 ? 1 : 0);
    this.#rotation = config.symmetric ? new Int32Array(2 * n) : null;
    this.#properties = new PropertyCache(medium);
    this.witnesses = this.#properties.witnesses;
    this.successors = new Successors(this.width, 64);
  }

  /** Yields every world a run can begin in or, where a first event has several outcomes, those that `choose` selects. */
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
      ...medium.prologue.flatMap((action) => all.map((process) => ({ process, action }))),
      ...requesters.map((process) => ({ process, action: medium.request })),
    ];
    yield* this.#follow(plan, { world, steps: [], violation: null }, choose);
  }

  *#follow(
    plan: readonly { process: Pid; action: Action }[],
    now: Prologue<Action>,
    choose: Choice,
  ): Iterable<Prologue<Action>> {
    const [next, ...rest] = plan;
    if (next === undefined || now.violation !== null) {
      yield now;
      return;
    }
    const { process, action } = next;
    const state = now.world[process]! as ProcessStateId;
    const outcomes = Array.from({ length: this.states.initialEffectCount(state, action) }, (_, k) => k);
    for (const k of choose(outcomes)) {
      const effect = this.states.initialEffect(state, action, k);
      this.successors.count = 0;
      this.#apply(now.world, 0, process, effect, 0);
      const world = this.successors.next.slice(0, this.width);
      const steps = [...now.steps, this.stepOf(process, effect)];
      const hasEmitted = this.successors.marks[0] === stepMark.emitted;
      const violation = this.brokenBy(process, effect) ?? (hasEmitted ? this.broken(world, 0) : null);
      yield* this.#follow(rest, { world, steps, violation }, choose);
    }
  }

  /** Computes all successors, without replacing them by worlds that stand for several. */
  expandAsIs(worlds: Int32Array, offset: number): void {
    this.expand(worlds, offset, null, true);
  }

  /** Replaces a world by the one that stands for all its rotations, and for all that differ by a shift of rounds. */
  canonicalise(worlds: Int32Array, offset: number): void {
    this.medium.normalise?.(worlds, offset);
    if (this.#rotation !== null) canonicalRotation(worlds, offset, this.#n, this.#rotation);
  }

  /**
   * Computes all successors, except by events that are asleep. With null, it computes no sleep sets.
   *
   * Sleep sets (P. Godefroid, 1996). If two events that are enabled in a world commute, both orders lead to the same world. Events are taken
   * in turn. After each, two kinds of events sleep if they commute with it: those taken before it, and those asleep already. What they
   * lead to is reached in the other order.
   */
  expand(worlds: Int32Array, offset: number, asleep: number | null, asIs = false): void {
    const { successors, states, width } = this;
    this.#begin(asleep, false);
    let sleeping = asleep ?? 0;
    for (let i = 0; i < this.#n; i += 1) {
      const state = worlds[offset + i]! as ProcessStateId;
      this.earlyDelivery?.effectAt(state); // it must see every state that occurs
      const list = states.enabled(state, worlds, offset);
      if ((this.#effects.table[list + 1]! & listTrait.mustContinue) !== 0) successors.mustContinue = true;
      sleeping = this.#expandAt(worlds, offset, i, list, sleeping);
    }
    this.medium.complete(successors, worlds, offset);
    if (asIs || (this.#rotation === null && this.medium.normalise === null)) return;
    for (let k = 0; k < successors.count; k += 1) this.canonicalise(successors.next, k * width);
  }

  /**
   * Computes the successors by the events of one process only, if these may come first. Returns false if there is no such process. No
   * property is missed if a successor is a world that was not expanded yet.
   *
   * Ample sets (D. Peled, 1993). Where nothing that happens elsewhere adds to the enabled events of a process, they commute with
   * everything that others do before them. So they may as well come first.
   */
  expandAmple(worlds: Int32Array, offset: number, asleep: number | null): boolean {
    if (!this.medium.hasAmpleSets) return false;
    for (let i = 0; i < this.#n; i += 1) {
      const list = this.states.enabled(worlds[offset + i]! as ProcessStateId, worlds, offset);
      if (this.#effects.table[list + 1] !== (listTrait.closed | listTrait.mustContinue)) continue;
      this.#begin(asleep, true);
      this.#expandAt(worlds, offset, i, list, asleep ?? 0);
      return true;
    }
    return false;
  }

  /**
   * Computes the successor by one message that may come first, and returns the claim that it may; -1 if there is no such message. No property
   * is missed if the successor was not expanded yet, and the claim is never withdrawn.
   *
   * It begins with the last process: in a ring with descending ids, where most can happen, that leaves the fewest worlds.
   */
  expandEarly(worlds: Int32Array, offset: number): ClaimId | -1 {
    const { earlyDelivery } = this;
    for (let i = this.#n - 1; earlyDelivery !== null && i >= 0; i -= 1) {
      const state = worlds[offset + i]! as ProcessStateId;
      const effect = earlyDelivery.effectAt(state);
      if (effect === 0) continue;
      this.#begin(null, true);
      this.#apply(worlds, offset, i, effect, 0);
      return earlyDelivery.claimAt(state);
    }
    return -1;
  }

  #begin(asleep: number | null, mustContinue: boolean): void {
    const { successors } = this;
    successors.count = 0;
    successors.mustContinue = mustContinue;
    this.#computesSleepSets = this.hasSleepSets && asleep !== null && !successors.isLast;
  }

  /** Adds a successor for each effect of the list that is awake and possible. Returns what sleeps after all of them. */
  #expandAt(worlds: Int32Array, offset: number, i: Pid, list: EffectListId, asleep: number): number {
    const { table } = this.#effects;
    const bits = this.#bitsPerProcess;
    let sleeping = asleep;
    let effect = (list + listHeader) as EffectId;
    for (let k = 0; k < table[list]!; k += 1) {
      const bit = k < bits ? 1 << (bits * i + k) : 0;
      const isAwake = (asleep & bit) === 0;
      if (
        isAwake &&
        ((table[effect + effectField.flags]! & conditional) === 0 ||
          this.#isPossible(worlds, offset, i, effect))
      )
        this.#apply(worlds, offset, i, effect, this.#computesSleepSets ? sleeping : 0);
      if (this.#computesSleepSets && this.#sleepSets!.maySleep(effect)) sleeping |= bit;
      effect = (effect + effectField.size + 2 * table[effect + effectField.changes]!) as EffectId;
    }
    return sleeping;
  }

  #isPossible(worlds: Int32Array, offset: number, i: Pid, effect: EffectId): boolean {
    const flags = this.#effects.table[effect + effectField.flags]!;
    if ((flags & faultFlags) !== 0) return isAffordable(flags, worlds[offset + this.width - 1]!);
    return this.medium.mayFire(worlds, offset, i, effect);
  }

  /** Adds the world after an effect at process i. */
  #apply(worlds: Int32Array, offset: number, i: Pid, effect: EffectId, asleep: number): void {
    const { successors, width } = this;
    const { table } = this.#effects;
    const flags = table[effect + effectField.flags]!;
    const before = worlds[offset + i]! as ProcessStateId;
    const k = successors.count;
    const base = successors.append(worlds, offset, i, effect, markOf(flags));
    const { next } = successors;
    next[base + i] = table[effect + effectField.state]!;
    if ((flags & faultFlags) !== 0) next[base + width - 1]! -= priceOf(flags);
    successors.asleep[k] = this.medium.apply(successors, base, i, effect, before, asleep);
  }

  /** Returns the property that this step itself breaks. */
  brokenBy(process: number, effect: EffectId): Violation | null {
    const violation = this.#effects.violations.get(effect) ?? null;
    return violation !== null && this.#rotation !== null ? renameProcess(process, violation) : violation;
  }

  /** Returns the safety property that is broken in this world, whichever way it was reached. */
  broken(worlds: Int32Array, offset: number): Violation | null {
    const { violation } = this.#properties.of(worlds, offset);
    return violation !== null && this.medium.liveness.isIllegitimate(worlds, offset) ? null : violation;
  }

  /** Returns a lemma that fails in this world, or a bound that is exceeded. */
  brokenLemma(worlds: Int32Array, offset: number): Violation | null {
    return this.medium.brokenLemma(worlds, offset) ?? this.medium.exceeded(worlds, offset);
  }

  /** Returns which of the witnesses this world shows, a bit for each. */
  witnessed(worlds: Int32Array, offset: number): number {
    return this.#properties.of(worlds, offset).witnessed;
  }

  /** Returns what is wrong with a quiescent world. */
  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return (
      this.#properties.of(worlds, offset).whenQuiescent ?? this.medium.brokenWhenQuiescent(worlds, offset)
    );
  }

  /** Returns a step of `Successors.via` as a step of a run. */
  stepOf(process: number, effect: EffectId): Step<Action> {
    return process < 0 ? { process, action: null, coins: [] } : { process, ...this.states.eventAt(effect) };
  }

  /** The bytes besides the worlds: in tables and, estimated, in other objects. */
  get bytes(): number {
    const { states, successors } = this;
    const reductions = (this.#sleepSets?.bytes ?? 0) + (this.earlyDelivery?.bytes ?? 0);
    return states.bytes + states.objectBytes + successors.next.byteLength + reductions;
  }
}

function markOf(flags: number): number {
  if ((flags & effectFlag.breaks) !== 0) return stepMark.broken;
  return (flags & effectFlag.emits) !== 0
    ? stepMark.emitted
    : (flags & ~effectFlag.tosses) === effectFlag.optional
      ? stepMark.requested
      : stepMark.none;
}
