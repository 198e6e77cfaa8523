const sliceMs = 5;

/**
 * A loop that takes a lock again and again, and waits for nothing else, never lets the event loop turn: nobody else's request
 * is ever heard. So who has taken locks for a while waits for one turn before the next.
 */
export class Slice {
  #turn: Promise<void> | null = null;
  #since = 0;

  /** What to wait for before the next lock is taken; null most of the time. */
  get usedUp(): Promise<void> | null {
    if (this.#turn !== null) return performance.now() - this.#since > sliceMs ? this.#turn : null;
    this.#since = performance.now();
    this.#turn = new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = null;
        resolve();
      });
    });
    return null;
  }
}
