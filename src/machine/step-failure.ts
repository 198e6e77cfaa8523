import type { Pid } from '../core/algorithm.ts';
import { AssertionError } from '../core/assert.ts';

/** Why a step failed; the same in every host. */
export interface StepFailure {
  readonly property: 'the contract is kept' | 'the handlers do not fail';
  readonly why: string;
}

/** The failure for what a step threw. */
export function stepFailure(thrown: unknown, process: Pid): StepFailure {
  const breaksContract = thrown instanceof AssertionError;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    property: breaksContract ? 'the contract is kept' : 'the handlers do not fail',
    why: `at process ${process}: ${why}`,
  };
}
