import { grown, growth, shared, TupleTable } from './tuple-table.ts';

const initialSlots = 2 ** 16; // slots, as soon as there is a search

/** The worlds of a search, and what it has to know of each. */
export class WorldTable extends TupleTable {
  parents: Int32Array = new Int32Array(1024); // from which it was first reached; -1: it is initial
  asleep: Int32Array = new Int32Array(1024); // events that lead nowhere new, as the model numbers them, as bits
  readonly #sleeps: boolean;

  constructor(width: number, sleeps: boolean) {
    super(width, initialSlots);
    this.#sleeps = sleeps;
  }

  override get bytes(): number {
    return super.bytes + Int32Array.BYTES_PER_ELEMENT * (this.#sleeps ? 2 : 1) * this.size;
  }

  /** Of a world that is new. */
  note(world: number, parent: number, asleep: number): void {
    if (world >= this.parents.length) this.#extend(world + 1);
    this.parents[world] = parent;
    if (this.#sleeps) this.asleep[world] = asleep;
  }

  override share(): void {
    super.share();
    this.asleep = shared(this.asleep);
  }

  override reserve(more: number): void {
    super.reserve(more);
    if (this.size + more > this.parents.length) this.#extend(this.size + more);
  }

  #extend(least: number): void {
    const length = Math.ceil(growth * least);
    this.parents = grown(this.parents, length);
    if (this.#sleeps) this.asleep = grown(this.asleep, length);
  }
}
