import type { Pid } from '../core/algorithm.ts';

/**
 * Finds out that nothing can happen any more although everybody is busy. A process that is where it was before, with the same
 * variables, and nothing was written in between, has read only what it read before: it goes round until somebody writes.
 */
export class Standstill {
  readonly #been: Set<string>[];
  readonly #since: Float64Array; // the change after which `been` was begun
  readonly #goesRound: Uint8Array;
  #changes = 0;
  #round = 0; // how many go round

  constructor(n: number) {
    this.#been = Array.from({ length: n }, () => new Set());
    this.#since = new Float64Array(n);
    this.#goesRound = new Uint8Array(n);
  }

  /** Something was written, or somebody came or went. */
  changed(): void {
    this.#changes += 1;
    this.#round = 0;
  }

  /** After a read: where the process is now. */
  has(process: Pid, place: string): void {
    const been = this.#been[process]!;
    if (this.#since[process] !== this.#changes) {
      this.#since[process] = this.#changes;
      this.#goesRound[process] = 0;
      been.clear();
    }
    if (this.#goesRound[process] === 1) return;
    if (been.has(place)) {
      this.#goesRound[process] = 1;
      this.#round += 1;
    } else been.add(place);
  }

  /** Whether all of these many processes go round. */
  isComplete(processes: number): boolean {
    return this.#round >= processes;
  }
}
