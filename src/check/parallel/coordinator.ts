// Several threads on the worlds of one search. They work at batches of worlds of the same depth; what comes of a batch is put in the order in
// which one thread would have found it. So numbers, counts and the run that is shown are the same, whoever helps.
import { fail } from '../../core/assert.ts';
import type { Model } from '../model/model.ts';
import { stepMark } from '../model/successors.ts';
import type { WorldTable } from '../storage/world-table.ts';
import * as hand from './batch-worker.ts';
import type { ReplayLog } from './replay-log.ts';

const { block, controlCell, mostWorlds, noKey, parentIn } = hand;

/** A thread, as its host provides it: what is posted here an `Assistant` there gets to do. */
export interface HelperThread {
  post(errand: hand.Assignment): void;
}

/** Worlds of one depth. */
interface WorldRange {
  readonly from: number;
  readonly end: number;
  readonly isLast: boolean; // see `Expansion`
}

/** What became of a batch. */
interface BatchResult {
  readonly to: number; // looked at is all before that
  readonly transitions: number;
  readonly resting: number;
  readonly lastRest: number; // or -1
}

const mostHelpers = 16;
const patience = 60_000; // ms

const roomForNew = 3 * mostWorlds;

const numbers = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));

export class Coordinator {
  readonly #model: Model;
  readonly #options: hand.SearchOptions;
  readonly #worlds: WorldTable;
  readonly #log: ReplayLog;
  readonly #fewest: number; // worlds that are worth sharing
  readonly #helpers: { readonly helper: HelperThread; told: number }[] = []; // told: how much of what was worked out
  readonly #control = numbers(controlCell.size + mostHelpers);
  readonly #new: Pick<hand.SharedTables, 'newData' | 'newAsleep' | 'keys' | 'slotOf' | 'putOff'>;
  readonly #order = new Int32Array(roomForNew); // of what is new
  readonly #starts = new Int32Array(mostWorlds + 2); // in it, of what comes from each world of the batch
  readonly #worker: hand.BatchWorker;
  #batches = 0;
  #aloneUntil = 0; // up to this world sharing does not pay
  #failures = 0; // one after the other

  constructor(model: Model, task: hand.SearchOptions, worlds: WorldTable, log: ReplayLog, fewest: number) {
    this.#model = model;
    this.#options = task;
    this.#worlds = worlds;
    this.#log = log;
    this.#fewest = fewest;
    this.#new = {
      newData: numbers(model.width * roomForNew),
      newAsleep: numbers(roomForNew),
      keys: numbers(roomForNew),
      slotOf: numbers(roomForNew),
      putOff: numbers(mostWorlds),
    };
    worlds.share();
    this.#worker = new hand.BatchWorker(model, task);
  }

  get bytes(): number {
    const own = 4 * roomForNew * (this.#model.width + 4);
    return own + this.#helpers.length * this.#model.bytes; // each has the model's tables, too
  }

  join(helper: HelperThread): void {
    if (this.#helpers.length === mostHelpers) return;
    this.#helpers.push({ helper, told: 0 });
    this.#post(this.#helpers.length - 1, null);
  }

  #post(k: number, batch: hand.Batch | null): void {
    const one = this.#helpers[k]!;
    const { entries } = this.#log;
    const log = entries.slice(one.told);
    one.told = entries.length;
    one.helper.post({ tables: this.#board, log, batch, ready: controlCell.size + k });
  }

  get #board(): hand.SharedTables {
    const { data, asleep, slots, mask } = this.#worlds;
    return { control: this.#control, data, asleep, slots, mask, ...this.#new };
  }

  /**
   * Looks at worlds of one depth; null if one thread had better do that. No more than `mostNew` are found. `see` is told how each of them was
   * reached, in order.
   */
  expand(
    { from, end, isLast }: WorldRange,
    mostNew: number,
    see: (world: number, how: number) => void,
  ): BatchResult | null {
    const to = Math.min(end, from + mostWorlds);
    if (to - from < this.#fewest || from < this.#aloneUntil || this.#log.isUseless) return null;
    const ready = this.#helpers.flatMap((_, k) =>
      Atomics.load(this.#control, controlCell.size + k) === 1 ? [k] : [],
    );
    const room = Math.min(roomForNew, 4 * (to - from) + block * (ready.length + 1));
    if (ready.length === 0 || room > mostNew) return null;
    const batch = this.#begin({ from, end: to, isLast }, room, ready);
    this.#worker.work(this.#board, batch);
    this.#waitForOthers();
    const putOff = this.#control[controlCell.putOff]!;
    if (putOff > 0) this.#expandPutOff(putOff);
    const isGood = this.#control[controlCell.stop] === 0;
    if (isGood) this.#settle(batch, see);
    else this.#undo(batch);
    this.#adapt(batch, isGood && 4 * putOff <= to - from);
    const [transitions, resting, lastRest] = this.#control.subarray(controlCell.transitions);
    return isGood ? { to, transitions: transitions!, resting: resting!, lastRest: lastRest! } : null;
  }

  #begin({ from, end: to, isLast }: WorldRange, room: number, ready: readonly number[]): hand.Batch {
    this.#worlds.reserve(room);
    this.#batches += 1;
    const chunk = Math.min(64, Math.ceil((to - from) / (8 * ready.length)));
    const batch = { id: this.#batches, from, to, known: this.#worlds.size, room, chunk, isLast };
    this.#new.keys.fill(noKey, 0, room);
    this.#control.fill(0, controlCell.next, controlCell.size);
    this.#control[controlCell.next] = from;
    this.#control[controlCell.lastQuiescent] = -1;
    Atomics.store(this.#control, controlCell.open, batch.id);
    for (const k of ready) this.#post(k, batch);
    return batch;
  }

  /** Who has not begun by now need not. */
  #waitForOthers(): void {
    const control = this.#control;
    Atomics.store(control, controlCell.open, 0);
    for (
      let busy = Atomics.load(control, controlCell.busy);
      busy > 0;
      busy = Atomics.load(control, controlCell.busy)
    )
      if (Atomics.wait(control, controlCell.busy, busy, patience) === 'timed-out')
        fail('a thread of the search has died');
  }

  /** Looks at what was put off, in order: what is worked out gets the numbers that it would have got anyway. */
  #expandPutOff(putOff: number): void {
    const { discovery } = this.#model.states;
    for (const world of this.#new.putOff.subarray(0, putOff).sort()) {
      if (this.#control[controlCell.stop] !== 0) break;
      const before = discovery.count;
      const isAll = this.#worker.expand(world);
      const asleep = this.#options.sleepSets ? this.#worlds.asleep[world]! : 0;
      const { isLast } = this.#model.successors;
      if (discovery.count > before) this.#log.note(world, asleep, { isAll, isLast }, this.#worlds.size);
    }
    this.#worker.finish();
  }

  /** Gives the new worlds their numbers. */
  #settle({ from, known, room }: hand.Batch, see: (world: number, how: number) => void): void {
    const { newData, newAsleep, keys, slotOf } = this.#new;
    const { data, asleep, slots, mask, parents, width } = this.#worlds;
    const count = this.#sort(room);
    for (let rank = 0; rank < count; rank += 1) {
      const at = this.#order[rank]!;
      const world = known + rank;
      for (let k = 0; k < width; k += 1) data[world * width + k] = newData[at * width + k]!;
      parents[world] = from + parentIn(keys[at]!);
      if (this.#options.sleepSets) asleep[world] = newAsleep[at]!;
      slots[slotOf[at]!] = (slots[slotOf[at]!]! & ~mask) | (world + 1);
    }
    this.#worlds.size += count;
    for (let rank = 0; rank < count; rank += 1) {
      const how = hand.markIn(keys[this.#order[rank]!]!);
      if (how !== stepMark.none) see(known + rank, how);
    }
  }

  /** By their keys; returns how many there are. */
  #sort(room: number): number {
    const { keys } = this.#new;
    const order = this.#order;
    const starts = this.#starts.fill(0);
    const taken = Math.min(this.#control[controlCell.taken]!, room);
    for (let at = 0; at < taken; at += 1) if (keys[at] !== noKey) starts[parentIn(keys[at]!) + 1]! += 1;
    for (let k = 1; k < starts.length; k += 1) starts[k]! += starts[k - 1]!;
    const count = starts.at(-1)!;
    for (let at = 0; at < taken; at += 1) {
      if (keys[at] === noKey) continue;
      const parent = parentIn(keys[at]!);
      order[starts[parent]!] = at;
      starts[parent]! += 1;
    }
    for (let rank = 1; rank < count; rank += 1) {
      const at = order[rank]!;
      let place = rank;
      for (; place > 0 && keys[order[place - 1]!]! > keys[at]!; place -= 1) order[place] = order[place - 1]!;
      order[place] = at;
    }
    return count;
  }

  #undo({ known, room }: hand.Batch): void {
    const { keys, slotOf } = this.#new;
    const { slots, mask } = this.#worlds;
    for (let at = 0; at < Math.min(this.#control[controlCell.taken]!, room); at += 1)
      if (keys[at] !== noKey && (slots[slotOf[at]!]! & mask) === known + at + 1) slots[slotOf[at]!] = 0;
  }

  /** Where batches fail again and again, one thread goes on alone for a while, and longer each time. */
  #adapt({ from, to }: hand.Batch, isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1;
    if (!isGood) this.#aloneUntil = to + (2 ** Math.min(this.#failures, 8) - 2) * (to - from);
  }
}
