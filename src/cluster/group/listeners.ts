/**
 * Listeners of one event. Each is called in isolation, as an EventTarget does: an error of one is thrown later, as an uncaught exception,
 * and neither the other listeners nor the caller notice it.
 */
export class Listeners<Args extends readonly unknown[]> {
  readonly #listeners = new Set<{ readonly call: (...args: Args) => void }>(); // a function may be added twice

  /** Returns an unsubscribe function. */
  add(call: (...args: Args) => void): () => void {
    const listener = { call };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(...args: Args): void {
    for (const { call } of [...this.#listeners])
      try {
        call(...args);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
  }
}
