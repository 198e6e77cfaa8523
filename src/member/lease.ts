/** The two clocks a lease is held to: the first does not jump, the second goes on while the machine sleeps. */
export interface LocalClocks {
  monotonic(): number; // milliseconds
  wall(): number;
}

/**
 * The time for which a member may act. Counted from when a renewal was sent, and over here before it is over at the engine, on
 * whichever clock ran further: the engine then never gives to another what this member still takes for its own.
 */
export class Lease {
  readonly #clocks: LocalClocks;
  readonly #duration: number;
  #until: number | null = null; // null: not yet begun
  #untilWall = 0;
  #hasExpired = false; // once over, it stays over
  checkedAt = 0; // when it was last asked whether it is over

  constructor(clocks: LocalClocks, lasts: number) {
    this.#clocks = clocks;
    this.#duration = lasts;
  }

  /** What `renewed` must be told of a renewal sent now. */
  startRenewal(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  /** A renewal that arrives when the lease is over does not wake it. */
  renewed(sent: { readonly monotonic: number; readonly wall: number }): void {
    if (this.#until !== null && (this.isOver || sent.monotonic + this.#duration <= this.#until)) return;
    this.#until = sent.monotonic + this.#duration;
    this.#untilWall = sent.wall + this.#duration;
  }

  /** Before the first renewal too. */
  get isOver(): boolean {
    if (this.#hasExpired || this.#until === null) return true;
    this.checkedAt = this.#clocks.monotonic();
    this.#hasExpired = this.checkedAt >= this.#until || this.#clocks.wall() >= this.#untilWall;
    return this.#hasExpired;
  }

  /** Half of it is gone without a renewal: whatever is held is maybe lost. */
  get isDoubtful(): boolean {
    return this.remaining <= this.#duration / 2;
  }

  get remaining(): number {
    return this.#until === null ? 0 : this.#until - this.#clocks.monotonic();
  }
}
