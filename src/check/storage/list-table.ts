import { grown, growth } from './tuple-table.ts';

/** Distinct lists of whole numbers, numbered from 0 as they come. One after the other in one array: there can be a great many. */
export class ListTable {
  size = 0;
  #data: Int32Array = new Int32Array(16);
  #ends: Int32Array = new Int32Array(16); // of each
  #hashes: Int32Array = new Int32Array(16); // of each
  #slots: Int32Array = new Int32Array(512); // open addressing: number + 1

  of(number: number): number[] {
    const list: number[] = [];
    for (let k = this.#startOf(number); k < this.#ends[number]!; k += 1) list.push(this.#data[k]!);
    return list;
  }

  /** Of all lists together. */
  get numbers(): number {
    return this.#startOf(this.size);
  }

  get bytes(): number {
    return this.#data.byteLength + this.#ends.byteLength + this.#hashes.byteLength + this.#slots.byteLength;
  }

  /** The number of the list of the first `length` numbers; it is new if `size` has grown. */
  add(list: ArrayLike<number>, length: number = list.length): number {
    const hash = hashOf(list, length);
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const number = this.#slots[at]! - 1;
      if (number < 0) return this.#put(list, length, hash, at);
      if (this.#hashes[number] === hash && this.#isAt(number, list, length)) return number;
    }
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!;
  }

  #isAt(number: number, list: ArrayLike<number>, length: number): boolean {
    const start = this.#startOf(number);
    if (this.#ends[number]! - start !== length) return false;
    for (let k = 0; k < length; k += 1) if (this.#data[start + k] !== list[k]) return false;
    return true;
  }

  #put(list: ArrayLike<number>, length: number, hash: number, at: number): number {
    const number = this.size;
    const start = this.#startOf(number);
    if (start + length > this.#data.length) this.#data = grown(this.#data, growth * (start + length));
    if (number === this.#ends.length) {
      this.#ends = grown(this.#ends, growth * number);
      this.#hashes = grown(this.#hashes, growth * number);
    }
    for (let k = 0; k < length; k += 1) this.#data[start + k] = list[k]!;
    this.#ends[number] = start + length;
    this.#hashes[number] = hash;
    this.#slots[at] = number + 1;
    this.size += 1;
    if (2 * this.size > this.#slots.length) this.#spread();
    return number;
  }

  #spread(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.size; number += 1) {
      let at = this.#hashes[number]! & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = number + 1;
    }
    this.#slots = slots;
  }
}

function hashOf(list: ArrayLike<number>, length: number): number {
  let hash = length;
  for (let k = 0; k < length; k += 1) {
    hash = Math.imul(hash ^ list[k]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash ^ (hash >>> 13);
}
