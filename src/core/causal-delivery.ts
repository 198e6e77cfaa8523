// M. Raynal, A. Schiper, S. Toueg: The Causal Ordering Abstraction and a Simple Way to Implement It. Information Processing Letters
// 39(6):343-350, 1991. SENT[k][l] counts the known messages from k to l, DELIV[k] the messages from k delivered here.
// A message carries SENT including itself; the paper counts it afterwards. So row k is always one that process k once had: the maximum of
// two such rows is the later one, and an unchanged row need not be copied.
import type { Pid } from './algorithm.ts';

/** How many messages one process has sent to each. */
interface SentRow {
  readonly to: readonly number[];
  readonly total: number;
}

/** The matrix that a message carries. */
export type SentMatrix = readonly SentRow[];

/** The variables of a process. */
export interface CausalOrder {
  SENT: SentMatrix;
  readonly DELIV: number[];
}

export const sentRow = (to: readonly number[]): SentRow => ({ to, total: to.reduce((a, b) => a + b, 0) });

export const noneSent = (n: number): SentMatrix => Array(n).fill(sentRow(Array(n).fill(0)));

export const causalOrder = (SENT: SentMatrix): CausalOrder => ({ SENT, DELIV: Array(SENT.length).fill(0) });

/** Process i sends to j. Returns the matrix for the message. */
export function send(order: CausalOrder, i: Pid, j: Pid): SentMatrix {
  const { to, total } = order.SENT[i]!;
  order.SENT = order.SENT.with(i, { to: to.with(j, to[j]! + 1), total: total + 1 });
  return order.SENT;
}

/** Whether a message from j may be delivered to i: every message sent to i before it has been delivered. */
export function mayDeliver({ DELIV }: CausalOrder, i: Pid, j: Pid, ST: SentMatrix): boolean {
  for (let k = 0; k < ST.length; k += 1) {
    const count = ST[k]!.to[i]!;
    if (DELIV[k]! < (k === j ? count - 1 : count)) return false;
  }
  return true;
}

/** Delivers a message. Delivering it again changes nothing. */
export function deliver(order: CausalOrder, i: Pid, j: Pid, ST: SentMatrix): void {
  skip(order, i, j, ST);
  order.SENT = order.SENT.map((row, k) => (row.total < ST[k]!.total ? ST[k]! : row));
}

/** Counts a lost message as delivered, so that no later message waits for it. */
export function skip({ DELIV }: CausalOrder, i: Pid, j: Pid, ST: SentMatrix): void {
  DELIV[j] = Math.max(DELIV[j]!, ST[j]!.to[i]!);
}
