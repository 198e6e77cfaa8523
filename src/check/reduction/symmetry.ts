import type { Pid } from '../../core/algorithm.ts';
import type { Violation } from '../../problems/monitor.ts';

/** Replaces n numbers by their smallest rotation, in lexical order, which stands for all of them. `twice` has room for 2n. */
export function canonicalRotation(numbers: Int32Array, offset: number, n: number, twice: Int32Array): void {
  for (let k = 0; k < n; k += 1) {
    twice[k] = numbers[offset + k]!;
    twice[n + k] = numbers[offset + k]!;
  }
  let best = 0;
  for (let start = 1; start < n; start += 1) {
    let k = 0;
    while (k < n && twice[start + k] === twice[best + k]) k += 1;
    if (k < n && twice[start + k]! < twice[best + k]!) best = start;
  }
  for (let k = 0; k < n; k += 1) numbers[offset + k] = twice[best + k]!;
}

/** On a symmetric ring the violation names process 0, whichever process takes the step. */
export const renameProcess = (process: Pid, { property, why }: Violation): Violation => ({
  property,
  why: why.replace(/\b(process|leader) 0\b/g, `$1 ${process}`),
});
