const cell = 4; // first, second, value + 1, note

/** Remembers a whole number from 0 for each pair of them, and a note beside it: a number, 0 at first. */
export class Memo {
  size = 0;
  cells = new Int32Array(cell * 1024);
  #mask = 1023;

  /** Where the pair is in `cells`, or -1. */
  at(first: number, second: number): number {
    const { cells } = this;
    for (let k = placeOf(first, second) & this.#mask; ; k = (k + 1) & this.#mask) {
      const at = cell * k;
      if (cells[at + 2] === 0) return -1;
      if (cells[at] === first && cells[at + 1] === second) return at;
    }
  }

  valueAt(at: number): number {
    return this.cells[at + 2]! - 1;
  }

  noteAt(at: number): number {
    return this.cells[at + 3]!;
  }

  note(at: number, note: number): void {
    this.cells[at + 3] = note;
  }

  /** For a pair that is not there yet. */
  set(first: number, second: number, value: number): number {
    this.size += 1;
    if (3 * this.size > 2 * (this.#mask + 1)) this.#spread();
    return this.#put(first, second, value, 0);
  }

  #put(first: number, second: number, value: number, note: number): number {
    const { cells } = this;
    let k = placeOf(first, second) & this.#mask;
    while (cells[cell * k + 2] !== 0) k = (k + 1) & this.#mask;
    const at = cell * k;
    cells[at] = first;
    cells[at + 1] = second;
    cells[at + 2] = value + 1;
    cells[at + 3] = note;
    return at;
  }

  #spread(): void {
    const old = this.cells;
    this.cells = new Int32Array(2 * old.length);
    this.#mask = 2 * this.#mask + 1;
    for (let k = 0; k < old.length; k += cell) {
      if (old[k + 2] !== 0) this.#put(old[k]!, old[k + 1]!, old[k + 2]! - 1, old[k + 3]!);
    }
  }
}

function placeOf(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 13);
}
