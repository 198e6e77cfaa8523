import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';

/** Virtual time ends here: an event at this time or later never happens. */
export const never = Number.MAX_SAFE_INTEGER;

export function checkPosition(process: number, n: number, what: string): Pid {
  if (!Number.isInteger(process) || process < 0 || process >= n) {
    throw new InputError(`${what}: there is no process ${process}; positions are 0 to ${n - 1}`);
  }
  return process;
}

export function checkWhole(value: number, what: string, min: number, max = never - 1): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    const isTooLarge = value > max || value > Number.MAX_SAFE_INTEGER;
    const range = `${min >= 0 ? ` from ${min}` : ''}${max < never - 1 || isTooLarge ? ` to ${max}` : ''}`;
    throw new InputError(`${what} must be a whole number${range}, not ${value}`);
  }
  return value;
}
