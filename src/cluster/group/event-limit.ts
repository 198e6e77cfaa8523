// Limits events that peers can cause at any rate.

const windowMs = 1000;
const mostWindows = 100; // of addresses; beyond that, events of further addresses share a window

interface Window<E> {
  readonly address: string | null;
  latest: E;
  suppressed: number;
  timer: NodeJS.Timeout;
}

/**
 * Emits at most one event per second for each kind and address, with the number of events since the last one. The first event is emitted at
 * once. At the end of the second, the latest of the suppressed ones is.
 */
export class EventLimit<E> {
  readonly #emit: (event: E, address: string | null, count: number) => void;
  readonly #windows = new Map<string, Window<E>>();

  constructor(emit: (event: E, address: string | null, count: number) => void) {
    this.#emit = emit;
  }

  /** `kind` must be one of a few. There may be any number of addresses. */
  report(kind: string, event: E, address: string | null): void {
    const key = `${kind} ${address ?? ''}`;
    const window = this.#windows.get(key);
    if (window !== undefined) {
      window.latest = event;
      window.suppressed += 1;
    } else if (address !== null && this.#windows.size >= mostWindows) this.report(kind, event, null);
    else {
      this.#windows.set(key, { address, latest: event, suppressed: 0, timer: this.#startTimer(key) });
      this.#emit(event, address, 1);
    }
  }

  /** Emits the events that were suppressed. */
  flush(): void {
    for (const [key, { timer }] of [...this.#windows]) {
      clearTimeout(timer);
      this.#endWindow(key);
    }
    for (const { timer } of this.#windows.values()) clearTimeout(timer);
    this.#windows.clear();
  }

  #startTimer(key: string): NodeJS.Timeout {
    return setTimeout(() => this.#endWindow(key), windowMs).unref();
  }

  #endWindow(key: string): void {
    const window = this.#windows.get(key)!;
    const { latest, address, suppressed } = window;
    if (suppressed === 0) this.#windows.delete(key);
    else {
      window.suppressed = 0;
      window.timer = this.#startTimer(key);
      this.#emit(latest, address, suppressed);
    }
  }
}
