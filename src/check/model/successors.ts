import type { EffectId } from '../ids.ts';
import { grown } from '../storage/typed-arrays.ts';

/** What a step means for the properties of the problem. */
export const stepMark = {
  none: 0,
  emitted: 1, // an application got an event: the properties must be checked
  requested: 2, // an application asks: no property can break by that
  broken: 3, // the step itself breaks a property
} as const;

/** The successors of a world: `count` of them in `next`, one after the other, and the step to each in `via`. */
export class Successors {
  count = 0;
  next: Int32Array;
  via: Int32Array; // of each: the process, or -1 when time passes; and its effect
  marks: Uint8Array; // of each: one of `stepMark`
  asleep: Int32Array; // the sleep set of each, as bits: see `SleepSets`
  mustContinue = false; // not every step from this world is optional
  isLast = false; // set by the search: new successors will not be expanded, so nobody needs their sleep sets
  readonly #width: number;

  /** `room` is the number of successors there is room for at first. */
  constructor(width: number, room: number) {
    this.#width = width;
    this.next = new Int32Array(room * width);
    this.via = new Int32Array(2 * room);
    this.marks = new Uint8Array(room);
    this.asleep = new Int32Array(room);
  }

  /** Adds a successor that is still equal to the world itself, and returns where it begins in `next`. */
  append(worlds: Int32Array, offset: number, process: number, effect: number, mark: number): number {
    const k = this.count;
    if (k >= this.marks.length) this.#extend();
    const { next } = this;
    const width = this.#width;
    const base = k * width;
    for (let j = 0; j < width; j += 1) next[base + j] = worlds[offset + j]!;
    this.via[2 * k] = process;
    this.via[2 * k + 1] = effect;
    this.marks[k] = mark;
    this.asleep[k] = 0;
    this.count = k + 1;
    return base;
  }

  processAt(k: number): number {
    return this.via[2 * k]!;
  }

  effectAt(k: number): EffectId {
    return this.via[2 * k + 1]! as EffectId;
  }

  /** Doubles the room. */
  #extend(): void {
    const length = 2 * this.marks.length;
    this.next = grown(this.next, length * this.#width);
    this.via = grown(this.via, 2 * length);
    this.asleep = grown(this.asleep, length);
    const marks = new Uint8Array(length);
    marks.set(this.marks);
    this.marks = marks;
  }
}
