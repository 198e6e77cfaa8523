// Several threads on one search. They expand batches of worlds of the same depth, and the new worlds are then put in the order in which one
// thread would have found them. So ids, counts and counterexamples do not depend on the number of threads.
import { fail } from '../../core/assert.ts';
import type { SearchOptions } from '../config.ts';
import type { WorldId } from '../ids.ts';
import type { Model } from '../model/model.ts';
import { stepMark } from '../model/successors.ts';
import type { WorldTable } from '../storage/world-table.ts';
import {
  type Assignment,
  type Batch,
  block,
  controlCell,
  markIn,
  mostWorlds,
  noKey,
  parentIn,
  type SharedTables,
} from './batch.ts';
import { BatchWorker } from './batch-worker.ts';
import type { ReplayLog } from './replay-log.ts';

/** A thread, provided by the host. It passes every assignment to its `RemoteWorker`. */
export interface HelperThread {
  /** Passes an assignment to the thread. */
  post(assignment: Assignment): void;
}

/** Worlds of one depth. */
interface WorldRange {
  readonly from: WorldId;
  readonly end: WorldId;
  readonly isLast: boolean; // see `Successors`
}

/** The result of a batch. */
interface BatchResult {
  readonly to: WorldId; // all worlds before it were expanded
  readonly transitions: number;
  readonly quiescent: number; // worlds among them
  readonly lastQuiescent: WorldId | -1;
  readonly hasBackEdge: boolean;
}

const mostHelpers = 16;
const patienceMs = 60_000;

const roomForNew = 3 * mostWorlds;

const sharedNumbers = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));

export class Coordinator {
  readonly #model: Model;
  readonly #options: SearchOptions;
  readonly #worlds: WorldTable;
  readonly #log: ReplayLog;
  readonly #smallestBatch: number; // worlds
  readonly #helpers: { readonly thread: HelperThread; logged: number }[] = []; // logged: how much of the log it has
  readonly #control = sharedNumbers(controlCell.size + mostHelpers);
  readonly #new: Pick<SharedTables, 'newData' | 'newAsleep' | 'keys' | 'slotOf' | 'putOff'>;
  readonly #order = new Int32Array(roomForNew); // of new worlds
  readonly #starts = new Int32Array(mostWorlds + 2); // in it, of the successors of each world of the batch
  readonly #worker: BatchWorker;
  #batches = 0;
  #aloneUntil = 0; // up to this world one thread works alone
  #failures = 0; // in a row

  constructor(
    model: Model,
    options: SearchOptions,
    worlds: WorldTable,
    log: ReplayLog,
    smallestBatch: number,
  ) {
    this.#model = model;
    this.#options = options;
    this.#worlds = worlds;
    this.#log = log;
    this.#smallestBatch = smallestBatch;
    this.#new = {
      newData: sharedNumbers(model.width * roomForNew),
      newAsleep: sharedNumbers(roomForNew),
      keys: sharedNumbers(roomForNew),
      slotOf: sharedNumbers(roomForNew),
      putOff: sharedNumbers(mostWorlds),
    };
    worlds.share();
    this.#worker = new BatchWorker(model, options);
  }

  get bytes(): number {
    const own = 4 * roomForNew * (this.#model.width + 4);
    return own + this.#helpers.length * this.#model.bytes; // each has its own copy of the model's tables
  }

  join(thread: HelperThread): void {
    if (this.#helpers.length === mostHelpers) return;
    this.#helpers.push({ thread, logged: 0 });
    this.#post(this.#helpers.length - 1, null);
  }

  #post(k: number, batch: Batch | null): void {
    const one = this.#helpers[k]!;
    const { entries } = this.#log;
    const log = entries.slice(one.logged);
    one.logged = entries.length;
    one.thread.post({ tables: this.#tables, log, batch, ready: controlCell.size + k });
  }

  get #tables(): SharedTables {
    const { data, asleep, slots, mask } = this.#worlds;
    return { control: this.#control, data, asleep, slots, mask, ...this.#new };
  }

  /**
   * Expands worlds of one depth; null if one thread must do it. At most `mostNew` new worlds are found. `onNew` gets each with the mark of the
   * step to it, in order.
   */
  expand(
    { from, end, isLast }: WorldRange,
    mostNew: number,
    onNew: (world: WorldId, mark: number) => void,
  ): BatchResult | null {
    const to = Math.min(end, from + mostWorlds) as WorldId;
    if (to - from < this.#smallestBatch || from < this.#aloneUntil || this.#log.isUseless) return null;
    const ready = this.#helpers.flatMap((_, k) =>
      Atomics.load(this.#control, controlCell.size + k) === 1 ? [k] : [],
    );
    const room = Math.min(roomForNew, 4 * (to - from) + block * (ready.length + 1));
    if (ready.length === 0 || room > mostNew) return null;
    const batch = this.#begin({ from, end: to, isLast }, room, ready);
    this.#worker.work(this.#tables, batch);
    this.#waitForOthers();
    const putOff = this.#control[controlCell.putOff]!;
    if (putOff > 0) this.#expandPutOff(putOff);
    const isGood = this.#control[controlCell.stop] === 0;
    if (isGood) this.#settle(batch, onNew);
    else this.#undo(batch);
    this.#adapt(batch, isGood && 4 * putOff <= to - from);
    const [transitions, quiescent, lastQuiescent, backEdge] = this.#control.subarray(controlCell.transitions);
    return isGood
      ? {
          to,
          transitions: transitions!,
          quiescent: quiescent!,
          lastQuiescent: lastQuiescent as WorldId | -1,
          hasBackEdge: backEdge === 1,
        }
      : null;
  }

  #begin({ from, end: to, isLast }: WorldRange, room: number, ready: readonly number[]): Batch {
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

  /** Closes the batch: helpers that have not started skip it. Waits for those that have. */
  #waitForOthers(): void {
    const control = this.#control;
    Atomics.store(control, controlCell.open, 0);
    for (
      let busy = Atomics.load(control, controlCell.busy);
      busy > 0;
      busy = Atomics.load(control, controlCell.busy)
    )
      if (Atomics.wait(control, controlCell.busy, busy, patienceMs) === 'timed-out')
        fail('a thread of the search has died');
  }

  /** Expands the worlds that were put off, in order: what they discover gets the ids that one thread would give it. */
  #expandPutOff(putOff: number): void {
    const { discovery } = this.#model.states;
    for (const world of this.#new.putOff.subarray(0, putOff).sort()) {
      if (this.#control[controlCell.stop] !== 0) break;
      const before = discovery.count;
      const isAll = this.#worker.expand(world as WorldId);
      const asleep = this.#options.sleepSets ? this.#worlds.asleep[world]! : 0;
      const { isLast } = this.#model.successors;
      if (discovery.count > before) this.#log.note(world, asleep, { isAll, isLast }, this.#worlds.size);
    }
    this.#worker.finish();
  }

  /** Gives the new worlds their ids. */
  #settle({ from, known, room }: Batch, onNew: (world: WorldId, mark: number) => void): void {
    const { newData, newAsleep, keys, slotOf } = this.#new;
    const { data, asleep, slots, mask, parents, width } = this.#worlds;
    const count = this.#sort(room);
    for (let rank = 0; rank < count; rank += 1) {
      const at = this.#order[rank]!;
      const world = (known + rank) as WorldId;
      for (let k = 0; k < width; k += 1) data[world * width + k] = newData[at * width + k]!;
      parents[world] = (from + parentIn(keys[at]!)) as WorldId;
      if (this.#options.sleepSets) asleep[world] = newAsleep[at]!;
      slots[slotOf[at]!] = (slots[slotOf[at]!]! & ~mask) | (world + 1);
    }
    this.#worlds.size += count;
    for (let rank = 0; rank < count; rank += 1) {
      const mark = markIn(keys[this.#order[rank]!]!);
      if (mark !== stepMark.none) onNew((known + rank) as WorldId, mark);
    }
  }

  /** Sorts the new worlds by their keys. Returns how many there are. */
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
      let to = rank;
      for (; to > 0 && keys[order[to - 1]!]! > keys[at]!; to -= 1) order[to] = order[to - 1]!;
      order[to] = at;
    }
    return count;
  }

  /** Removes the new worlds of a failed batch from the hash table. */
  #undo({ known, room }: Batch): void {
    const { keys, slotOf } = this.#new;
    const { slots, mask } = this.#worlds;
    for (let at = 0; at < Math.min(this.#control[controlCell.taken]!, room); at += 1)
      if (keys[at] !== noKey && (slots[slotOf[at]!]! & mask) === known + at + 1) slots[slotOf[at]!] = 0;
  }

  /** Where batches keep failing, one thread goes on alone for a while, each time twice as long. */
  #adapt({ from, to }: Batch, isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1;
    if (!isGood) this.#aloneUntil = to + (2 ** Math.min(this.#failures, 8) - 2) * (to - from);
  }
}
