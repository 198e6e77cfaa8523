import { performance } from 'node:perf_hooks';

const budgetMs = 5;

/**
 * A loop that takes a lock again and again, and waits for nothing else, never lets the event loop turn: nobody else's request
 * is ever heard. So who has taken locks for a while waits for one turn before the next.
 */
export class YieldBudget {
  #yielding: Promise<void> | null = null;
  #since = 0;
  checkedAt = 0; // when `usedUp` was last asked; taking the time is a good part of what a lock costs

  /** What to wait for before the next lock is taken; null most of the time. */
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

  /** The event loop has turned: something came from another process. */
  reset(now: number): void {
    this.#since = now;
  }
}
