import type { Pid } from '../core/algorithm.ts';
import type { Wheel } from './wheel.ts';

/**
 * Finds out that nothing can happen any more although every process on shared memory is busy. A process that is where it was before,
 * with the same variables, and nothing was written in between, has read only what it read before: it goes round until somebody writes.
 */
export class Standstill {
  readonly #been: Set<string>[];
  readonly #since: Float64Array; // the change after which `been` was begun
  readonly #goesRound: Uint8Array;
  steps = 0; // scheduled
  #changes = 0;
  #round = 0; // how many go round
  #isOnlySteps: boolean | null = null; // whether nothing else is scheduled; null: not looked yet

  constructor(n: number) {
    this.#been = Array.from({ length: n }, () => new Set());
    this.#since = new Float64Array(n);
    this.#goesRound = new Uint8Array(n);
  }

  /** An event comes out of the wheel. */
  taken(isStep: boolean): void {
    if (isStep) this.steps -= 1;
    else this.changed();
  }

  /** Something was written, or a process came or went. */
  changed(): void {
    this.#changes += 1;
    this.#round = 0;
    this.#isOnlySteps = null;
  }

  /** After a read: where the process is now. */
  has(process: Pid, state: unknown): void {
    const been = this.#been[process]!;
    if (this.#since[process] !== this.#changes) {
      this.#since[process] = this.#changes;
      this.#goesRound[process] = 0;
      been.clear();
    }
    if (this.#goesRound[process] === 1) return;
    const place = JSON.stringify(state);
    if (been.has(place)) {
      this.#goesRound[process] = 1;
      this.#round += 1;
    } else been.add(place);
  }

  /** Whether every process goes round, and nothing else is to come. */
  isComplete(wheel: Wheel): boolean {
    if (this.steps === 0 || this.#round < this.steps) return false;
    this.#isOnlySteps ??= Array.from(wheel.pending()).length === this.steps;
    return this.#isOnlySteps;
  }
}
