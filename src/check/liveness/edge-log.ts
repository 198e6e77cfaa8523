import type { WorldId } from '../ids.ts';
import { grown, growth } from '../storage/typed-arrays.ts';

/** The steps that a search has followed, in any order: from a world, to a world. */
export class EdgeLog {
  size = 0;
  #ends: Int32Array = new Int32Array(1024); // from and to of each

  get bytes(): number {
    return this.#ends.byteLength;
  }

  add(from: WorldId, to: WorldId): void {
    const at = 2 * this.size;
    if (at >= this.#ends.length) this.#ends = grown(this.#ends, 2 * Math.ceil(growth * this.size));
    this.#ends[at] = from;
    this.#ends[at + 1] = to;
    this.size += 1;
  }

  clear(): void {
    this.size = 0;
  }

  from(edge: number): WorldId {
    return this.#ends[2 * edge]! as WorldId;
  }

  to(edge: number): WorldId {
    return this.#ends[2 * edge + 1]! as WorldId;
  }
}
