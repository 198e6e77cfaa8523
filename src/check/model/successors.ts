import { grown } from '../storage/tuple-table.ts';

/** What a step means for the properties of the problem. */
export const stepMark = {
  none: 0,
  emitted: 1, // an application was told something: they must be looked at
  requested: 2, // an application asks: nothing can be broken by that
  broken: 3, // and by this step
} as const;

/** Successors of a world: `count` of them in `next`, one after the other, and how each comes about in `via`. */
export class Successors {
  count = 0;
  next: Int32Array;
  via: Int32Array; // for each: the process, or -1 for the passage of time; and its effect
  marks: Uint8Array; // for each, one of `mark`
  asleep: Int32Array; // for each, where events commute: those that lead to worlds that are reached otherwise, as bits
  mustContinue = false; // something is bound to happen
  isLast = false; // as the search says: successors that are new will not be looked at, so it does not matter what is asleep there
  readonly #width: number;

  /** With room for that many successors at first. */
  constructor(width: number, room: number) {
    this.#width = width;
    this.next = new Int32Array(room * width);
    this.via = new Int32Array(2 * room);
    this.marks = new Uint8Array(room);
    this.asleep = new Int32Array(room);
  }

  /** Adds a successor that is still equal to the world itself, and returns where it begins in `next`. */
  append(worlds: Int32Array, offset: number, process: number, effect: number, how: number): number {
    const k = this.count;
    if (k >= this.marks.length) this.#makeRoom();
    const { next } = this;
    const width = this.#width;
    const base = k * width;
    for (let j = 0; j < width; j += 1) next[base + j] = worlds[offset + j]!;
    this.via[2 * k] = process;
    this.via[2 * k + 1] = effect;
    this.marks[k] = how;
    this.asleep[k] = 0;
    this.count = k + 1;
    return base;
  }

  /** For twice as many. */
  #makeRoom(): void {
    const length = 2 * this.marks.length;
    this.next = grown(this.next, length * this.#width);
    this.via = grown(this.via, 2 * length);
    this.asleep = grown(this.asleep, length);
    const marks = new Uint8Array(length);
    marks.set(this.marks);
    this.marks = marks;
  }
}
