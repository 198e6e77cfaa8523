import type { Pid } from '../core/algorithm.ts';

/** How many messages of each process a message has in its causal past. */
export type Stamp = Int32Array;

/**
 * Causal delivery: of two messages to the same process, one sent before the other in the sense of happened-before is
 * delivered first. Vector clocks count sends; a message waits while an earlier one to the same receiver is on its way.
 */
export class CausalOrder {
  readonly #n: number;
  readonly #clock: Stamp[];
  readonly #onTheWay = new Map<number, number[]>(); // by channel: the sender's send counts, oldest first

  constructor(n: number) {
    this.#n = n;
    this.#clock = Array.from({ length: n }, () => new Int32Array(n));
  }

  sent(from: Pid, to: Pid): Stamp {
    const clock = this.#clock[from]!;
    clock[from]! += 1;
    const channel = from * this.#n + to;
    const counts = this.#onTheWay.get(channel) ?? [];
    counts.push(clock[from]!);
    this.#onTheWay.set(channel, counts);
    return clock.slice();
  }

  mayDeliver(stamp: Stamp, from: Pid, to: Pid): boolean {
    for (let k = 0; k < this.#n; k += 1) {
      const oldest = this.#onTheWay.get(k * this.#n + to)?.[0];
      if (oldest !== undefined && (k === from ? oldest < stamp[k]! : oldest <= stamp[k]!)) return false;
    }
    return true;
  }

  delivered(stamp: Stamp, from: Pid, to: Pid): void {
    this.lost(stamp, from, to);
    const clock = this.#clock[to]!;
    for (let k = 0; k < this.#n; k += 1) clock[k] = Math.max(clock[k]!, stamp[k]!);
  }

  /** It will never arrive: nobody waits for it. */
  lost(stamp: Stamp, from: Pid, to: Pid): void {
    const channel = from * this.#n + to;
    const counts = this.#onTheWay.get(channel) ?? [];
    const index = counts.indexOf(stamp[from]!);
    if (index >= 0) counts.splice(index, 1); // not there: this is a copy of one that was delivered
    if (counts.length === 0) this.#onTheWay.delete(channel);
  }
}
