// Measures how long a process went without a lock that it takes again and again, from the log of its grants.
import { columns, type Window } from './judge.js';

/** Merges the pieces of the log of one process. Returns when the lock was granted. */
export function grantsIn(pieces: readonly Float64Array[]): number[] {
  const grants: number[] = [];
  for (const log of pieces) for (let at = 0; at < log.length; at += columns) grants.push(log[at + 1]!);
  return grants;
}

/**
 * Returns the longest time, in milliseconds, between two successive grants of which a part lies in the window. NaN if the grants do not
 * reach over the window.
 */
export function longestGap(grants: readonly number[], { from, to }: Window): number {
  if (!(grants[0]! <= from && grants.at(-1)! >= to)) return Number.NaN;
  let longest = 0;
  for (let k = 1; k < grants.length; k += 1)
    if (grants[k]! >= from && grants[k - 1]! <= to) longest = Math.max(longest, grants[k]! - grants[k - 1]!);
  return longest / 1e6;
}
