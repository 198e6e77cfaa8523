// M. Raynal, A. Schiper, S. Toueg: The Causal Ordering Abstraction and a Simple Way to Implement It. Information Processing Letters
// 39(6):343-350, 1991. SENT[k][l] is how many messages from k to l we know of, DELIV[k] how many from k were delivered here.
import type { Pid } from '../core/algorithm.ts';

/** What a message carries: SENT at its sender, row by row. */
export type Stamp = readonly number[];

export class CausalOrder<M> {
  readonly #n: number;
  readonly #me: Pid;
  readonly #sent: number[];
  readonly #delivered: number[];
  #early: { readonly sender: Pid; readonly stamp: Stamp; readonly message: M }[] = [];

  constructor(n: number, me: Pid) {
    this.#n = n;
    this.#me = me;
    this.#sent = Array(n * n).fill(0);
    this.#delivered = Array(n).fill(0);
  }

  /** The stamp for a message that is sent now. */
  sending(to: Pid): Stamp {
    const stamp = [...this.#sent];
    this.#sent[this.#me * this.#n + to]! += 1;
    return stamp;
  }

  isStamp(stamp: Stamp | null): stamp is Stamp {
    return stamp !== null && stamp.length === this.#n * this.#n;
  }

  /** What can be delivered now that this has arrived, in the order in which it is to be. */
  *arrived(sender: Pid, stamp: Stamp, message: M): Generator<M> {
    this.#early.push({ sender, stamp, message });
    for (;;) {
      const next = this.#early.find((one) => this.#isDue(one.stamp));
      if (next === undefined) return;
      this.#early = this.#early.filter((one) => one !== next);
      this.#deliver(next.sender, next.stamp);
      yield next.message;
    }
  }

  #isDue(stamp: Stamp): boolean {
    return this.#delivered.every((count, k) => count >= stamp[k * this.#n + this.#me]!);
  }

  #deliver(sender: Pid, stamp: Stamp): void {
    this.#delivered[sender]! += 1;
    for (let i = 0; i < stamp.length; i += 1) this.#sent[i] = Math.max(this.#sent[i]!, stamp[i]!);
    const fromSender = sender * this.#n + this.#me;
    this.#sent[fromSender] = Math.max(this.#sent[fromSender]!, stamp[fromSender]! + 1);
  }
}
