/** A broken invariant: a bug in an algorithm or a host. The run stops. */
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

/** A user's mistake. The message says what is wrong, where, and how to fix it. The command line exits with 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
