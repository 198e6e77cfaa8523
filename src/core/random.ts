/**
 * A seeded generator (sfc32, Chris Doty-Humphrey, public domain) made of 32-bit integer operations only,
 * so that every machine and every browser draws the same numbers. Streams with different names are independent:
 * drawing more of one does not shift another.
 *
 * @example
 * import { Random } from 'batonjs/core';
 *
 * const random = new Random(17, 'workload');
 * random.next32() === new Random(17, 'workload').next32(); // → true
 * const die = 1 + random.below(6);
 * const heads = random.chance(0.5);
 * const order = random.shuffle(['a', 'b', 'c']);
 * random.permutation(3).toSorted().join(); // → '1,2,3'
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** Creates the generator of one stream of a seed. */
  constructor(seed: number, stream: string) {
    let h = hash(`${stream}:${seed}`);
    this.#a = h;
    this.#b = h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    this.#c = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    for (let i = 0; i < 12; i += 1) this.next32();
  }

  /** Draws a signed 32-bit integer. */
  next32(): number {
    const b = this.#b;
    const c = this.#c;
    const sum = (this.#a + b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = b ^ (b >>> 9);
    this.#b = (c + (c << 3)) | 0;
    this.#c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum;
  }

  /** Draws one of 0 .. options-1. */
  below(options: number): number {
    return Math.floor((this.next32() >>> 0) * (options / 0x1_0000_0000));
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.next32() >>> 0 < probability * 0x1_0000_0000;
  }

  /** Brings the items into a random order, in place, and returns them. */
  shuffle<T extends { [i: number]: V; readonly length: number }, V = T[number]>(items: T): T {
    for (let i = items.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      const item = items[i]!;
      items[i] = items[j]!;
      items[j] = item;
    }
    return items;
  }

  /** Returns 1 .. n in a random order. */
  permutation(n: number): Int32Array {
    const items = new Int32Array(n);
    for (let i = 0; i < n; i += 1) items[i] = i + 1;
    return this.shuffle(items);
  }
}

/** A 32-bit hash, the same on every machine (FNV-1a). */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h;
}
