import type { IdArray, WorldId } from '../ids.ts';
import { TupleTable } from './tuple-table.ts';
import { grown, growth, shared } from './typed-arrays.ts';

const initialSlots = 2 ** 16;

/** The worlds of a search, and what the search has to know of each. */
export class WorldTable extends TupleTable<WorldId> {
  parents = new Int32Array(1024) as IdArray<WorldId | -1>; // the world from which each was first reached; -1 for initial worlds
  asleep: Int32Array = new Int32Array(1024); // the sleep set of each world, as bits: see `SleepSets`
  readonly #hasSleepSets: boolean;

  constructor(width: number, hasSleepSets: boolean) {
    super(width, initialSlots);
    this.#hasSleepSets = hasSleepSets;
  }

  override get bytes(): number {
    return super.bytes + Int32Array.BYTES_PER_ELEMENT * (this.#hasSleepSets ? 2 : 1) * this.size;
  }

  /** Records how a new world was reached. */
  note(world: WorldId, parent: WorldId | -1, asleep: number): void {
    if (world >= this.parents.length) this.#extend(world + 1);
    this.parents[world] = parent;
    if (this.#hasSleepSets) this.asleep[world] = asleep;
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
    if (this.#hasSleepSets) this.asleep = grown(this.asleep, length);
  }
}
