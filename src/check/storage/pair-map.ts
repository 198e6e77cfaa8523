const cellSize = 3; // first, second, value + 1

/** Maps a pair of ids to an id. A note beside it, a number that starts at 0, is for the caller. */
export class PairMap<
  First extends number = number,
  Second extends number = number,
  Value extends number = number,
> {
  size = 0;
  cells: Int32Array = new Int32Array(cellSize * 16); // starts small: V8 takes an array for a constant until it is replaced, and then compiles again
  #mask = 15;
  #notes: Int32Array | null = null; // null while there are none

  /** Returns the position of the pair in `cells`, or -1. */
  at(first: First, second: Second): number {
    const { cells } = this;
    for (let k = hashOfPair(first, second) & this.#mask; ; k = (k + 1) & this.#mask) {
      const at = cellSize * k;
      if (cells[at + 2] === 0) return -1;
      if (cells[at] === first && cells[at + 1] === second) return at;
    }
  }

  valueAt(at: number): Value {
    return (this.cells[at + 2]! - 1) as Value;
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

  /** Adds a pair that is not there yet, and returns its position. */
  set(first: First, second: Second, value: Value): number {
    this.size += 1;
    if (3 * this.size > 2 * (this.#mask + 1)) this.#rehash();
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

  #rehash(): void {
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
