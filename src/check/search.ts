import type { Violation } from '../problems/monitor.ts';
import type { Model } from './model/model.ts';
import { stepMark } from './model/successors.ts';
import type { SearchOptions } from './parallel/batch-worker.ts';
import { Coordinator, type HelperThread } from './parallel/coordinator.ts';
import { ReplayLog } from './parallel/replay-log.ts';
import { grown, growth } from './storage/tuple-table.ts';
import { WorldTable } from './storage/world-table.ts';

export interface SearchLimits {
  readonly states: number; // at most so many are looked at,
  readonly bytes: number; // so much memory is taken,
  readonly depth: number; // and no run is followed for more events than this
}

export interface FoundViolation {
  readonly violation: Violation;
  readonly world: number; // where it shows
  readonly step: { readonly process: number; readonly effect: number } | null; // the event after it that breaks it, if it is not the world itself
  readonly root?: number; // if it shows in the first events: which of the ways in which runs can begin
}

const earlyPays = { worlds: 4096, least: 1 / 4 }; // of so many worlds that part must be left by one event only, lest sleep sets be faster
const sharingPays = { worlds: 100_000, frontier: 10_000 }; // for threads to be worth while
const smallestBatch = 1024; // worlds that are worth sharing
const rootsPerCheck = 1024; // ways to begin,
const numbersPerCheck = 2 ** 18; // or numbers in successors, after which to weigh again

/** Every world that can be reached, breadth first: the first violation found is reached by as few events as any. */
export class Search {
  worlds!: WorldTable;
  transitions = 0;
  depth = 0; // events that lead to the worlds being looked at
  found: FoundViolation | null = null;
  cutOff: string | null = null; // why something was left out
  witnesses: number[] = []; // the world that shows each, or -1
  lastQuiescent = -1; // the last world found
  quiescent = 0; // worlds in which nothing is bound to happen
  isReductionFutile = false; // it relies on claims, and that does not pay: nothing was found, and another search has to look at all of it
  readonly #model: Model;
  readonly #limits: SearchLimits;
  readonly #options: SearchOptions;
  readonly #log = new ReplayLog();
  #reasons: Int32Array = new Int32Array(1024); // of each world that one event only is followed from: the claim that it may be, + 1
  #expandedEarly = 0; // such worlds
  #largest = 0; // so many worlds there were when it began anew
  #coordinator: Coordinator | null = null; // if others help
  readonly #awakened: { readonly world: number; readonly asleep: number }[] = []; // looked at already, but not at all that is awake now
  #checkedAt = 0; // transitions, when it last was
  #head = 0; // the next world to look at
  #levelEnd = 0; // where the worlds of this depth end

  constructor(model: Model, task: SearchOptions, limits: SearchLimits) {
    this.#model = model;
    this.#limits = limits;
    this.#options = task;
    this.#begin();
  }

  #begin(): void {
    const model = this.#model;
    this.witnesses = model.witnesses.map(() => -1);
    this.worlds = new WorldTable(model.width, this.#options.sleepSets);
    let root = 0;
    for (const { world: begun, violation } of model.initial()) {
      if (this.worlds.size >= Math.max(1, this.#limits.states)) this.#reachLimit();
      if (root % rootsPerCheck === 0) this.#checkMemory();
      if (this.cutOff !== null) break;
      model.canonicalise(begun, 0);
      const world = this.#enter(begun, 0, -1, stepMark.emitted, 0);
      if (violation !== null) this.found ??= { violation, world, step: null, root };
      root += 1;
    }
    this.#levelEnd = this.#limits.depth > 0 ? this.worlds.size : 0;
  }

  get frontier(): number {
    return this.worlds.size - this.#head;
  }

  /** Events that lead to the last worlds, as they were found. Where everything is followed later on, a level is not a number of events. */
  get longest(): number {
    if (this.#model.earlyDelivery === null) return this.depth;
    const lengths = new Int32Array(this.worlds.size);
    for (let world = 0; world < lengths.length; world += 1)
      if (this.parent(world) >= 0) lengths[world] = lengths[this.parent(world)]! + 1;
    return lengths.reduce((most, length) => Math.max(most, length), 0);
  }

  get bytes(): number {
    return this.worlds.bytes + this.#reasons.byteLength + (this.#coordinator?.bytes ?? 0);
  }

  /** The world from which one was first reached; -1 if it is initial. */
  parent(world: number): number {
    return this.worlds.parents[world]!;
  }

  get isWorthHelp(): boolean {
    const isLarge = this.worlds.size > sharingPays.worlds && this.frontier > sharingPays.frontier;
    return (
      this.#model.earlyDelivery === null &&
      isLarge &&
      !this.#log.isUseless &&
      typeof SharedArrayBuffer === 'function'
    );
  }

  join(helper: HelperThread, few: number = smallestBatch): void {
    if (this.#model.earlyDelivery !== null) return;
    this.#coordinator ??= new Coordinator(this.#model, this.#options, this.worlds, this.#log, few);
    this.#coordinator.join(helper);
  }

  /** Looks at up to `count` more worlds; false when there are none, or something was found. */
  advance(count: number): boolean {
    const end = this.#head + count;
    while (this.#head < end) {
      if (this.found !== null) return this.#settle();
      if (this.cutOff !== null || !this.#hasNext()) return false;
      if (!this.#share(Math.min(this.#levelEnd, end))) this.#visit(this.#head);
      if (this.#model.width * Math.abs(this.transitions - this.#checkedAt) >= numbersPerCheck)
        this.#checkMemory();
    }
    this.#checkMemory();
    return true;
  }

  #checkMemory(): void {
    this.#checkedAt = this.transitions;
    if (this.bytes + this.#model.bytes + this.#model.objectBytes() > this.#limits.bytes)
      this.cutOff ??= `what needs more than ${this.#limits.bytes} bytes`;
  }

  #reachLimit(): void {
    this.cutOff ??= `more than ${this.#limits.states} states`;
  }

  #visit(world: number): void {
    this.#head += 1;
    this.#model.successors.isLast = this.#isLast;
    if (!this.#expand(world, this.#options.sleepSets ? this.worlds.asleep[world]! : null))
      this.#checkQuiescent(world);
    this.#model.successors.isLast = false;
    for (let next = this.#awakened.pop(); next !== undefined; next = this.#awakened.pop())
      this.#expand(next.world, next.asleep);
    if (this.worlds.size >= this.#limits.states && this.frontier > 0) this.#reachLimit();
  }

  /** Looks at some of the worlds before `end` with others; false if it had better do that alone. */
  #share(end: number): boolean {
    if (this.#coordinator === null) return false;
    const mostNew = this.#limits.states - this.worlds.size - 1;
    const range = { from: this.#head, end, isLast: this.#isLast };
    const done = this.#coordinator.expand(range, mostNew, (world, how) => this.#noteWitness(world, how));
    if (done === null) return false;
    this.#head = done.to;
    this.transitions += done.transitions;
    this.quiescent += done.resting;
    if (done.lastRest >= 0) this.lastQuiescent = done.lastRest;
    return true;
  }

  /** It was found one event after a world of this depth: in those that are left something may be wrong if nothing happens there. */
  #settle(): false {
    const { world, step } = this.found!;
    const isDeeper = step !== null || world >= this.#levelEnd;
    for (; isDeeper && this.#head < this.#levelEnd; this.#head += 1) {
      const violation = this.#brokenWhenQuiescent(this.#head);
      if (violation === null) continue;
      this.found = { violation, world: this.#head, step: null };
      break;
    }
    return false;
  }

  /** What is wrong with a world if it stays as it is, and it does. */
  #brokenWhenQuiescent(world: number): Violation | null {
    const { data, width } = this.worlds;
    return this.#model.medium.isQuiescent(data, world * width)
      ? this.#model.brokenWhenQuiescent(data, world * width)
      : null;
  }

  /** Runs end here: whoever waits there waits for ever, if nothing is bound to happen. */
  #cut(): void {
    this.cutOff = `runs of more than ${this.#limits.depth} events`;
    for (let world = this.#head; world < this.worlds.size && this.found === null; world += 1)
      if (this.#model.medium.isQuiescent(this.worlds.data, world * this.#model.width))
        this.#checkQuiescent(world);
  }

  /** What is new will not be looked at. */
  get #isLast(): boolean {
    return this.depth + 1 >= this.#limits.depth;
  }

  #hasNext(): boolean {
    if (this.#head < this.#levelEnd) return true;
    this.#review();
    if (this.#head < this.#levelEnd) return true;
    if (this.frontier === 0 || this.isReductionFutile) return false;
    if (this.#isLast) {
      this.#cut();
      return false;
    }
    this.depth += 1;
    this.#levelEnd = this.worlds.size;
    return true;
  }

  /** Follows everything from worlds that were left by one event only because of a claim that was wrong. */
  #review(): void {
    const { earlyDelivery } = this.#model;
    if (earlyDelivery === null) return;
    while (earlyDelivery.claims.hasErred) {
      earlyDelivery.review();
      if (this.worlds.size > 2 * this.#largest) {
        this.#beginAnew();
        return;
      }
      for (let world = 0; world < this.#head; world += 1) {
        const reason = this.#reasons[world] ?? 0;
        if (reason === 0 || !earlyDelivery.claims.isWrong(reason - 1)) continue;
        this.#reasons[world] = 0;
        this.#expandedEarly -= 1;
        this.transitions -= 1; // it is followed once more
        this.#expandAll(world, null);
      }
    }
    const isMuch = this.#head < earlyPays.worlds || this.#expandedEarly >= earlyPays.least * this.#head;
    this.isReductionFutile = this.frontier > 0 && (earlyDelivery.claims.hasGivenUp || !isMuch);
  }

  /** What claims that were wrong have led to is not wrong, but need not be looked at. Knowing them it soon is where it was: nothing is executed twice. */
  #beginAnew(): void {
    this.#largest = this.worlds.size;
    this.#head = this.depth = this.transitions = this.quiescent = this.#expandedEarly = 0;
    this.lastQuiescent = -1;
    this.#reasons.fill(0);
    this.#begin();
  }

  /** Follows only what may as well come first; false if it leads to where one has been, or there is no such thing. */
  #expandEarly(world: number): boolean {
    const claim = this.#model.expandEarly(this.worlds.data, world * this.#model.width);
    if (claim < 0) return false;
    if (this.#follow(world) <= world) {
      this.transitions -= 1;
      return false;
    }
    if (world >= this.#reasons.length) this.#reasons = grown(this.#reasons, Math.ceil(growth * world) + 1);
    this.#reasons[world] = claim + 1;
    this.#expandedEarly += 1;
    return true;
  }

  /** False if nothing is bound to happen there. */
  #expand(world: number, asleep: number | null): boolean {
    return this.#expandEarly(world) || this.#expandAll(world, asleep);
  }

  #expandAll(world: number, asleep: number | null): boolean {
    const { successors, width, states } = this.#model;
    const before = states.discovery.count;
    const isAll =
      !this.#model.expandAmple(this.worlds.data, world * width, asleep) || this.#follow(world) <= world;
    if (isAll) {
      this.#model.expand(this.worlds.data, world * width, asleep);
      this.#follow(world);
    }
    if (states.discovery.count > before)
      this.#log.note(world, asleep ?? 0, { isAll, isLast: successors.isLast }, this.worlds.size);
    return successors.mustContinue;
  }

  /** Goes to all successors; the first of them, by number. */
  #follow(world: number): number {
    const { successors, width } = this.#model;
    let first = Infinity;
    this.transitions += successors.count;
    for (let k = 0; k < successors.count; k += 1) {
      const how = successors.marks[k]!;
      if (how === stepMark.broken) this.#breaks(world, k);
      else
        first = Math.min(first, this.#enter(successors.next, k * width, world, how, successors.asleep[k]!));
    }
    return first;
  }

  #breaks(world: number, k: number): void {
    const { via } = this.#model.successors;
    const [process, effect] = [via[2 * k]!, via[2 * k + 1]!];
    this.found ??= { violation: this.#model.brokenBy(process, effect)!, world, step: { process, effect } };
  }

  #enter(from: Int32Array, offset: number, parent: number, how: number, asleep: number): number {
    const { worlds } = this;
    const before = worlds.size;
    const world = worlds.add(from, offset);
    if (worlds.size === before) {
      if (this.#options.sleepSets) this.#awaken(world, asleep);
      return world;
    }
    worlds.note(world, parent, asleep);
    if (how !== stepMark.none || this.#options.lemmas) this.#checkNew(world, from, offset, how);
    return world;
  }

  /** A world is reached in another way: asleep is only what was asleep both times. */
  #awaken(world: number, asleep: number): void {
    const before = this.worlds.asleep[world]!;
    const still = before & asleep;
    if (still === before) return;
    this.worlds.asleep[world] = still;
    if (world < this.#head) this.#awakened.push({ world, asleep: still }); // all of it: what follows was told of who slept
  }

  #checkNew(world: number, from: Int32Array, offset: number, how: number): void {
    const isTold = how === stepMark.emitted;
    const violation =
      (isTold ? this.#model.broken(from, offset) : null) ??
      (this.#options.lemmas ? this.#model.brokenLemma(from, offset) : null);
    if (violation !== null) this.found ??= { violation, world, step: null };
    this.#noteWitness(world, how);
  }

  #noteWitness(world: number, how: number): void {
    const isNew = how === stepMark.emitted || (how === stepMark.requested && this.witnesses[0]! < 0);
    if (!isNew || !this.witnesses.includes(-1)) return;
    const shown = this.#model.witnessed(this.worlds.data, world * this.#model.width);
    for (let k = 0; k < this.witnesses.length; k += 1) {
      if ((shown & (1 << k)) !== 0 && this.witnesses[k]! < 0) this.witnesses[k] = world;
    }
  }

  #checkQuiescent(world: number): void {
    this.quiescent += 1;
    this.lastQuiescent = world;
    const violation = this.#model.brokenWhenQuiescent(this.worlds.data, world * this.#model.width);
    if (violation !== null) this.found ??= { violation, world, step: null };
  }
}
