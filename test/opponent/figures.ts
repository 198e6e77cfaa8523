// What all runs together measure: the longest causal chain of messages and the sizes of messages, written from docs/reference/contract.md alone.

interface Range {
  least: number;
  most: number;
}

const wider = (range: Range | undefined, figure: number): Range => ({
  least: Math.min(range?.least ?? Infinity, figure),
  most: Math.max(range?.most ?? -Infinity, figure),
});

/** Collects figures while a model is explored. */
export class Figures {
  readonly #counted: readonly string[];
  longestChain = 0;
  shortestAtEnd = Infinity; // the longest chain of the run in which it is shortest
  readonly elements: Record<string, Range> = {}; // by type
  readonly bits: Record<string, Range> = {};

  /** `counted` are the types of messages that count in chains. */
  constructor(counted: readonly string[]) {
    this.#counted = counted;
  }

  /** Notes a message, and returns the length of the chain that it ends. */
  sent(text: string, before: number): number {
    const { type, ...fields } = JSON.parse(text) as { type: string };
    const leaves = leavesOf(fields);
    this.elements[type] = wider(this.elements[type], 1 + leaves.length);
    this.bits[type] = wider(
      this.bits[type],
      leaves.reduce<number>((sum, leaf) => sum + bitsIn(leaf), 0),
    );
    return before + (this.#counted.includes(type) ? 1 : 0);
  }

  /** Notes a state, by the chains that end at its processes. */
  reached(chains: readonly number[]): void {
    this.longestChain = Math.max(this.longestChain, ...chains);
  }

  /** Notes the end of a run. */
  ended(chains: readonly number[]): void {
    this.shortestAtEnd = Math.min(this.shortestAtEnd, Math.max(...chains));
  }
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

function bitsIn(leaf: unknown): number {
  if (typeof leaf === 'string') return 16 * leaf.length;
  if (typeof leaf !== 'number') return 1;
  return Number.isInteger(leaf) && leaf >= 0 ? leaf.toString(2).length : 64;
}
