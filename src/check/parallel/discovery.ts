/** Something that was never worked out would have to be. */
class Undiscovered extends Error {}

export const undiscovered = new Undiscovered('nobody has worked this out');

/**
 * What is worked out once and gets a number then, in the order in which it comes up. Threads must agree on the numbers, so only one of them
 * works things out while the others refuse to.
 */
export class Discovery {
  count = 0;
  isRefused = false;

  /** To be called before anything gets a number. */
  note(): void {
    if (this.isRefused) throw undiscovered;
    this.count += 1;
  }
}
