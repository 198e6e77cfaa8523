// M. Raynal, A. Schiper, S. Toueg: The Causal Ordering Abstraction and a Simple Way to Implement It. Information Processing Letters
// 39(6):343-350, 1991. SENT[k][l] is how many messages from k to l one knows of, DELIV[k] how many from k were delivered here.
// A message carries SENT with itself counted; the paper counts it afterwards. So row k is always one that k itself once had: of two such
// rows the maximum is the later one, and a row that nobody changes need not be copied.
import type { Pid } from './algorithm.ts';

/** What one process has sent to each. */
interface SentRow {
  readonly to: readonly number[];
  readonly total: number;
}

/** What a message carries. */
export type SentMatrix = readonly SentRow[];

/** What a process keeps. */
export interface CausalOrder {
  SENT: SentMatrix;
  readonly DELIV: number[];
}

export const sentRow = (to: readonly number[]): SentRow => ({ to, total: to.reduce((a, b) => a + b, 0) });

export const noneSent = (n: number): SentMatrix => Array(n).fill(sentRow(Array(n).fill(0)));

export const causalOrder = (SENT: SentMatrix): CausalOrder => ({ SENT, DELIV: Array(SENT.length).fill(0) });

/** Process i sends to j. */
export function send(order: CausalOrder, i: Pid, j: Pid): SentMatrix {
  const { to, total } = order.SENT[i]!;
  order.SENT = order.SENT.with(i, { to: to.with(j, to[j]! + 1), total: total + 1 });
  return order.SENT;
}

/** A message from j may be delivered to i: nothing that was sent to i before it is still to come. */
export function mayDeliver({ DELIV }: CausalOrder, i: Pid, j: Pid, ST: SentMatrix): boolean {
  for (let k = 0; k < ST.length; k += 1) {
    const count = ST[k]!.to[i]!;
    if (DELIV[k]! < (k === j ? count - 1 : count)) return false;
  }
  return true;
}

/** It is delivered; if that happened before, nothing changes. */
export function deliver(order: CausalOrder, i: Pid, j: Pid, ST: SentMatrix): void {
  skip(order, i, j, ST);
  order.SENT = order.SENT.map((row, k) => (row.total < ST[k]!.total ? ST[k]! : row));
}

/** It counts as delivered, but will never be: nobody has to wait for it. */
export function skip({ DELIV }: CausalOrder, i: Pid, j: Pid, ST: SentMatrix): void {
  DELIV[j] = Math.max(DELIV[j]!, ST[j]!.to[i]!);
}
