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
  #until = Number.NEGATIVE_INFINITY;
  #untilWall = Number.NEGATIVE_INFINITY;
  #doubtful = Number.NEGATIVE_INFINITY;
  #ended = false;

  constructor(clocks: Clocks, lasts: number) {
    this.#clocks = clocks;
    this.#lasts = lasts;
  }

  /** What `renewed` must be told of a renewal sent now. */
  sending(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  renewed(sent: { readonly monotonic: number; readonly wall: number }): void {
    this.#until = Math.max(this.#until, sent.monotonic + this.#lasts);
    this.#untilWall = Math.max(this.#untilWall, sent.wall + this.#lasts);
    this.#doubtful = this.#until - this.#lasts / 2;
  }

  /** Once over, a lease stays over: a renewal that arrives late does not wake it. */
  get isOver(): boolean {
    if (this.#ended) return true;
    this.#ended = this.#clocks.monotonic() >= this.#until || this.#clocks.wall() >= this.#untilWall;
    return this.#ended;
  }

  /** Half of it is gone without a renewal: whatever is held is maybe lost. */
  get isDoubtful(): boolean {
    return this.#clocks.monotonic() >= this.#doubtful;
  }

  get left(): number {
    return this.#until - this.#clocks.monotonic();
  }
}
