import type { Violation } from '../problems/monitor.ts';
import type { SearchOptions } from './config.ts';
import type { ClaimId, EffectId, WorldId } from './ids.ts';
import { EdgeLog, StepLog } from './liveness/edge-log.ts';
import type { Model } from './model/model.ts';
import { stepMark } from './model/successors.ts';
import { Coordinator, type HelperThread } from './parallel/coordinator.ts';
import { ReplayLog } from './parallel/replay-log.ts';
import { grown, growth } from './storage/typed-arrays.ts';
import { WorldTable } from './storage/world-table.ts';

export interface SearchLimits {
  readonly states: number;
  readonly bytes: number;
  readonly depth: number; // the length of a run, in events
}

export interface FoundViolation {
  readonly violation: Violation;
  readonly world: WorldId; // where it shows
  readonly step: { readonly process: number; readonly effect: EffectId } | null; // the step from there that breaks the property, if the world itself does not
  readonly root?: number; // if it shows in the first steps: the index of the initial world
}

const earlyPays = { worlds: 4096, least: 1 / 4 }; // after this many worlds, early delivery must work in this part of them, or sleep sets are faster
const sharingPays = { worlds: 100_000, frontier: 10_000 }; // from these sizes on, threads save time
const smallestBatch = 1024; // worlds
const rootsPerCheck = 1024; // initial worlds between two checks of the memory limit
const numbersPerCheck = 2 ** 14; // numbers in successors between two checks of the memory limit

/** Visits every reachable world, breadth first. So no violation is reached by fewer events than the first one found. */
export class Search {
  worlds!: WorldTable;
  transitions = 0;
  depth = 0; // of the worlds being expanded, in events
  found: FoundViolation | null = null;
  cutOff: string | null = null; // what was left out, if anything
  witnesses: (WorldId | -1)[] = []; // the world that shows each
  lastQuiescent: WorldId | -1 = -1;
  quiescent = 0; // worlds
  readonly edges: EdgeLog | null; // the steps followed, where early delivery decides which; null elsewhere
  steps: StepLog | null = null; // those followed since the first back edge, where worlds are expanded in order by one thread
  hasBackEdge = false; // a step led to a world that was reached before the world it starts from. Without one there is no cycle.
  isReductionFutile = false; // early delivery does not pay, or needs more tries: another search must start without it
  readonly #model: Model;
  readonly #limits: SearchLimits;
  readonly #options: SearchOptions;
  readonly #log = new ReplayLog();
  #reasons: Int32Array = new Int32Array(1024); // by world: the claim that justifies following one message only, + 1; 0 if all was followed
  #expandedEarly = 0; // worlds from which one message only was followed
  #largest = 0; // the number of worlds when the search last started again
  #coordinator: Coordinator | null = null; // if threads help
  readonly #awakened: { readonly world: WorldId; readonly asleep: number }[] = []; // expanded worlds in which more events are awake now
  #checkedAt = 0; // the number of transitions at the last check of the memory limit
  #head = 0 as WorldId; // the next world to expand
  #levelEnd = 0; // the end of the worlds of this depth
  #mayLog: boolean; // each world is expanded once, by this thread

  constructor(model: Model, options: SearchOptions, limits: SearchLimits) {
    this.#model = model;
    this.edges = model.earlyDelivery === null ? null : new EdgeLog();
    this.#mayLog = options.logSteps === true && model.earlyDelivery === null && !options.sleepSets;
    this.#limits = limits;
    this.#options = options;
    this.#begin();
  }

  #begin(): void {
    const model = this.#model;
    this.witnesses = model.witnesses.map(() => -1);
    this.worlds = new WorldTable(model.width, this.#options.sleepSets);
    let root = 0;
    for (const { world: initial, violation } of model.initial()) {
      if (this.worlds.size >= Math.max(1, this.#limits.states)) this.#reachLimit();
      if (root % rootsPerCheck === 0) this.#checkMemory();
      if (this.cutOff !== null) break;
      model.canonicalise(initial, 0);
      const world = this.#enter(initial, 0, -1, stepMark.emitted, 0);
      if (violation !== null) this.found ??= { violation, world, step: null, root };
      root += 1;
    }
    this.#levelEnd = this.#limits.depth > 0 ? this.worlds.size : 0;
  }

  get frontier(): number {
    return this.worlds.size - this.#head;
  }

  /** The length of the longest path in the tree of first visits. With early delivery the depth of a level is not a number of events. */
  get longest(): number {
    if (this.#model.earlyDelivery === null) return this.depth;
    const lengths = new Int32Array(this.worlds.size);
    for (let world = 0; world < lengths.length; world += 1) {
      const parent = this.parent(world as WorldId);
      if (parent >= 0) lengths[world] = lengths[parent]! + 1;
    }
    return lengths.reduce((most, length) => Math.max(most, length), 0);
  }

  get bytes(): number {
    return (
      this.worlds.bytes +
      this.#reasons.byteLength +
      (this.edges?.bytes ?? 0) +
      (this.steps?.bytes ?? 0) +
      (this.#coordinator?.bytes ?? 0)
    );
  }

  /** Returns the world from which one was first reached; -1 if it is initial. */
  parent(world: WorldId): WorldId | -1 {
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

  join(thread: HelperThread, least: number = smallestBatch): void {
    if (this.#model.earlyDelivery !== null) return;
    this.#coordinator ??= new Coordinator(this.#model, this.#options, this.worlds, this.#log, least);
    this.#coordinator.join(thread);
  }

  /** Expands up to `count` more worlds. Returns false when none are left, or a violation was found. */
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
    if (this.steps !== null && this.bytes + this.#model.bytes > this.#limits.bytes) this.#stopLog();
    if (this.bytes + this.#model.bytes > this.#limits.bytes)
      this.cutOff ??= `what needs more than ${this.#limits.bytes} bytes`;
  }

  #stopLog(): void {
    this.steps = null;
    this.#mayLog = false;
  }

  #reachLimit(): void {
    this.cutOff ??= `more than ${this.#limits.states} states`;
  }

  #visit(world: WorldId): void {
    this.#head++;
    this.#model.successors.isLast = this.#isLast;
    if (!this.#expand(world, this.#options.sleepSets ? this.worlds.asleep[world]! : null))
      this.#checkQuiescent(world);
    this.#model.successors.isLast = false;
    this.#logSteps();
    for (let next = this.#awakened.pop(); next !== undefined; next = this.#awakened.pop())
      this.#expand(next.world, next.asleep);
    if (this.worlds.size >= this.#limits.states && this.frontier > 0) this.#reachLimit();
  }

  /** Without a back edge there is no cycle, so the log begins after the first one. */
  #logSteps(): void {
    if (this.steps !== null) this.steps.close();
    else if (this.hasBackEdge && this.#mayLog) this.steps = new StepLog(this.#head);
  }

  /** Expands some of the worlds before `end` together with other threads. Returns false if one thread must do it. */
  #share(end: number): boolean {
    if (this.#coordinator === null) return false;
    const mostNew = this.#limits.states - this.worlds.size - 1;
    const range = { from: this.#head, end: end as WorldId, isLast: this.#isLast };
    const done = this.#coordinator.expand(range, mostNew, (world, mark) => this.#noteWitness(world, mark));
    if (done === null) return false;
    this.#stopLog(); // the other threads do not report their steps
    this.#head = done.to;
    this.transitions += done.transitions;
    this.quiescent += done.quiescent;
    if (done.lastQuiescent >= 0) this.lastQuiescent = done.lastQuiescent;
    if (done.hasBackEdge) this.hasBackEdge = true;
    return true;
  }

  /** The violation was found one event after a world of this depth. A quiescent world of this depth may show one that is an event shorter. */
  #settle(): false {
    const { world, step } = this.found!;
    const isDeeper = step !== null || world >= this.#levelEnd;
    for (; isDeeper && this.#head < this.#levelEnd; this.#head++) {
      const violation = this.#brokenWhenQuiescent(this.#head);
      if (violation === null) continue;
      this.found = { violation, world: this.#head, step: null };
      break;
    }
    return false;
  }

  /** Returns what is wrong with a world if it is quiescent. */
  #brokenWhenQuiescent(world: WorldId): Violation | null {
    const { data, width } = this.worlds;
    return this.#model.medium.isQuiescent(data, world * width)
      ? this.#model.brokenWhenQuiescent(data, world * width)
      : null;
  }

  /** Stops at the depth limit. A quiescent world at the limit is still checked. */
  #cut(): void {
    this.cutOff = `runs of more than ${this.#limits.depth} events`;
    for (let world = this.#head; world < this.worlds.size && this.found === null; world++)
      if (this.#model.medium.isQuiescent(this.worlds.data, world * this.#model.width))
        this.#checkQuiescent(world);
  }

  /** New worlds will not be expanded. */
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

  /** Expands fully the worlds from which one message only was followed, because of a claim that was withdrawn. */
  #review(): void {
    const { earlyDelivery } = this.#model;
    if (earlyDelivery === null) return;
    while (earlyDelivery.hasErred) {
      earlyDelivery.review();
      if (this.worlds.size > 2 * this.#largest) {
        this.#startAgain();
        return;
      }
      for (let world = 0 as WorldId; world < this.#head; world++) {
        const reason = this.#reasons[world] ?? 0;
        if (reason === 0 || !earlyDelivery.isWithdrawn((reason - 1) as ClaimId)) continue;
        this.#reasons[world] = 0;
        this.#expandedEarly -= 1;
        this.transitions -= 1; // it is followed again
        this.#expandAll(world, null);
      }
    }
    const pays = this.#head < earlyPays.worlds || this.#expandedEarly >= earlyPays.least * this.#head;
    this.isReductionFutile = this.frontier > 0 && (earlyDelivery.hasGivenUp || !pays);
  }

  /** Starts again: worlds reached by withdrawn claims are reachable, but need not be visited. No handler is executed twice. */
  #startAgain(): void {
    this.#largest = this.worlds.size;
    this.#head = 0 as WorldId;
    this.depth = this.transitions = this.quiescent = this.#expandedEarly = 0;
    this.lastQuiescent = -1;
    this.hasBackEdge = false;
    this.edges?.clear();
    this.#reasons.fill(0);
    this.#begin();
  }

  /** Follows one message only, if one may come first. Returns false if there is none, or it leads to a world visited before. */
  #expandEarly(world: WorldId): boolean {
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

  /** Returns false if the world is quiescent. */
  #expand(world: WorldId, asleep: number | null): boolean {
    return this.#expandEarly(world) || this.#expandAll(world, asleep);
  }

  #expandAll(world: WorldId, asleep: number | null): boolean {
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

  /** Computes the successors that the finished search has followed from a world, or more. Not for early delivery, whose steps are in `edges`. */
  expandAgain(world: WorldId): void {
    const model = this.#model;
    const { data } = this.worlds;
    const offset = world * model.width;
    if (model.expandAmple(data, offset, null) && this.#leadsOn(world)) return;
    model.expand(data, offset, null);
  }

  /** Says whether all successors were first reached after a world. */
  #leadsOn(world: WorldId): boolean {
    const { successors, width } = this.#model;
    for (let k = 0; k < successors.count; k += 1)
      if (successors.marks[k] !== stepMark.broken && this.worlds.find(successors.next, k * width) <= world)
        return false;
    return true;
  }

  /** Enters all successors and returns the smallest of their ids. */
  #follow(world: WorldId): number {
    const { successors, width } = this.#model;
    const { edges, steps } = this;
    let first = Infinity;
    this.transitions += successors.count;
    for (let k = 0; k < successors.count; k += 1) {
      const mark = successors.marks[k]!;
      if (mark === stepMark.broken) this.#breaks(world, k);
      else {
        const target = this.#enter(successors.next, k * width, world, mark, successors.asleep[k]!);
        if (edges !== null) edges.add(world, target);
        if (steps !== null) steps.add(target);
        if (target < first) first = target;
      }
    }
    if (first <= world) this.hasBackEdge = true;
    return first;
  }

  #breaks(world: WorldId, k: number): void {
    const { successors } = this.#model;
    const [process, effect] = [successors.processAt(k), successors.effectAt(k)];
    this.found ??= { violation: this.#model.brokenBy(process, effect)!, world, step: { process, effect } };
  }

  #enter(from: Int32Array, offset: number, parent: WorldId | -1, mark: number, asleep: number): WorldId {
    const { worlds } = this;
    const before = worlds.size;
    const world = worlds.add(from, offset);
    if (worlds.size === before) {
      if (this.#options.sleepSets) this.#awaken(world, asleep);
      return world;
    }
    worlds.note(world, parent, asleep);
    if (mark !== stepMark.none || this.#options.lemmas) this.#checkNew(world, from, offset, mark);
    return world;
  }

  /** A world is reached by another path: only the events that sleep on both paths still sleep. */
  #awaken(world: WorldId, asleep: number): void {
    const before = this.worlds.asleep[world]!;
    const still = before & asleep;
    if (still === before) return;
    this.worlds.asleep[world] = still;
    if (world < this.#head) this.#awakened.push({ world, asleep: still }); // expanded as a whole: the sleep sets of its successors change, too
  }

  #checkNew(world: WorldId, from: Int32Array, offset: number, mark: number): void {
    const hasEmitted = mark === stepMark.emitted;
    const violation =
      (hasEmitted ? this.#model.broken(from, offset) : null) ??
      (this.#options.lemmas ? this.#model.brokenLemma(from, offset) : null);
    if (violation !== null) this.found ??= { violation, world, step: null };
    this.#noteWitness(world, mark);
  }

  #noteWitness(world: WorldId, mark: number): void {
    const isNew = mark === stepMark.emitted || (mark === stepMark.requested && this.witnesses[1]! < 0);
    if (!isNew || !this.witnesses.includes(-1)) return;
    const witnessed = this.#model.witnessed(this.worlds.data, world * this.#model.width);
    for (let k = 0; k < this.witnesses.length; k += 1) {
      if ((witnessed & (1 << k)) !== 0 && this.witnesses[k]! < 0) this.witnesses[k] = world;
    }
  }

  #checkQuiescent(world: WorldId): void {
    this.quiescent += 1;
    this.lastQuiescent = world;
    const violation = this.#model.brokenWhenQuiescent(this.worlds.data, world * this.#model.width);
    if (violation !== null) this.found ??= { violation, world, step: null };
  }
}
