import type { Message } from '../../core/algorithm.ts';
import { messageSize } from '../../core/message-measures.ts';
import { type Spread, SpreadCounter } from './spread.ts';

const exactUpTo = 1_000_000; // messages; of later ones a sample is measured
const sampleEvery = 64;

/** The sizes of the messages of a run, by kind. */
export class MessageSizes {
  readonly #elements: readonly SpreadCounter[];
  readonly #bits: readonly SpreadCounter[];
  #seen = 0;

  constructor(kinds: number) {
    this.#elements = Array.from({ length: kinds }, () => new SpreadCounter());
    this.#bits = Array.from({ length: kinds }, () => new SpreadCounter());
  }

  get isSampled(): boolean {
    return this.#seen > exactUpTo;
  }

  add(kind: number, message: Message): void {
    this.#seen += 1;
    if (this.#seen > exactUpTo && this.#seen % sampleEvery !== 0) return;
    const { elements, bits } = messageSize(message);
    this.#elements[kind]!.add(elements);
    this.#bits[kind]!.add(bits);
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
