import type { Message } from '../../core/algorithm.ts';
import { messageSize } from '../../core/message-measures.ts';
import { type Spread, SpreadCounter } from './spread.ts';

const exactUpTo = 1_000_000; // messages; of later ones a sample is measured
const sampleEvery = 64;

/** The sizes of the messages of a run, by kind. */
export class MessageSizes {
  #elements: readonly SpreadCounter[];
  #bits: readonly SpreadCounter[];
  #seen = 0;
  #measured = 0;

  constructor(kinds: number) {
    this.#elements = Array.from({ length: kinds }, () => new SpreadCounter());
    this.#bits = Array.from({ length: kinds }, () => new SpreadCounter());
  }

  copy(): MessageSizes {
    const copy = new MessageSizes(0);
    copy.#elements = this.#elements.map((counter) => counter.copy());
    copy.#bits = this.#bits.map((counter) => counter.copy());
    copy.#seen = this.#seen;
    copy.#measured = this.#measured;
    return copy;
  }

  get isSampled(): boolean {
    return this.#seen > exactUpTo;
  }

  add(kind: number, message: Message): void {
    this.#seen += 1;
    if (this.#seen > exactUpTo && this.#seen % sampleEvery !== 0) return;
    this.#measured += 1;
    const { elements, bits } = messageSize(message);
    this.#elements[kind]!.add(elements);
    this.#bits[kind]!.add(bits);
  }

  /** Estimated from the sample if there is one. */
  get totalBits(): number {
    const bits = this.#bits.reduce((sum, counter) => sum + counter.sum, 0);
    return this.isSampled ? (bits * this.#seen) / this.#measured : bits;
  }

  elements(kinds: readonly string[]): Record<string, Spread> {
    return byKind(kinds, this.#elements);
  }

  bits(kinds: readonly string[]): Record<string, Spread> {
    return byKind(kinds, this.#bits);
  }
}

/** Kinds that were not sent are missing. */
const byKind = (kinds: readonly string[], counters: readonly SpreadCounter[]): Record<string, Spread> =>
  Object.fromEntries(kinds.flatMap((kind, k) => (counters[k]!.spread ? [[kind, counters[k]!.spread]] : [])));
