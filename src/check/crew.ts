// Several threads on the worlds of one search. They work at batches of worlds of the same depth; what comes of a batch is put in the order in
// which one thread would have found it. So numbers, counts and the run that is shown are the same, whoever helps.
import { fail } from '../core/assert.ts';
import { mark } from './expansion.ts';
import type { Firsts } from './firsts.ts';
import * as hand from './hand.ts';
import type { Model } from './model.ts';
import type { Worlds } from './worlds.ts';

const { block, cell, mostWorlds, noKey, parentIn } = hand;

/** A thread, as its host provides it: what is posted here an `Assistant` there gets to do. */
export interface Helper {
  post(errand: hand.Errand): void;
}

/** Worlds of one depth. */
interface Range {
  readonly from: number;
  readonly end: number;
  readonly isLast: boolean; // see `Expansion`
}

/** What became of a batch. */
interface Done {
  readonly to: number; // looked at is all before that
  readonly transitions: number;
  readonly resting: number;
  readonly lastRest: number; // or -1
}

const mostHelpers = 16;
const patience = 60_000; // ms

const roomForNew = 3 * mostWorlds;

const numbers = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));

export class Crew {
  readonly #model: Model;
  readonly #task: hand.Task;
  readonly #worlds: Worlds;
  readonly #firsts: Firsts;
  readonly #fewest: number; // worlds that are worth sharing
  readonly #helpers: { readonly helper: Helper; told: number }[] = []; // told: how much of what was worked out
  readonly #control = numbers(cell.size + mostHelpers);
  readonly #new: Pick<hand.Board, 'newData' | 'newAsleep' | 'keys' | 'places' | 'putOff'>;
  readonly #order = new Int32Array(roomForNew); // of what is new
  readonly #starts = new Int32Array(mostWorlds + 2); // in it, of what comes from each world of the batch
  readonly #hand: hand.Hand;
  #batches = 0;
  #aloneUntil = 0; // up to this world sharing does not pay
  #failures = 0; // one after the other

  constructor(model: Model, task: hand.Task, worlds: Worlds, firsts: Firsts, fewest: number) {
    this.#model = model;
    this.#task = task;
    this.#worlds = worlds;
    this.#firsts = firsts;
    this.#fewest = fewest;
    this.#new = {
      newData: numbers(model.width * roomForNew),
      newAsleep: numbers(roomForNew),
      keys: numbers(roomForNew),
      places: numbers(roomForNew),
      putOff: numbers(mostWorlds),
    };
    worlds.share();
    this.#hand = new hand.Hand(model, task);
  }

  get bytes(): number {
    const own = 4 * roomForNew * (this.#model.width + 4);
    return own + this.#helpers.length * this.#model.bytes; // each has the model's tables, too
  }

  join(helper: Helper): void {
    if (this.#helpers.length === mostHelpers) return;
    this.#helpers.push({ helper, told: 0 });
    this.#post(this.#helpers.length - 1, null);
  }

  #post(k: number, batch: hand.Batch | null): void {
    const one = this.#helpers[k]!;
    const { entries } = this.#firsts;
    const firsts = entries.slice(one.told);
    one.told = entries.length;
    one.helper.post({ board: this.#board, firsts, batch, ready: cell.size + k });
  }

  get #board(): hand.Board {
    const { data, asleep, slots, mask } = this.#worlds;
    return { control: this.#control, data, asleep, slots, mask, ...this.#new };
  }

  /**
   * Looks at worlds of one depth; null if one thread had better do that. No more than `mostNew` are found. `see` is told how each of them was
   * reached, in order.
   */
  look(
    { from, end, isLast }: Range,
    mostNew: number,
    see: (world: number, how: number) => void,
  ): Done | null {
    const to = Math.min(end, from + mostWorlds);
    if (to - from < this.#fewest || from < this.#aloneUntil || this.#firsts.isUseless) return null;
    const ready = this.#helpers.flatMap((_, k) =>
      Atomics.load(this.#control, cell.size + k) === 1 ? [k] : [],
    );
    const room = Math.min(roomForNew, 4 * (to - from) + block * (ready.length + 1));
    if (ready.length === 0 || room > mostNew) return null;
    const batch = this.#begin({ from, end: to, isLast }, room, ready);
    this.#hand.work(this.#board, batch);
    this.#waitForOthers();
    const putOff = this.#control[cell.putOff]!;
    if (putOff > 0) this.#workOut(putOff);
    const isGood = this.#control[cell.stop] === 0;
    if (isGood) this.#settle(batch, see);
    else this.#undo(batch);
    this.#learn(batch, isGood && 4 * putOff <= to - from);
    const [transitions, resting, lastRest] = this.#control.subarray(cell.transitions);
    return isGood ? { to, transitions: transitions!, resting: resting!, lastRest: lastRest! } : null;
  }

  #begin({ from, end: to, isLast }: Range, room: number, ready: readonly number[]): hand.Batch {
    this.#worlds.reserve(room);
    this.#batches += 1;
    const chunk = Math.min(64, Math.ceil((to - from) / (8 * ready.length)));
    const batch = { id: this.#batches, from, to, known: this.#worlds.size, room, chunk, isLast };
    this.#new.keys.fill(noKey, 0, room);
    this.#control.fill(0, cell.next, cell.size);
    this.#control[cell.next] = from;
    this.#control[cell.lastRest] = -1;
    Atomics.store(this.#control, cell.open, batch.id);
    for (const k of ready) this.#post(k, batch);
    return batch;
  }

  /** Who has not begun by now need not. */
  #waitForOthers(): void {
    const control = this.#control;
    Atomics.store(control, cell.open, 0);
    for (let busy = Atomics.load(control, cell.busy); busy > 0; busy = Atomics.load(control, cell.busy))
      if (Atomics.wait(control, cell.busy, busy, patience) === 'timed-out')
        fail('a thread of the search has died');
  }

  /** Looks at what was put off, in order: what is worked out gets the numbers that it would have got anyway. */
  #workOut(putOff: number): void {
    const { novelty } = this.#model.states;
    for (const world of this.#new.putOff.subarray(0, putOff).sort()) {
      if (this.#control[cell.stop] !== 0) break;
      const before = novelty.count;
      const isAll = this.#hand.look(world);
      const asleep = this.#task.sleeps ? this.#worlds.asleep[world]! : 0;
      const { isLast } = this.#model.expansion;
      if (novelty.count > before) this.#firsts.note(world, asleep, { isAll, isLast }, this.#worlds.size);
    }
    this.#hand.finish();
  }

  /** Gives the new worlds their numbers. */
  #settle({ from, known, room }: hand.Batch, see: (world: number, how: number) => void): void {
    const { newData, newAsleep, keys, places } = this.#new;
    const { data, asleep, slots, mask, parents, width } = this.#worlds;
    const count = this.#sort(room);
    for (let rank = 0; rank < count; rank += 1) {
      const at = this.#order[rank]!;
      const world = known + rank;
      for (let k = 0; k < width; k += 1) data[world * width + k] = newData[at * width + k]!;
      parents[world] = from + parentIn(keys[at]!);
      if (this.#task.sleeps) asleep[world] = newAsleep[at]!;
      slots[places[at]!] = (slots[places[at]!]! & ~mask) | (world + 1);
    }
    this.#worlds.size += count;
    for (let rank = 0; rank < count; rank += 1) {
      const how = hand.markIn(keys[this.#order[rank]!]!);
      if (how !== mark.none) see(known + rank, how);
    }
  }

  /** By their keys; returns how many there are. */
  #sort(room: number): number {
    const { keys } = this.#new;
    const order = this.#order;
    const starts = this.#starts.fill(0);
    const taken = Math.min(this.#control[cell.taken]!, room);
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
    const { keys, places } = this.#new;
    const { slots, mask } = this.#worlds;
    for (let at = 0; at < Math.min(this.#control[cell.taken]!, room); at += 1)
      if (keys[at] !== noKey && (slots[places[at]!]! & mask) === known + at + 1) slots[places[at]!] = 0;
  }

  /** Where batches fail again and again, one thread goes on alone for a while, and longer each time. */
  #learn({ from, to }: hand.Batch, isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1;
    if (!isGood) this.#aloneUntil = to + (2 ** Math.min(this.#failures, 8) - 2) * (to - from);
  }
}
