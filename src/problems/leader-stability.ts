/** A run of a perpetual election ends when all living processes have followed the same living leader for this many longest message delays. */
export const stableFor = 50;

/** Otherwise it ends this many longest message delays after the last fault or start of the scenario, and is violated. */
export const stableWithin = 1000;

/** Says whether a perpetual election has settled on one leader. Times are in ticks. */
export class LeaderStability {
  readonly #longestDelay: number;
  #undisturbedFrom: number;
  #leader: number | null = null;
  #since = 0;

  /** @param undisturbedFrom the time after which the scenario has no more faults and starts */
  constructor(longestDelay: number, undisturbedFrom: number) {
    this.#longestDelay = longestDelay;
    this.#undisturbedFrom = undisturbedFrom;
  }

  /** Something happens that the scenario does not have. */
  disturbed(now: number): void {
    this.#undisturbedFrom = Math.max(this.#undisturbedFrom, now);
  }

  /** @param leader the living leader that all living processes follow from now on; null if there is none */
  follow(leader: number | null, now: number): void {
    if (leader === this.#leader) return;
    this.#leader = leader;
    this.#since = now;
  }

  /** The time from which all living processes have followed the same living leader; null if they do not. */
  get since(): number | null {
    return this.#leader === null ? null : this.#since;
  }

  /** True if the leader has stayed long enough, or if there is still none after the time that it may take. */
  isOver(now: number): boolean {
    if (this.#leader === null) return now > this.#undisturbedFrom + stableWithin * this.#longestDelay;
    return now >= Math.max(this.#since, this.#undisturbedFrom) + stableFor * this.#longestDelay;
  }
}
