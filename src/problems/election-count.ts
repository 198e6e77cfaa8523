import type { Pid } from '../core/algorithm.ts';

/**
 * Counts the elections of a run, since bounds are counted per election. A start belongs to the election that follows those whose leader its process has
 * learned. So a second election is counted as soon as a process starts that knows the leader of the first, even if others are still to learn it.
 */
export class ElectionCount {
  readonly #learned: Int32Array | null; // by process: the elections whose leader it has learned; null if a run elects once
  #count = 0;

  constructor(n: number, electsAgain = false) {
    this.#learned = electsAgain ? new Int32Array(n) : null;
  }

  get count(): number {
    return this.#count;
  }

  started(process: Pid): void {
    this.#count = Math.max(this.#count, 1 + (this.#learned?.[process] ?? 0));
  }

  learned(process: Pid): void {
    if (this.#learned !== null) this.#learned[process]! += 1;
  }
}
