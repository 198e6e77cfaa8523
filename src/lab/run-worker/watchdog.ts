const interval = 500; // milliseconds
const maxTicks = 8; // counted, because a machine that slept has missed only one

/** Calls back when a worker has been silent for four seconds: a handler that never ends cannot be stopped otherwise. */
export class Watchdog {
  readonly #onSilence: () => void;
  #ticks = 0; // since the worker was last heard
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  start(): void {
    this.#ticks = 0;
    this.#timer ??= setInterval(() => this.#tick(), interval);
  }

  hear(): void {
    this.#ticks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#ticks < maxTicks) return;
    this.stop();
    this.#onSilence();
  }
}
