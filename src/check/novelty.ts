/** Something that was never worked out would have to be. */
class Unheard extends Error {}

export const unheard = new Unheard('nobody has worked this out');

/**
 * What is worked out once and gets a number then, in the order in which it comes up. Threads must agree on the numbers, so only one of them
 * works things out while the others refuse to.
 */
export class Novelty {
  count = 0;
  isRefused = false;

  /** To be called before anything gets a number. */
  comes(): void {
    if (this.isRefused) throw unheard;
    this.count += 1;
  }
}
