/**
 * A broken invariant: a bug in an algorithm or a host. The run stops.
 *
 * @example
 * import { AssertionError, encode } from 'batonjs/core';
 *
 * try {
 *   encode({ since: new Date(0) });
 * } catch (error) {
 *   if (!(error instanceof AssertionError)) throw error;
 *   console.log(error.message); // → 'a Date is not plain data'
 * }
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}

/** Throws an AssertionError. Hot paths call it directly, so that the message is built only when needed. */
export function fail(message: string): never {
  throw new AssertionError(message);
}

/**
 * A user's mistake. The message says what is wrong, where, and how to fix it. The command line exits with 2.
 *
 * @example
 * import { InputError, parseTrace } from 'batonjs/core';
 *
 * try {
 *   parseTrace('not a trace', 'run.trace');
 * } catch (error) {
 *   if (!(error instanceof InputError)) throw error;
 *   console.log(error.message); // → "run.trace is not a baton trace: it does not begin with 'baton trace 1'"
 * }
 */
export class InputError extends Error {
  override readonly name = 'InputError';
}
