// Time as told by a sequence of numbers that a database counts up: the clocks of its machines are not asked.

interface RevisionMark {
  number: number;
  at: number; // monotonic, here: it had been reached by then
  readonly since: number; // marks in quick succession are one
}

/** What numbers had been reached by when, as far as was noticed here. */
export class RevisionClock {
  readonly #apartMs: number; // marks that are kept apart
  #keptMs: number; // for as long as anybody has asked about
  #marks: RevisionMark[] = []; // number and time rise

  constructor(lastsMs: number) {
    this.#apartMs = lastsMs / 20;
    this.#keptMs = lastsMs;
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

  /** The highest number that is known to have been reached so long ago; 0: none is. */
  reachedBefore(agoMs: number, now = performance.now()): number {
    this.#keptMs = Math.max(this.#keptMs, agoMs);
    return this.#marks.findLast(({ at }) => at <= now - agoMs)?.number ?? 0;
  }

  /** The sequence has begun anew, or may have. */
  clear(): void {
    this.#marks = [];
  }
}
