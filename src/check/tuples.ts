const roomAtFirst = 1024;

/**
 * Distinct tuples of `width` whole numbers, numbered from 0 as they come: the set of what was seen and, in the same array, the queue of
 * a breadth-first search. Exact: two tuples are one only if all their numbers agree.
 */
export class Tuples {
  readonly width: number;
  size = 0;
  data: Int32Array; // `width` numbers each, in the order of their numbers
  #slots = new Int32Array(4 * roomAtFirst); // open addressing: hash, and number + 1 beside it
  #mask = 2 * roomAtFirst - 1;
  #most = roomAtFirst; // before the table grows

  constructor(width: number) {
    this.width = width;
    this.data = new Int32Array(roomAtFirst * width);
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.data.byteLength + this.#slots.byteLength;
  }

  /** The number of the tuple that begins at `offset`; it is new if `size` has grown. */
  add(from: Int32Array, offset: number): number {
    const { width } = this;
    const hash = hashOf(from, offset, width);
    const slots = this.#slots;
    let at = hash & this.#mask;
    for (;;) {
      const held = slots[2 * at + 1]!;
      if (held === 0) break;
      if (slots[2 * at] === hash && this.#isAt(held - 1, from, offset)) return held - 1;
      at = (at + 1) & this.#mask;
    }
    const number = this.size;
    slots[2 * at] = hash;
    slots[2 * at + 1] = number + 1;
    const start = number * width;
    if (start + width > this.data.length) this.#makeRoom();
    const { data } = this;
    for (let k = 0; k < width; k += 1) data[start + k] = from[offset + k]!;
    this.size = number + 1;
    if (this.size >= this.#most) this.#spread();
    return number;
  }

  /** The number of a tuple, or -1. */
  find(from: Int32Array, offset: number): number {
    const hash = hashOf(from, offset, this.width);
    for (let at = hash & this.#mask; ; at = (at + 1) & this.#mask) {
      const held = this.#slots[2 * at + 1]!;
      if (held === 0) return -1;
      if (this.#slots[2 * at] === hash && this.#isAt(held - 1, from, offset)) return held - 1;
    }
  }

  #isAt(number: number, from: Int32Array, offset: number): boolean {
    const { data, width } = this;
    const start = number * width;
    for (let k = 0; k < width; k += 1) if (data[start + k] !== from[offset + k]) return false;
    return true;
  }

  #makeRoom(): void {
    this.data = grown(this.data, this.width * Math.ceil(this.size * 1.5));
  }

  /** A table twice as large; the hashes are there already. */
  #spread(): void {
    const old = this.#slots;
    const slots = new Int32Array(2 * old.length);
    const mask = 2 * this.#mask + 1;
    for (let k = 0; k < old.length; k += 2) {
      if (old[k + 1] === 0) continue;
      let at = old[k]! & mask;
      while (slots[2 * at + 1] !== 0) at = (at + 1) & mask;
      slots[2 * at] = old[k]!;
      slots[2 * at + 1] = old[k + 1]!;
    }
    this.#slots = slots;
    this.#mask = mask;
    this.#most = Math.floor((mask + 1) * fullest);
  }
}

const fullest = 0.7; // of the table

function hashOf(from: Int32Array, offset: number, width: number): number {
  let hash = width;
  for (let k = offset; k < offset + width; k += 1) {
    hash = Math.imul(hash ^ from[k]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

export function grown(array: Int32Array, length: number): Int32Array {
  const larger = new Int32Array(length);
  larger.set(array);
  return larger;
}
