import type { LabStore } from '../state/lab-store.ts';

/** Paints every frame while the picture moves, and one frame after every change of the store. */
export class AnimationLoop {
  readonly #lab: LabStore;
  readonly #painters = new Set<() => void>();
  #last = 0;
  #isScheduled = false;
  #hasPainted = false;

  constructor(lab: LabStore) {
    this.#lab = lab;
    lab.subscribe(() => this.requestFrame());
  }

  addPainter(paint: () => void): () => void {
    this.#painters.add(paint);
    this.requestFrame();
    return () => this.#painters.delete(paint);
  }

  requestFrame(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#last = performance.now();
    requestAnimationFrame(() => this.#frame());
  }

  #frame(): void {
    const now = performance.now();
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const moves = this.#lab.advanceFrame(Math.min(100, now - this.#last), isStill);
    this.#last = now;
    for (const paint of this.#painters) paint();
    if (this.#painters.size > 0 && !this.#hasPainted) performance.mark('first-picture');
    this.#hasPainted ||= this.#painters.size > 0;
    this.#isScheduled = moves || this.#lab.isPlaying;
    if (this.#isScheduled) requestAnimationFrame(() => this.#frame());
  }
}
