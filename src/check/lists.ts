/** Distinct lists of whole numbers, numbered from 0 as they come. */
export class Lists {
  readonly values: (readonly number[])[] = [];
  #slots = new Int32Array(256); // open addressing: number + 1
  #hashes: number[] = []; // of each

  of(number: number): readonly number[] {
    return this.values[number]!;
  }

  add(list: readonly number[]): number {
    const hash = hashOf(list);
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const number = this.#slots[at]! - 1;
      if (number < 0) return this.#put(list, hash, at);
      if (this.#hashes[number] === hash && isSame(this.values[number]!, list)) return number;
    }
  }

  #put(list: readonly number[], hash: number, at: number): number {
    const number = this.values.push(list) - 1;
    this.#hashes.push(hash);
    this.#slots[at] = number + 1;
    if (2 * this.values.length > this.#slots.length) this.#spread();
    return number;
  }

  #spread(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    this.#hashes.forEach((hash, number) => {
      let at = hash & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = number + 1;
    });
    this.#slots = slots;
  }
}

function hashOf(list: readonly number[]): number {
  let hash = list.length;
  for (let k = 0; k < list.length; k += 1) {
    hash = Math.imul(hash ^ list[k]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return (hash ^ (hash >>> 13)) >>> 2; // small enough not to be boxed
}

function isSame(one: readonly number[], two: readonly number[]): boolean {
  if (one.length !== two.length) return false;
  for (let k = 0; k < one.length; k += 1) if (one[k] !== two[k]) return false;
  return true;
}
