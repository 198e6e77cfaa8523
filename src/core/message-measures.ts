// What bounds measure of messages. The simulator and the checker share these definitions.
import type { AnyAlgorithm, Message } from './algorithm.ts';

/** The size of one message. */
export interface MessageSize {
  readonly elements: number; // fields, the type among them, with the entries of lists counted one by one
  readonly bits: number; // of all fields but the type
}

/** Returns the size of a message. Lists and objects count by what is in them, absence takes one bit, a text 16 for each character. */
export function messageSize(message: Message): MessageSize {
  const size = { elements: 1, bits: 0 }; // the type is an element
  for (const field in message) if (field !== 'type') measure((message as never)[field], size);
  return size;
}

function measure(value: unknown, size: { elements: number; bits: number }): void {
  if (Array.isArray(value)) for (const one of value) measure(one, size);
  else if (typeof value === 'object' && value !== null)
    for (const field in value) measure((value as never)[field], size);
  else {
    size.elements += 1;
    size.bits += bitLength(value);
  }
}

const bitsPerCharacter = 16;

/** Returns the length of a number in binary; fractions and negative numbers take 64 bits. */
function bitLength(value: unknown): number {
  if (typeof value === 'string') return bitsPerCharacter * value.length;
  if (typeof value !== 'number') return 1;
  if (!Number.isSafeInteger(value) || value < 0) return 64;
  return value < 2 ** 32 ? Math.max(1, 32 - Math.clz32(value)) : 32 + bitLength(Math.floor(value / 2 ** 32));
}

/** Says whether messages of a kind count as hops of the token: the kinds that a bound on hops counts. Without such a bound, hops are not measured. */
export const countsAsHop = ({ bounds }: Pick<AnyAlgorithm, 'bounds'>, kind: string): boolean =>
  bounds.some(({ measures, counts }) => measures === 'tokenHops' && counts.includes(kind));

/** Says whether messages of a kind count in causal chains: the kinds that the bound on chains counts; all if the algorithm declares none. */
export function countsInChains({ bounds }: Pick<AnyAlgorithm, 'bounds'>, kind: string): boolean {
  const counts: readonly string[] | undefined = bounds.find(({ measures }) => measures === 'chain')?.counts;
  return counts === undefined || counts.includes(kind);
}
