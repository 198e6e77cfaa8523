import { onAbort, setLongTimeout } from './timeouts.ts';

/** The time that held locks and terms have to finish while their process leaves the group. */
export class Drain {
  /** Resolves when nothing is held any more, when the time is over, or when a signal ends it. */
  readonly over: Promise<void>;
  isOver = false;
  readonly #isNothingHeld: () => boolean;
  readonly #stopListening: (() => void)[] = [];
  #resolve = () => {};
  #until = Number.POSITIVE_INFINITY;
  #stopTimer = () => {};

  constructor(isNothingHeld: () => boolean) {
    this.#isNothingHeld = isNothingHeld;
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Ends the drain after this time, unless it ends earlier, and as soon as the signal aborts. */
  limit(milliseconds: number, signal: AbortSignal | undefined): void {
    if (milliseconds === 0 || signal?.aborted) this.#end();
    this.check();
    if (this.isOver) return;
    if (signal !== undefined) this.#stopListening.push(onAbort(signal, () => this.#end()));
    const until = performance.now() + milliseconds;
    if (until >= this.#until) return;
    this.#until = until;
    this.#stopTimer();
    this.#stopTimer = setLongTimeout(milliseconds, () => this.#end());
  }

  /** Call when a lock was released or lost. */
  check(): void {
    if (this.#isNothingHeld()) this.#end();
  }

  #end(): void {
    this.isOver = true;
    this.#stopTimer();
    for (const stop of this.#stopListening.splice(0)) stop();
    this.#resolve();
  }
}
