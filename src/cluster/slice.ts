import { performance } from 'node:perf_hooks';

const sliceMs = 5;

/**
 * A loop that takes a lock again and again, and waits for nothing else, never lets the event loop turn: nobody else's request
 * is ever heard. So who has taken locks for a while waits for one turn before the next.
 */
export class Slice {
  #turn: Promise<void> | null = null;
  #since = 0;
  now = 0; // when `usedUp` was last asked; taking the time is a good part of what a lock costs

  /** What to wait for before the next lock is taken; null most of the time. */
  get usedUp(): Promise<void> | null {
    this.now = performance.now();
    const isOver = this.now - this.#since > sliceMs;
    if (this.#turn !== null) return isOver ? this.#turn : null;
    if (!isOver) return null;
    this.#since = this.now;
    this.#turn = new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = null;
        resolve();
      });
    });
    return null;
  }

  /** The event loop has turned: something came from another process. */
  turned(now: number): void {
    this.#since = now;
  }
}
