import { grown, growth } from './typed-arrays.ts';

/** Distinct lists of whole numbers, by number in the order in which they were added. All are in one array, since there can be millions. */
export class ListTable<I extends number = number, Element extends number = number> {
  size = 0;
  #data: Int32Array = new Int32Array(16);
  #ends: Int32Array = new Int32Array(16); // of each
  #hashes: Int32Array = new Int32Array(16); // of each
  #slots: Int32Array = new Int32Array(512); // open addressing: id + 1

  of(id: I): Element[] {
    const list: Element[] = [];
    for (let k = this.#startOf(id); k < this.#ends[id]!; k += 1) list.push(this.#data[k]! as Element);
    return list;
  }

  /** The length of all lists together. */
  get numbers(): number {
    return this.#startOf(this.size);
  }

  get bytes(): number {
    return this.#data.byteLength + this.#ends.byteLength + this.#hashes.byteLength + this.#slots.byteLength;
  }

  /** Returns the id of the list of the first `length` numbers. It is new if `size` has grown. */
  add(list: ArrayLike<number>, length: number = list.length): I {
    const hash = hashOf(list, length);
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const id = this.#slots[at]! - 1;
      if (id < 0) return this.#put(list, length, hash, at);
      if (this.#hashes[id] === hash && this.#isAt(id, list, length)) return id as I;
    }
  }

  #startOf(id: number): number {
    return id === 0 ? 0 : this.#ends[id - 1]!;
  }

  #isAt(id: number, list: ArrayLike<number>, length: number): boolean {
    const start = this.#startOf(id);
    if (this.#ends[id]! - start !== length) return false;
    for (let k = 0; k < length; k += 1) if (this.#data[start + k] !== list[k]) return false;
    return true;
  }

  #put(list: ArrayLike<number>, length: number, hash: number, at: number): I {
    const id = this.size;
    const start = this.#startOf(id);
    if (start + length > this.#data.length) this.#data = grown(this.#data, growth * (start + length));
    if (id === this.#ends.length) {
      this.#ends = grown(this.#ends, growth * id);
      this.#hashes = grown(this.#hashes, growth * id);
    }
    for (let k = 0; k < length; k += 1) this.#data[start + k] = list[k]!;
    this.#ends[id] = start + length;
    this.#hashes[id] = hash;
    this.#slots[at] = id + 1;
    this.size += 1;
    if (2 * this.size > this.#slots.length) this.#rehash();
    return id as I;
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let id = 0; id < this.size; id += 1) {
      let at = this.#hashes[id]! & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = id + 1;
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
