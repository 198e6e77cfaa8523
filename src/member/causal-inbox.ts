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
import { retainedBytes } from './retained-bytes.ts';

/** The matrix SENT of the sender, row by row, before it counted this message. Every message carries one. */
export type CausalStamp = readonly number[];

/** Limits what is held back for each sender. */
export interface CausalBudget {
  take(sender: Pid, bytes: number): boolean;
  give(sender: Pid, bytes: number): void;
}

interface EarlyArrival<M> {
  readonly sender: Pid;
  readonly ST: SentMatrix;
  readonly message: M;
  readonly bytes: number;
}

/** One member's end of the causal channels of one run. Holds back messages that arrive too early. */
export class CausalInbox<M> {
  readonly #n: number;
  readonly #me: Pid;
  readonly #order: CausalOrder;
  readonly #budget: CausalBudget;
  readonly #arrived: number[]; // messages, by sender
  #early: EarlyArrival<M>[] = [];

  constructor(n: number, me: Pid, budget: CausalBudget) {
    this.#n = n;
    this.#me = me;
    this.#order = causalOrder(noneSent(n));
    this.#budget = budget;
    this.#arrived = Array<number>(n).fill(0);
  }

  /** @internal */
  inspectState() {
    return { order: this.#order, early: this.#early };
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

  /** Takes a message; `due` then yields what it makes deliverable. Returns false if its stamp is wrong, or if too much is held back. */
  arrive(sender: Pid, stamp: CausalStamp | null, message: M): boolean {
    if (stamp === null || !this.#isPossible(sender, stamp)) return false;
    const ST = this.#sentAt(sender, stamp);
    const isDue = mayDeliver(this.#order, this.#me, sender, ST);
    const bytes = isDue ? 0 : retainedBytes(message);
    if (!isDue && !this.#budget.take(sender, bytes)) return false;
    this.#arrived[sender]! += 1;
    this.#early.push({ sender, ST, message, bytes });
    return true;
  }

  /** Yields every message that can be delivered, in delivery order. */
  *due(): Generator<M> {
    for (;;) {
      const next = this.#early.find(({ sender, ST }) => mayDeliver(this.#order, this.#me, sender, ST));
      if (next === undefined) return;
      this.#early = this.#early.filter((one) => one !== next);
      if (next.bytes > 0) this.#budget.give(next.sender, next.bytes);
      deliver(this.#order, this.#me, next.sender, next.ST);
      yield next.message;
    }
  }

  /** The channel is FIFO, so the sender's count of messages to us is known. Nobody knows of messages that we have not sent. */
  #isPossible(sender: Pid, stamp: CausalStamp): boolean {
    if (stamp.length !== this.#n ** 2) return false;
    const mine = this.#order.SENT[this.#me]!.to;
    const claimed = this.#me * this.#n;
    for (let to = 0; to < this.#n; to += 1) if (stamp[claimed + to]! > mine[to]!) return false;
    return stamp[sender * this.#n + this.#me] === this.#arrived[sender];
  }

  #sentAt(sender: Pid, stamp: CausalStamp): SentMatrix {
    const counted = stamp.with(sender * this.#n + this.#me, stamp[sender * this.#n + this.#me]! + 1);
    return Array.from({ length: this.#n }, (_, k) => sentRow(counted.slice(k * this.#n, (k + 1) * this.#n)));
  }
}
