import type { SearchOptions } from '../config.ts';
import type { WorldId } from '../ids.ts';
import { undiscovered } from '../model/discovery.ts';
import type { Model } from '../model/model.ts';
import { stepMark } from '../model/successors.ts';
import { hashOf } from '../storage/tuple-table.ts';
import {
  type Batch,
  block,
  controlCell,
  keyBits,
  markBits,
  noKey,
  orderBits,
  type SharedTables,
} from './batch.ts';

/**
 * One thread at work on a batch. New worlds go wherever there is room. Their keys say where they belong: the smallest key is that of the step which
 * would reach the world first if one thread expanded all worlds in turn. Anything that makes the result depend on the order stops the batch.
 */
export class BatchWorker {
  readonly #model: Model;
  readonly #options: SearchOptions;
  #tables!: SharedTables;
  #batch!: Batch;
  #free = 0; // the place for the next new world
  #freeEnd = 0; // of the places this thread has taken
  #key = 0; // of the step being followed, without its mark
  #transitions = 0;
  #quiescent = 0;
  #lastQuiescent = -1;

  constructor(model: Model, options: SearchOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** Expands worlds of the batch while there are any. It puts off those whose expansion would discover something. */
  work(board: SharedTables, batch: Batch): void {
    this.#tables = board;
    this.#batch = batch;
    const { control } = board;
    const { to, chunk } = batch;
    const { discovery } = this.#model.states;
    discovery.isRefused = true;
    try {
      for (
        let at = Atomics.add(control, controlCell.next, chunk);
        at < to;
        at = Atomics.add(control, controlCell.next, chunk)
      )
        this.#expandChunk(at, Math.min(at + chunk, to));
    } finally {
      discovery.isRefused = false;
      this.finish();
    }
  }

  #expandChunk(first: number, end: number): void {
    const { control, putOff } = this.#tables;
    for (let world = first; world < end && control[controlCell.stop] === 0; world += 1) {
      try {
        this.expand(world as WorldId);
      } catch (error) {
        if (error !== undiscovered) throw error;
        putOff[Atomics.add(control, controlCell.putOff, 1)] = world;
      }
    }
  }

  /** Adds the counts of this thread to the shared ones. */
  finish(): void {
    const { control, keys } = this.#tables;
    if (this.#free < this.#freeEnd) keys[this.#free] = noKey; // it may have been written when another thread was first
    this.#free = this.#freeEnd = 0;
    Atomics.add(control, controlCell.transitions, this.#transitions);
    Atomics.add(control, controlCell.quiescent, this.#quiescent);
    for (
      let last = control[controlCell.lastQuiescent]!;
      last < this.#lastQuiescent;
      last = control[controlCell.lastQuiescent]!
    )
      Atomics.compareExchange(control, controlCell.lastQuiescent, last, this.#lastQuiescent);
    this.#transitions = this.#quiescent = 0;
    this.#lastQuiescent = -1;
  }

  /** Expands a world. Returns whether all its events were followed, not only an ample set. */
  expand(world: WorldId): boolean {
    const { successors, width } = this.#model;
    const { data, asleep } = this.#tables;
    const sleeping = this.#options.sleepSets ? asleep[world]! : null;
    this.#key = (world - this.#batch.from) << keyBits;
    successors.isLast = this.#batch.isLast;
    let transitions = 0;
    if (this.#model.expandAmple(data, world * width, sleeping)) {
      transitions += successors.count;
      if (this.#follow() > world) {
        this.#transitions += transitions;
        return false;
      }
    }
    this.#model.expand(data, world * width, sleeping);
    transitions += successors.count;
    this.#follow();
    this.#transitions += transitions;
    if (transitions >= 2 ** orderBits) this.#stop();
    if (!successors.mustContinue) this.#checkQuiescent(world);
    return true;
  }

  /** Enters all successors and returns the smallest of their ids. */
  #follow(): number {
    const { successors, width } = this.#model;
    let first = Infinity;
    for (let k = 0; k < successors.count; k += 1) {
      const mark = successors.marks[k]!;
      if (mark === stepMark.broken) this.#stop();
      else first = Math.min(first, this.#enter(successors.next, k * width, successors.asleep[k]!, mark));
      this.#key += 1 << markBits;
    }
    return first;
  }

  #enter(from: Int32Array, offset: number, asleep: number, mark: number): number {
    const { slots, mask, slotOf } = this.#tables;
    const { known } = this.#batch;
    const hash = hashOf(from, offset, this.#model.width);
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      let held = slots[at]!;
      if (held === 0) {
        const free = this.#write(from, offset, asleep, mark);
        if (free < 0) return known;
        slotOf[free] = at;
        held = Atomics.compareExchange(slots, at, 0, (hash & ~mask) | (known + free + 1));
        if (held === 0) {
          this.#free += 1;
          this.#checkNew(from, offset, mark);
          return known + free;
        }
      }
      if (((held ^ hash) & ~mask) !== 0 || !this.#isAt((held & mask) - 1, at, from, offset)) continue;
      this.#reachAgain((held & mask) - 1, from, offset, asleep, mark);
      return (held & mask) - 1;
    }
  }

  /** Writes a new world to the next free place and returns the place; -1 if there is none. */
  #write(from: Int32Array, offset: number, asleep: number, mark: number): number {
    const { control, newData, newAsleep, keys } = this.#tables;
    const { width } = this.#model;
    if (this.#free === this.#freeEnd) {
      const first = Atomics.add(control, controlCell.taken, block);
      if (first + block > this.#batch.room) {
        this.#stop();
        return -1;
      }
      this.#free = first;
      this.#freeEnd = first + block;
    }
    const start = this.#free * width;
    for (let k = 0; k < width; k += 1) newData[start + k] = from[offset + k]!;
    newAsleep[this.#free] = asleep;
    keys[this.#free] = this.#key | mark;
    return this.#free;
  }

  #isAt(id: number, slot: number, from: Int32Array, offset: number): boolean {
    const { data, newData, slots } = this.#tables;
    const { known } = this.#batch;
    const { width } = this.#model;
    const isNew = id >= known;
    if (isNew) Atomics.load(slots, slot); // orders this thread's reads after the writes of the thread that filled the slot
    const numbers = isNew ? newData : data;
    const start = (isNew ? id - known : id) * width;
    for (let k = 0; k < width; k += 1) if (numbers[start + k] !== from[offset + k]) return false;
    return true;
  }

  /** A world is reached by another step. */
  #reachAgain(world: number, from: Int32Array, offset: number, asleep: number, mark: number): void {
    const { newAsleep, keys } = this.#tables;
    const { known } = this.#batch;
    if (world < this.#batch.to) Atomics.store(this.#tables.control, controlCell.backEdge, 1);
    if (world < known) {
      if (this.#options.sleepSets) this.#awaken(world, asleep);
      return;
    }
    const at = world - known;
    const key = this.#key | mark;
    let isFirst = false;
    for (let other = keys[at]!; key < other; other = keys[at]!)
      isFirst = Atomics.compareExchange(keys, at, other, key) === other;
    if (isFirst) this.#checkNew(from, offset, mark);
    if (this.#options.sleepSets && (newAsleep[at]! & ~asleep) !== 0) Atomics.and(newAsleep, at, asleep);
  }

  /** Wakes events of a known world. If it was expanded already, or is in this batch, the result depends on the order. */
  #awaken(world: number, still: number): void {
    const { asleep } = this.#tables;
    if ((asleep[world]! & ~still) === 0) return;
    if (world < this.#batch.to) this.#stop();
    else Atomics.and(asleep, world, still);
  }

  #checkNew(from: Int32Array, offset: number, mark: number): void {
    if (mark === stepMark.none && !this.#options.lemmas) return;
    const violation =
      (mark === stepMark.emitted ? this.#model.broken(from, offset) : null) ??
      (this.#options.lemmas ? this.#model.brokenLemma(from, offset) : null);
    if (violation !== null) this.#stop();
  }

  #checkQuiescent(world: number): void {
    const { data } = this.#tables;
    this.#quiescent += 1;
    this.#lastQuiescent = Math.max(this.#lastQuiescent, world);
    if (this.#model.brokenWhenQuiescent(data, world * this.#model.width) !== null) this.#stop();
  }

  #stop(): void {
    Atomics.store(this.#tables.control, controlCell.stop, 1);
  }
}
