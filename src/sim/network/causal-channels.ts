import type { Message, Pid } from '../../core/algorithm.ts';
import {
  type CausalOrder,
  causalOrder,
  deliver,
  mayDeliver,
  noneSent,
  type SentMatrix,
  send,
  skip,
} from '../../core/causal-delivery.ts';

export type StampedMessage = { readonly ST: SentMatrix; readonly from: Pid; readonly message: Message };

/** Causal channels between all processes. The network knows which messages it has lost, so no process waits for them. */
export class CausalChannels {
  readonly #orders: readonly CausalOrder[];
  readonly #lost = new Map<Pid, readonly StampedMessage[]>(); // lost messages that an earlier one in flight still precedes

  constructor(n: number) {
    const none = noneSent(n);
    this.#orders = Array.from({ length: n }, () => causalOrder(none));
  }

  sent(from: Pid, to: Pid, message: Message): StampedMessage {
    return { ST: send(this.#orders[from]!, from, to), from, message };
  }

  mayDeliver({ ST, from }: StampedMessage, to: Pid): boolean {
    return mayDeliver(this.#orders[to]!, to, from, ST);
  }

  delivered({ ST, from }: StampedMessage, to: Pid): void {
    deliver(this.#orders[to]!, to, from, ST);
    this.#skip(to, this.#lost.get(to));
  }

  /** Marks a message that will never arrive. */
  lost(sent: StampedMessage, to: Pid): void {
    this.#skip(to, [...(this.#lost.get(to) ?? []), sent]);
  }

  #skip(to: Pid, lost: readonly StampedMessage[] | undefined): void {
    if (lost === undefined) return;
    let left = lost;
    for (;;) {
      const next = left.find((sent) => this.mayDeliver(sent, to));
      if (next === undefined) break;
      skip(this.#orders[to]!, to, next.from, next.ST);
      left = left.filter((sent) => sent !== next);
    }
    if (left.length > 0) this.#lost.set(to, left);
    else this.#lost.delete(to);
  }
}
