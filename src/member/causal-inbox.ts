import type { Pid } from '../core/algorithm.ts';
import {
  type CausalOrder,
  causalOrder,
  deliver,
  mayDeliver,
  noneSent,
  type SentMatrix,
  send,
  sentRow,
} from '../core/causal-delivery.ts';

/** The matrix SENT of the sender, row by row, before it counted this message. Every message carries one. */
export type CausalStamp = readonly number[];

/** One member's end of the causal channels of one run. Holds back messages that arrive too early. */
export class CausalInbox<M> {
  readonly #n: number;
  readonly #me: Pid;
  readonly #order: CausalOrder;
  #early: { readonly sender: Pid; readonly ST: SentMatrix; readonly message: M }[] = [];

  constructor(n: number, me: Pid) {
    this.#n = n;
    this.#me = me;
    this.#order = causalOrder(noneSent(n));
  }

  /** Returns the stamp of a message to `to`, and counts the message as sent. */
  stampFor(to: Pid): CausalStamp {
    const stamp = this.#order.SENT.flatMap((row) => row.to);
    send(this.#order, this.#me, to);
    return stamp;
  }

  /** Messages that wait for earlier ones. */
  get early(): readonly { readonly sender: Pid; readonly message: M }[] {
    return this.#early;
  }

  isStamp(stamp: CausalStamp | null): stamp is CausalStamp {
    return stamp !== null && stamp.length === this.#n * this.#n;
  }

  /** Yields every message that this arrival makes deliverable, in delivery order. */
  *arrived(sender: Pid, stamp: CausalStamp, message: M): Generator<M> {
    this.#early.push({ sender, ST: this.#sentAt(sender, stamp), message });
    for (;;) {
      const next = this.#early.find(({ sender, ST }) => mayDeliver(this.#order, this.#me, sender, ST));
      if (next === undefined) return;
      this.#early = this.#early.filter((one) => one !== next);
      deliver(this.#order, this.#me, next.sender, next.ST);
      yield next.message;
    }
  }

  #sentAt(sender: Pid, stamp: CausalStamp): SentMatrix {
    const counted = stamp.with(sender * this.#n + this.#me, stamp[sender * this.#n + this.#me]! + 1);
    return Array.from({ length: this.#n }, (_, k) => sentRow(counted.slice(k * this.#n, (k + 1) * this.#n)));
  }
}
