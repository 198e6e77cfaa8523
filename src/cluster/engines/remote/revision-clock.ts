// A clock from the increasing revisions of a database, independent of the clocks of its servers.

interface RevisionMark {
  number: number;
  at: number; // by our monotonic clock: the number was reached by then
  readonly since: number; // start of the interval that this mark merges
}

/** Records which revisions had been reached at which local time. */
export class RevisionClock {
  readonly #apartMs: number; // closer marks are merged
  #keptMs: number; // the longest `agoMs` so far
  #marks: RevisionMark[] = []; // by number and time, ascending

  constructor(leaseMs: number) {
    this.#apartMs = leaseMs / 20;
    this.#keptMs = leaseMs;
  }

  get highest(): number {
    return this.#marks.at(-1)?.number ?? 0;
  }

  observe(number: number, now = performance.now()): void {
    if (number <= this.highest) return;
    const last = this.#marks.at(-1);
    if (last !== undefined && now - last.since < this.#apartMs) {
      last.number = number;
      last.at = now;
    } else this.#marks.push({ number, at: now, since: now });
    while (this.#marks.length > 1 && this.#marks[1]!.at <= now - this.#keptMs) this.#marks.shift();
  }

  /** Returns the highest number that is known to have been reached `agoMs` ago; 0 if none is. */
  reachedBefore(agoMs: number, now = performance.now()): number {
    this.#keptMs = Math.max(this.#keptMs, agoMs);
    return this.#marks.findLast(({ at }) => at <= now - agoMs)?.number ?? 0;
  }

  /** Call when the sequence may have restarted. */
  clear(): void {
    this.#marks = [];
  }
}
