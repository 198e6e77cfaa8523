import type { Lab } from './lab.ts';

/** Draws frames while something moves, and one whenever something has changed. */
export class Painter {
  readonly #lab: Lab;
  readonly #paints = new Set<() => void>();
  #last = 0;
  #isAwake = false;
  #hasPainted = false;

  constructor(lab: Lab) {
    this.#lab = lab;
    lab.subscribe(() => this.wake());
  }

  add(paint: () => void): () => void {
    this.#paints.add(paint);
    this.wake();
    return () => this.#paints.delete(paint);
  }

  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#last = performance.now();
    requestAnimationFrame(() => this.#frame());
  }

  #frame(): void {
    const now = performance.now();
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const moves = this.#lab.frame(Math.min(100, now - this.#last), isStill);
    this.#last = now;
    for (const paint of this.#paints) paint();
    if (this.#paints.size > 0 && !this.#hasPainted) performance.mark('first-picture');
    this.#hasPainted ||= this.#paints.size > 0;
    this.#isAwake = moves || this.#lab.isPlaying;
    if (this.#isAwake) requestAnimationFrame(() => this.#frame());
  }
}
