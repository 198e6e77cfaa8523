const cellSize = 3; // first, second, value + 1

/** Remembers a whole number from 0 for each pair of them, and a note beside it: a number, 0 at first. */
export class PairMap {
  size = 0;
  cells = new Int32Array(cellSize * 16); // it grows early, since V8 takes it for a constant until then, and compiles anew
  #mask = 15;
  #notes: Int32Array | null = null; // if there are any

  /** Where the pair is in `cells`, or -1. */
  at(first: number, second: number): number {
    const { cells } = this;
    for (let k = hashOfPair(first, second) & this.#mask; ; k = (k + 1) & this.#mask) {
      const at = cellSize * k;
      if (cells[at + 2] === 0) return -1;
      if (cells[at] === first && cells[at + 1] === second) return at;
    }
  }

  valueAt(at: number): number {
    return this.cells[at + 2]! - 1;
  }

  noteAt(at: number): number {
    return this.#notes === null ? 0 : this.#notes[at / cellSize]!;
  }

  note(at: number, note: number): void {
    this.#notes ??= new Int32Array(this.#mask + 1);
    this.#notes[at / cellSize] = note;
  }

  get bytes(): number {
    return this.cells.byteLength + (this.#notes?.byteLength ?? 0);
  }

  /** For a pair that is not there yet. */
  set(first: number, second: number, value: number): number {
    this.size += 1;
    if (3 * this.size > 2 * (this.#mask + 1)) this.#spread();
    return this.#put(first, second, value);
  }

  #put(first: number, second: number, value: number): number {
    const { cells } = this;
    let k = hashOfPair(first, second) & this.#mask;
    while (cells[cellSize * k + 2] !== 0) k = (k + 1) & this.#mask;
    const at = cellSize * k;
    cells[at] = first;
    cells[at + 1] = second;
    cells[at + 2] = value + 1;
    return at;
  }

  #spread(): void {
    const [cells, notes] = [this.cells, this.#notes];
    this.cells = new Int32Array(2 * cells.length);
    this.#notes = null;
    this.#mask = 2 * this.#mask + 1;
    for (let k = 0; k < cells.length; k += cellSize) {
      if (cells[k + 2] === 0) continue;
      const at = this.#put(cells[k]!, cells[k + 1]!, cells[k + 2]! - 1);
      if (notes !== null) this.note(at, notes[k / cellSize]!);
    }
  }
}

function hashOfPair(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 13);
}
