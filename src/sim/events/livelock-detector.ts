import type { Pid } from '../../core/algorithm.ts';
import type { TimingWheel } from './timing-wheel.ts';

/**
 * Finds out that nothing can happen any more although every process on shared memory is busy. A process that is where it was before,
 * with the same variables, and nothing was written in between, has read only what it read before: it goes round until somebody writes.
 */
export class LivelockDetector {
  readonly #visited: Set<string>[];
  readonly #since: Float64Array; // the change after which `been` was begun
  readonly #isSpinning: Uint8Array;
  steps = 0; // scheduled
  #changes = 0;
  #spinning = 0; // how many go round
  #isOnlySteps: boolean | null = null; // whether nothing else is scheduled; null: not looked yet

  constructor(n: number) {
    this.#visited = Array.from({ length: n }, () => new Set());
    this.#since = new Float64Array(n);
    this.#isSpinning = new Uint8Array(n);
  }

  /** An event comes out of the wheel. */
  eventTaken(isStep: boolean): void {
    if (isStep) this.steps -= 1;
    else this.changed();
  }

  /** Something was written, or a process came or went. */
  changed(): void {
    this.#changes += 1;
    this.#spinning = 0;
    this.#isOnlySteps = null;
  }

  /** After a read: where the process is now. */
  visit(process: Pid, state: unknown): void {
    const been = this.#visited[process]!;
    if (this.#since[process] !== this.#changes) {
      this.#since[process] = this.#changes;
      this.#isSpinning[process] = 0;
      been.clear();
    }
    if (this.#isSpinning[process] === 1) return;
    const place = JSON.stringify(state);
    if (been.has(place)) {
      this.#isSpinning[process] = 1;
      this.#spinning += 1;
    } else been.add(place);
  }

  /** Whether every process goes round, and nothing else is to come. */
  isLivelock(wheel: TimingWheel): boolean {
    if (this.steps === 0 || this.#spinning < this.steps) return false;
    this.#isOnlySteps ??= Array.from(wheel.pending()).length === this.steps;
    return this.#isOnlySteps;
  }
}
