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

/**
 * The steps that a search has followed that expands one world after the other, from some world on. Half the size of an {@link EdgeLog}, as the
 * worlds that the steps come from need no room.
 */
export class StepLog {
  readonly begin: WorldId; // the first world whose steps are here
  size = 0;
  targets: Int32Array = new Int32Array(1024);
  #ends: Int32Array = new Int32Array(1024); // by world, counted from `begin`: where its steps end
  #worlds = 0;

  constructor(begin: WorldId) {
    this.begin = begin;
  }

  get bytes(): number {
    return this.targets.byteLength + this.#ends.byteLength;
  }

  add(target: WorldId): void {
    if (this.size >= this.targets.length) this.targets = grown(this.targets, Math.ceil(growth * this.size));
    this.targets[this.size] = target;
    this.size += 1;
  }

  /** Ends the steps of the next world. */
  close(): void {
    if (this.#worlds >= this.#ends.length) this.#ends = grown(this.#ends, Math.ceil(growth * this.#worlds));
    this.#ends[this.#worlds] = this.size;
    this.#worlds += 1;
  }

  endOf(world: WorldId): number {
    return this.#ends[world - this.begin]!;
  }
}
