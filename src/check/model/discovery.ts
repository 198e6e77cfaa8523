class Undiscovered extends Error {}

/** Thrown when a thread meets something that has no number yet, and must not give it one. */
export const undiscovered = new Undiscovered('this has no number yet');

/**
 * Guards everything that is computed once and then known by a number. Threads must agree on the numbers, so at any time at most one of them
 * may discover new things.
 */
export class Discovery {
  count = 0;
  isRefused = false;

  /** Must be called before anything gets a number. */
  note(): void {
    if (this.isRefused) throw undiscovered;
    this.count += 1;
  }
}
