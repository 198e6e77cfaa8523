import type { Pid } from '../core/algorithm.ts';
import { AssertionError } from '../core/assert.ts';

/** Why a step failed; the same in every host. */
export interface StepFailure {
  /** The property that the step broke. */
  readonly property: 'the contract is kept' | 'the handlers do not fail';
  /** Where, and the message of what was thrown. */
  readonly why: string;
}

/**
 * Returns the failure for what a step threw.
 * @example
 * import { stepFailure } from 'batonjs/machine';
 *
 * const { property, why } = stepFailure(new TypeError('s.queue is null'), 2);
 * property; // → 'the handlers do not fail'
 * why; // → 'at process 2: s.queue is null'
 */
export function stepFailure(thrown: unknown, process: Pid): StepFailure {
  const breaksContract = thrown instanceof AssertionError;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    property: breaksContract ? 'the contract is kept' : 'the handlers do not fail',
    why: `at process ${process}: ${why}`,
  };
}
