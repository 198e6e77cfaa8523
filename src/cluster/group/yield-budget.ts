import { performance } from 'node:perf_hooks';

const budgetMs = 5;

/**
 * A loop that only takes and releases a lock never yields to the event loop, so requests of other processes starve. After 5 ms, the
 * next call to `lock` first waits for one turn of the event loop.
 */
export class YieldBudget {
  #yielding: Promise<void> | null = null;
  #since = 0;
  checkedAt = 0; // when `pendingYield` was last read; reading the clock is a large part of the cost of a lock

  /** A promise to await before the next lock is taken; null most of the time. */
  get pendingYield(): Promise<void> | null {
    this.checkedAt = performance.now();
    const isOver = this.checkedAt - this.#since > budgetMs;
    if (this.#yielding !== null) return isOver ? this.#yielding : null;
    if (!isOver) return null;
    this.#since = this.checkedAt;
    this.#yielding = new Promise((resolve) => {
      setImmediate(() => {
        this.#yielding = null;
        resolve();
      });
    });
    return null;
  }

  /** Call when a message from another process has arrived: the event loop has turned. */
  reset(now: number): void {
    this.#since = now;
  }
}
