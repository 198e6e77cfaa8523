import type { Message, Pid } from '../core/algorithm.ts';

/** How many messages of each process a message has in its causal past. */
type Stamp = Int32Array;

export type Stamped = { readonly stamp: Stamp; readonly from: Pid; readonly message: Message };

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

  sent(from: Pid, to: Pid, message: Message): Stamped {
    const clock = this.#clock[from]!;
    clock[from]! += 1;
    const channel = from * this.#n + to;
    const counts = this.#onTheWay.get(channel) ?? [];
    counts.push(clock[from]!);
    this.#onTheWay.set(channel, counts);
    return { stamp: clock.slice(), from, message };
  }

  mayDeliver({ stamp, from }: Stamped, to: Pid): boolean {
    for (let k = 0; k < this.#n; k += 1) {
      const oldest = this.#onTheWay.get(k * this.#n + to)?.[0];
      if (oldest !== undefined && (k === from ? oldest < stamp[k]! : oldest <= stamp[k]!)) return false;
    }
    return true;
  }

  delivered(sent: Stamped, to: Pid): void {
    this.lost(sent, to);
    const { stamp } = sent;
    const clock = this.#clock[to]!;
    for (let k = 0; k < this.#n; k += 1) clock[k] = Math.max(clock[k]!, stamp[k]!);
  }

  /** It will never arrive: nobody waits for it. */
  lost({ stamp, from }: Stamped, to: Pid): void {
    const channel = from * this.#n + to;
    const counts = this.#onTheWay.get(channel) ?? [];
    const index = counts.indexOf(stamp[from]!);
    if (index >= 0) counts.splice(index, 1); // not there: this is a copy of one that was delivered
    if (counts.length === 0) this.#onTheWay.delete(channel);
  }
}
