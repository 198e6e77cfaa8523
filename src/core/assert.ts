/** A broken invariant: a bug in an algorithm or a host. The run stops; nothing catches it to go on. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}

/** For hot paths, where the message should be made only when it is needed. */
export function fail(message: string): never {
  throw new AssertionError(message);
}

/** A user's mistake: one sentence that says what, where and what to do. The command line exits with 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
