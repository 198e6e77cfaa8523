import { emptyLike, grown, growth, shared } from './typed-arrays.ts';

/**
 * Distinct tuples of `width` whole numbers, by number in the order in which they were added. One array is the set of visited tuples and the
 * queue of a breadth-first search. It is exact: two tuples are one only if all their numbers agree.
 */
export class TupleTable<I extends number = number> {
  readonly width: number;
  size = 0;
  data: Int32Array; // `width` numbers each, in the order of their numbers
  slots: Int32Array; // open addressing: id + 1 in the low bits, the rest of the hash above
  mask: number; // of the bits of a hash that choose its slot, and of the id in a slot
  #most: number; // before the table grows

  /** `slots` is the initial size of the hash table, a power of two. */
  constructor(width: number, slots = 2048) {
    this.width = width;
    this.slots = new Int32Array(slots);
    this.mask = slots - 1;
    this.#most = Math.floor(slots * fullest);
    this.data = new Int32Array(slots * width);
  }

  /** The bytes in use. */
  get bytes(): number {
    return Int32Array.BYTES_PER_ELEMENT * this.width * this.size + this.slots.byteLength;
  }

  /** Returns the id of the tuple that begins at `offset`. It is new if `size` has grown. */
  add(from: Int32Array, offset: number): I {
    const { width } = this;
    const hash = hashOf(from, offset, width);
    const { slots, mask } = this;
    let at = hash & mask;
    for (let held = slots[at]!; held !== 0; held = slots[at]!) {
      if (((held ^ hash) & ~mask) === 0 && this.#isAt((held & mask) - 1, from, offset))
        return ((held & mask) - 1) as I;
      at = (at + 1) & mask;
    }
    const id = this.size;
    slots[at] = (hash & ~mask) | (id + 1);
    const start = id * width;
    if (start + width > this.data.length) this.#extend(id + 1);
    const { data } = this;
    for (let k = 0; k < width; k += 1) data[start + k] = from[offset + k]!;
    this.size = id + 1;
    if (this.size >= this.#most) this.#rehash();
    return id as I;
  }

  /** Returns the id of a tuple, or -1. */
  find(from: Int32Array, offset: number): I | -1 {
    const hash = hashOf(from, offset, this.width);
    const mask = this.mask;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const held = this.slots[at]!;
      if (held === 0) return -1;
      if (((held ^ hash) & ~mask) === 0 && this.#isAt((held & mask) - 1, from, offset))
        return ((held & mask) - 1) as I;
    }
  }

  #isAt(id: number, from: Int32Array, offset: number): boolean {
    const { data, width } = this;
    const start = id * width;
    for (let k = 0; k < width; k += 1) if (data[start + k] !== from[offset + k]) return false;
    return true;
  }

  /** Moves the arrays to memory that other threads can be given. */
  share(): void {
    this.data = shared(this.data);
    this.slots = shared(this.slots);
  }

  /** Makes room, so that none of the next `more` tuples makes it grow. */
  reserve(more: number): void {
    if (this.width * (this.size + more) > this.data.length) this.#extend(this.size + more);
    while (this.size + more >= this.#most) this.#rehash();
  }

  #extend(least: number): void {
    this.data = grown(this.data, this.width * Math.ceil(least * growth));
  }

  /** Makes the hash table four times as large, or twice where it is large already. */
  #rehash(): void {
    const { data, width } = this;
    const mask = (this.mask < manySlots ? 4 : 2) * (this.mask + 1) - 1;
    const slots = emptyLike(this.slots, mask + 1);
    for (let id = 0; id < this.size; id += 1) {
      const hash = hashOf(data, id * width, width);
      let at = hash & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = (hash & ~mask) | (id + 1);
    }
    this.slots = slots;
    this.mask = mask;
    this.#most = Math.floor((mask + 1) * fullest);
  }
}

const fullest = 0.7; // part of the slots in use
const manySlots = 2 ** 18;

export function hashOf(from: Int32Array, offset: number, width: number): number {
  let hash = width;
  for (let k = offset; k < offset + width; k += 1) {
    hash = Math.imul(hash ^ from[k]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
