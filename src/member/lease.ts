/** The two clocks a lease is held to: the first does not jump, the second goes on while the machine sleeps. */
export interface Clocks {
  monotonic(): number; // milliseconds
  wall(): number;
}

/**
 * The time for which a member may act. Counted from when a renewal was sent, and over here before it is over at the engine, on
 * whichever clock ran further: the engine then never gives to another what this member still takes for its own.
 */
export class Lease {
  readonly #clocks: Clocks;
  readonly #lasts: number;
  #until: number | null = null; // null: not yet begun
  #untilWall = 0;
  #ended = false; // once over, it stays over
  asked = 0; // when it was last asked whether it is over

  constructor(clocks: Clocks, lasts: number) {
    this.#clocks = clocks;
    this.#lasts = lasts;
  }

  /** What `renewed` must be told of a renewal sent now. */
  sending(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  /** A renewal that arrives when the lease is over does not wake it. */
  renewed(sent: { readonly monotonic: number; readonly wall: number }): void {
    if (this.#until !== null && (this.isOver || sent.monotonic + this.#lasts <= this.#until)) return;
    this.#until = sent.monotonic + this.#lasts;
    this.#untilWall = sent.wall + this.#lasts;
  }

  /** Before the first renewal too. */
  get isOver(): boolean {
    if (this.#ended || this.#until === null) return true;
    this.asked = this.#clocks.monotonic();
    this.#ended = this.asked >= this.#until || this.#clocks.wall() >= this.#untilWall;
    return this.#ended;
  }

  /** Half of it is gone without a renewal: whatever is held is maybe lost. */
  get isDoubtful(): boolean {
    return this.left <= this.#lasts / 2;
  }

  get left(): number {
    return this.#until === null ? 0 : this.#until - this.#clocks.monotonic();
  }
}
