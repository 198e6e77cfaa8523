import type { Pid } from '../../core/algorithm.ts';
import type { TimingWheel } from './timing-wheel.ts';

/**
 * Detects a livelock on shared memory. A process that returns to an earlier line with the same variables, while no register was written,
 * spins: it repeats the same reads until some process writes. If every process spins and no other event is scheduled, the run never ends.
 */
export class LivelockDetector {
  readonly #visited: Set<string>[];
  readonly #since: Float64Array; // the change after which its `#visited` was started
  readonly #isSpinning: Uint8Array;
  steps = 0; // how many are scheduled
  #changes = 0;
  #spinning = 0; // how many processes spin
  #isOnlySteps: boolean | null = null; // whether only steps are scheduled; null if unknown

  constructor(n: number) {
    this.#visited = Array.from({ length: n }, () => new Set());
    this.#since = new Float64Array(n);
    this.#isSpinning = new Uint8Array(n);
  }

  /** An event was taken from the wheel. */
  eventTaken(isStep: boolean): void {
    if (isStep) this.steps -= 1;
    else this.changed();
  }

  /** A register was written, or a process started, ended or crashed. */
  changed(): void {
    this.#changes += 1;
    this.#spinning = 0;
    this.#isOnlySteps = null;
  }

  /** Notes the state of a process after a read. */
  visit(process: Pid, state: unknown): void {
    const visited = this.#visited[process]!;
    if (this.#since[process] !== this.#changes) {
      this.#since[process] = this.#changes;
      this.#isSpinning[process] = 0;
      visited.clear();
    }
    if (this.#isSpinning[process] === 1) return;
    const key = JSON.stringify(state);
    if (visited.has(key)) {
      this.#isSpinning[process] = 1;
      this.#spinning += 1;
    } else visited.add(key);
  }

  /** Whether every process spins and no other event is scheduled. */
  isLivelock(wheel: TimingWheel): boolean {
    if (this.steps === 0 || this.#spinning < this.steps) return false;
    this.#isOnlySteps ??= Array.from(wheel.pending()).length === this.steps;
    return this.#isOnlySteps;
  }
}
