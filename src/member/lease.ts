/** The two clocks that time a lease: the monotonic one never jumps, the wall clock runs while the machine sleeps. */
export interface LocalClocks {
  monotonic(): number; // milliseconds
  wall(): number;
}

/**
 * The time for which a member may act. It is counted from the moment the renewal was sent, and ends here before it ends at the engine.
 * The clock that advanced further decides. So the engine never gives away what this member still considers its own.
 */
export class Lease {
  readonly #clocks: LocalClocks;
  readonly #duration: number;
  #until: number | null = null; // null before the first renewal
  #untilWall = 0;
  #hasExpired = false; // an expired lease stays expired
  checkedAt = 0; // when `isOver` last read the clock

  constructor(clocks: LocalClocks, durationMs: number) {
    this.#clocks = clocks;
    this.#duration = durationMs;
  }

  /** Returns what to pass to `renewed` when the engine confirms this renewal. */
  startRenewal(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  /** Extends the lease. A confirmation that arrives after expiry has no effect. */
  renewed(sent: { readonly monotonic: number; readonly wall: number }): void {
    if (this.#until !== null && (this.isOver || sent.monotonic + this.#duration <= this.#until)) return;
    this.#until = sent.monotonic + this.#duration;
    this.#untilWall = sent.wall + this.#duration;
  }

  /** Also true before the first renewal. */
  get isOver(): boolean {
    if (this.#hasExpired || this.#until === null) return true;
    this.checkedAt = this.#clocks.monotonic();
    this.#hasExpired = this.checkedAt >= this.#until || this.#clocks.wall() >= this.#untilWall;
    return this.#hasExpired;
  }

  /** Half of the lease passed without a renewal: locks are maybe lost. */
  get isDoubtful(): boolean {
    return this.remaining <= this.#duration / 2;
  }

  get remaining(): number {
    return this.#until === null ? 0 : this.#until - this.#clocks.monotonic();
  }
}
