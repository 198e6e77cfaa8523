const leasesToLast = 1.5; // a member that is put out sooner after it has come back relapses
const firstPauseFraction = 0.02; // of a lease

/** How long a member waits before it comes back. On an overloaded machine, members that come back at once put others out. */
export class Relapses {
  readonly #leaseMs: number;
  #rejoinedAt = -Infinity;
  #count = 0; // in a row

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  rejoined(): void {
    this.#rejoinedAt = performance.now();
  }

  /** Returns a random time: 0 unless it has relapsed, and longer with each relapse. */
  pauseMs(): number {
    const isRelapse = performance.now() < this.#rejoinedAt + leasesToLast * this.#leaseMs;
    this.#count = isRelapse ? this.#count + 1 : 0;
    return isRelapse ? Math.random() * Math.min(2 ** this.#count * firstPauseFraction, 1) * this.#leaseMs : 0;
  }
}
