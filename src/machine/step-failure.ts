import type { Pid } from '../core/algorithm.ts';
import { AssertionError } from '../core/assert.ts';

/** Why a step did not come to its end, as every host tells it. */
export interface StepFailure {
  readonly property: 'the contract is kept' | 'the handlers do not fail';
  readonly why: string;
}

/** What to say of what a step threw. */
export function stepFailure(thrown: unknown, process: Pid): StepFailure {
  const isBreach = thrown instanceof AssertionError;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    property: isBreach ? 'the contract is kept' : 'the handlers do not fail',
    why: `at process ${process}: ${why}`,
  };
}
