import type { Model } from '../model/model.ts';
import { stepMark } from '../model/successors.ts';
import { hashOf } from '../storage/tuple-table.ts';
import { undiscovered } from './discovery.ts';

/** What threads tell each other, in `Board.control`. */
export const controlCell = {
  open: 0, // the batch that can be worked at; 0: none
  busy: 1, // helpers that work at it
  next: 2, // the next world to look at
  taken: 3, // room for new worlds
  putOff: 4, // worlds
  stop: 5, // 1: what happens next depends on the order, so one thread alone must look at this batch
  transitions: 6,
  quiescent: 7,
  lastQuiescent: 8,
  size: 9,
} as const;

/** What threads share. */
export interface SharedTables {
  readonly control: Int32Array;
  // Of the worlds that were known before this batch, as a search keeps them. Nothing of that changes, but that fewer may be asleep.
  readonly data: Int32Array;
  readonly asleep: Int32Array;
  readonly slots: Int32Array;
  readonly mask: number;
  // Of those that are new, in the order in which threads come across them.
  readonly newData: Int32Array;
  readonly newAsleep: Int32Array;
  readonly keys: Int32Array; // who is first to reach it, and how: see `Hand`
  readonly slotOf: Int32Array; // its slot
  readonly putOff: Int32Array; // worlds of which something has yet to be worked out
}

/** Worlds of one depth to be looked at. */
export interface Batch {
  readonly id: number; // not 0
  readonly from: number;
  readonly to: number;
  readonly known: number; // worlds before it; the numbers of new ones go on from there
  readonly room: number; // for new ones
  readonly chunk: number; // that a thread takes at a time
  readonly isLast: boolean; // see `Expansion`
}

/** What a thread is given to do. */
export interface Assignment {
  readonly tables: SharedTables;
  readonly log: readonly number[]; // what was worked out since the last time: see `Firsts`
  readonly batch: Batch | null; // null: it only says that it is ready
  readonly ready: number; // where, in `board.control`
}

export interface SearchOptions {
  readonly sleepSets: boolean;
  readonly lemmas: boolean;
}

export const noKey = 2 ** 31 - 1;
const markBits = 2;
const orderBits = 14; // for the successors of one world
const keyBits = markBits + orderBits;
export const mostWorlds = 2 ** (31 - keyBits) - 1; // in a batch
export const block = 64; // new worlds for which a thread takes room at a time

export const parentIn = (key: number): number => key >>> keyBits; // counted from the first world of the batch
export const markIn = (key: number): number => key & (2 ** markBits - 1);

/**
 * A thread at work on a batch. New worlds go to where the threads find room; their keys say where they belong: whoever reaches a world first, had
 * one thread looked at all worlds in turn, has the smallest key. Whatever would make a difference to what comes next stops the batch.
 */
export class BatchWorker {
  readonly #model: Model;
  readonly #options: SearchOptions;
  #tables!: SharedTables;
  #batch!: Batch;
  #free = 0; // room for the next new world,
  #freeEnd = 0; // as far as it is taken
  #key = 0; // of the event that is followed, without its mark
  #transitions = 0;
  #quiescent = 0;
  #lastQuiescent = -1;

  constructor(model: Model, task: SearchOptions) {
    this.#model = model;
    this.#options = task;
  }

  /** Takes worlds while there are any. Those for which something has to be worked out are put off. */
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
        this.#take(at, Math.min(at + chunk, to));
    } finally {
      discovery.isRefused = false;
      this.finish();
    }
  }

  #take(first: number, end: number): void {
    const { control, putOff } = this.#tables;
    for (let world = first; world < end && control[controlCell.stop] === 0; world += 1) {
      try {
        this.expand(world);
      } catch (error) {
        if (error !== undiscovered) throw error;
        putOff[Atomics.add(control, controlCell.putOff, 1)] = world;
      }
    }
  }

  /** Says what it has done. */
  finish(): void {
    const { control, keys } = this.#tables;
    if (this.#free < this.#freeEnd) keys[this.#free] = noKey; // written perhaps, but another thread was first
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

  /** Looks at a world; true if all that can happen there was followed, not only what may as well come first. */
  expand(world: number): boolean {
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

  /** Goes to all successors; the first of them, by number. */
  #follow(): number {
    const { successors, width } = this.#model;
    let first = Infinity;
    for (let k = 0; k < successors.count; k += 1) {
      const how = successors.marks[k]!;
      if (how === stepMark.broken) this.#stop();
      else first = Math.min(first, this.#enter(successors.next, k * width, successors.asleep[k]!, how));
      this.#key += 1 << markBits;
    }
    return first;
  }

  #enter(from: Int32Array, offset: number, asleep: number, how: number): number {
    const { slots, mask, slotOf } = this.#tables;
    const { known } = this.#batch;
    const hash = hashOf(from, offset, this.#model.width);
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      let held = slots[at]!;
      if (held === 0) {
        const free = this.#write(from, offset, asleep, how);
        if (free < 0) return known;
        slotOf[free] = at;
        held = Atomics.compareExchange(slots, at, 0, (hash & ~mask) | (known + free + 1));
        if (held === 0) {
          this.#free += 1;
          this.#checkNew(from, offset, how);
          return known + free;
        }
      }
      if (((held ^ hash) & ~mask) !== 0 || !this.#isAt((held & mask) - 1, at, from, offset)) continue;
      this.#reachAgain((held & mask) - 1, from, offset, asleep, how);
      return (held & mask) - 1;
    }
  }

  /** Puts a new world where there is room for it; -1 if there is none. */
  #write(from: Int32Array, offset: number, asleep: number, how: number): number {
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
    keys[this.#free] = this.#key | how;
    return this.#free;
  }

  #isAt(number: number, slot: number, from: Int32Array, offset: number): boolean {
    const { data, newData, slots } = this.#tables;
    const { known } = this.#batch;
    const { width } = this.#model;
    const isNew = number >= known;
    if (isNew) Atomics.load(slots, slot); // so that what was written before the slot is seen
    const numbers = isNew ? newData : data;
    const start = (isNew ? number - known : number) * width;
    for (let k = 0; k < width; k += 1) if (numbers[start + k] !== from[offset + k]) return false;
    return true;
  }

  /** A world is reached once more. */
  #reachAgain(world: number, from: Int32Array, offset: number, asleep: number, how: number): void {
    const { newAsleep, keys } = this.#tables;
    const { known } = this.#batch;
    if (world < known) {
      if (this.#options.sleepSets) this.#awaken(world, asleep);
      return;
    }
    const at = world - known;
    const key = this.#key | how;
    let isFirst = false;
    for (let other = keys[at]!; key < other; other = keys[at]!)
      isFirst = Atomics.compareExchange(keys, at, other, key) === other;
    if (isFirst) this.#checkNew(from, offset, how);
    if (this.#options.sleepSets && (newAsleep[at]! & ~asleep) !== 0) Atomics.and(newAsleep, at, asleep);
  }

  /** If it is looked at in this batch or was before, then which of its events sleep depends on what comes first. */
  #awaken(world: number, still: number): void {
    const { asleep } = this.#tables;
    if ((asleep[world]! & ~still) === 0) return;
    if (world < this.#batch.to) this.#stop();
    else Atomics.and(asleep, world, still);
  }

  #checkNew(from: Int32Array, offset: number, how: number): void {
    if (how === stepMark.none && !this.#options.lemmas) return;
    const violation =
      (how === stepMark.emitted ? this.#model.broken(from, offset) : null) ??
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
