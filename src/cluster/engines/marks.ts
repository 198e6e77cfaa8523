// Time as told by a sequence of numbers that a database counts up: the clocks of its machines are not asked.

interface Mark {
  number: number;
  at: number; // monotonic, here: it had been reached by then
  readonly since: number; // marks in quick succession are one
}

/** What numbers had been reached by when, as far as was noticed here. */
export class Marks {
  readonly #lastsMs: number;
  #marks: Mark[] = []; // number and time rise

  constructor(lastsMs: number) {
    this.#lastsMs = lastsMs;
  }

  get highest(): number {
    return this.#marks.at(-1)?.number ?? 0;
  }

  noticed(number: number, now = performance.now()): void {
    if (number <= this.highest) return;
    const last = this.#marks.at(-1);
    if (last !== undefined && now - last.since < this.#lastsMs / 20) {
      last.number = number;
      last.at = now;
    } else this.#marks.push({ number, at: now, since: now });
    while (this.#marks.length > 1 && this.#marks[1]!.at <= now - this.#lastsMs) this.#marks.shift();
  }

  /** The highest number that is known to have been reached `lastsMs` ago; 0: none is. */
  old(now = performance.now()): number {
    return this.#marks.findLast(({ at }) => at <= now - this.#lastsMs)?.number ?? 0;
  }

  /** The sequence has begun anew, or may have. */
  clear(): void {
    this.#marks = [];
  }
}
