// What ends a run early.
import type { Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { stepFailure } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';

/** Wraps what a handler threw, to tell it from what a watcher throws. */
export class HandlerFailure extends Error {}

/** In a watched run only a HandlerFailure comes from the algorithm; anything else came from a watcher and is rethrown. */
export function failureOf(error: unknown, isWatched: boolean, process: Pid): Violation {
  if (isWatched && !(error instanceof HandlerFailure)) throw error;
  const thrown = error instanceof HandlerFailure ? error.cause : error;
  if (thrown instanceof InputError) throw thrown; // the user's mistake, not the algorithm's
  return stepFailure(thrown, process);
}

export const limitExceeded = (events: number, isSettled: boolean): Violation => ({
  property: 'the run ends',
  why: `it goes on after ${events} events${isSettled ? '' : ', and is not legitimate'}`,
});
