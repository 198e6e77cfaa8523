export const growth = 2; // of arrays that are written from front to back: what was never written to takes no memory yet

/**
 * Distinct tuples of `width` whole numbers, numbered from 0 as they come: the set of what was seen and, in the same array, the queue of
 * a breadth-first search. Exact: two tuples are one only if all their numbers agree.
 */
export class TupleTable {
  readonly width: number;
  size = 0;
  data: Int32Array; // `width` numbers each, in the order of their numbers
  slots: Int32Array; // open addressing: number + 1, and above it what is left of the hash
  mask: number; // of the part of a hash that is its place, and of the number in a slot
  #most: number; // before the table grows

  /** `slots` at first, a power of two. */
  constructor(width: number, slots = 2048) {
    this.width = width;
    this.slots = new Int32Array(slots);
    this.mask = slots - 1;
    this.#most = Math.floor(slots * fullest);
    this.data = new Int32Array(slots * width);
  }

  /** Bytes that are in use. */
  get bytes(): number {
    return Int32Array.BYTES_PER_ELEMENT * this.width * this.size + this.slots.byteLength;
  }

  /** The number of the tuple that begins at `offset`; it is new if `size` has grown. */
  add(from: Int32Array, offset: number): number {
    const { width } = this;
    const hash = hashOf(from, offset, width);
    const { slots, mask } = this;
    let at = hash & mask;
    for (let held = slots[at]!; held !== 0; held = slots[at]!) {
      if (((held ^ hash) & ~mask) === 0 && this.#isAt((held & mask) - 1, from, offset))
        return (held & mask) - 1;
      at = (at + 1) & mask;
    }
    const number = this.size;
    slots[at] = (hash & ~mask) | (number + 1);
    const start = number * width;
    if (start + width > this.data.length) this.#makeRoom(number + 1);
    const { data } = this;
    for (let k = 0; k < width; k += 1) data[start + k] = from[offset + k]!;
    this.size = number + 1;
    if (this.size >= this.#most) this.#spread();
    return number;
  }

  /** The number of a tuple, or -1. */
  find(from: Int32Array, offset: number): number {
    const hash = hashOf(from, offset, this.width);
    const mask = this.mask;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const held = this.slots[at]!;
      if (held === 0) return -1;
      if (((held ^ hash) & ~mask) === 0 && this.#isAt((held & mask) - 1, from, offset))
        return (held & mask) - 1;
    }
  }

  #isAt(number: number, from: Int32Array, offset: number): boolean {
    const { data, width } = this;
    const start = number * width;
    for (let k = 0; k < width; k += 1) if (data[start + k] !== from[offset + k]) return false;
    return true;
  }

  /** Other threads can be given its arrays, from now on. */
  share(): void {
    this.data = shared(this.data);
    this.slots = shared(this.slots);
  }

  /** So that it need not grow for so many more. */
  reserve(more: number): void {
    if (this.width * (this.size + more) > this.data.length) this.#makeRoom(this.size + more);
    while (this.size + more >= this.#most) this.#spread();
  }

  #makeRoom(least: number): void {
    this.data = grown(this.data, this.width * Math.ceil(least * growth));
  }

  /** A table four times as large or, where that would be much, twice. */
  #spread(): void {
    const { data, width } = this;
    const mask = (this.mask < much ? 4 : 2) * (this.mask + 1) - 1;
    const slots = emptyLike(this.slots, mask + 1);
    for (let number = 0; number < this.size; number += 1) {
      const hash = hashOf(data, number * width, width);
      let at = hash & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = (hash & ~mask) | (number + 1);
    }
    this.slots = slots;
    this.mask = mask;
    this.#most = Math.floor((mask + 1) * fullest);
  }
}

const fullest = 0.7; // of the table
const much = 2 ** 18; // slots

export function hashOf(from: Int32Array, offset: number, width: number): number {
  let hash = width;
  for (let k = offset; k < offset + width; k += 1) {
    hash = Math.imul(hash ^ from[k]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

export function grown(array: Int32Array, length: number): Int32Array {
  const larger = emptyLike(array, length);
  larger.set(array);
  return larger;
}

/** Shared between threads if that one is. */
const emptyLike = ({ buffer }: Int32Array, length: number): Int32Array =>
  new Int32Array(new (buffer.constructor as typeof ArrayBuffer)(4 * length));

export function shared(array: Int32Array): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}
