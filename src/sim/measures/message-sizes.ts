import type { Message } from '../../core/algorithm.ts';
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
    const size = { elements: 1, bits: 0 }; // the type is an element
    for (const field in message) if (field !== 'type') measure((message as never)[field], size);
    this.#elements[kind]!.add(size.elements);
    this.#bits[kind]!.add(size.bits);
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

/** Adds the size of a value: lists and objects count by what is in them, absence takes one bit, a text 16 for each character. */
function measure(value: unknown, size: { elements: number; bits: number }): void {
  if (Array.isArray(value)) for (const one of value) measure(one, size);
  else if (typeof value === 'object' && value !== null)
    for (const field in value) measure((value as never)[field], size);
  else {
    size.elements += 1;
    size.bits += bitsOf(value);
  }
}

const bitsPerCharacter = 16;

/** Returns the length of a number in binary; fractions and negative numbers take 64 bits. */
function bitsOf(value: unknown): number {
  if (typeof value === 'string') return bitsPerCharacter * value.length;
  if (typeof value !== 'number') return 1;
  if (!Number.isSafeInteger(value) || value < 0) return 64;
  return value < 2 ** 32 ? Math.max(1, 32 - Math.clz32(value)) : 32 + bitsOf(Math.floor(value / 2 ** 32));
}
