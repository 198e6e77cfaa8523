import { AssertionError, InputError } from '../core/assert.ts';

/**
 * Why an operation failed:
 *
 * - `aborted`: the signal of the caller aborted.
 * - `timeout`: the lock was not free in time.
 * - `lost`: the lock or the term is lost, or may be.
 * - `released`: this process had released the lock before the call.
 * - `left`: this process has left the group, or lost the lock or the term by leaving.
 * - `broken`: the algorithm broke its contract, and this process left the group.
 * - `unavailable`: the engine or a member does not answer, or this process is outside the group and its attempt to rejoin fails.
 * - `conflict`: other members use another algorithm.
 * - `fenced`: the resource has seen a higher fence.
 * - `input`: an argument of the call is wrong.
 */
export type ErrorCode =
  | 'aborted'
  | 'timeout'
  | 'lost'
  | 'released'
  | 'left'
  | 'broken'
  | 'unavailable'
  | 'conflict'
  | 'fenced'
  | 'input';

/** Creates the error of an engine that fails for now. Whether the operation was carried out is unknown. */
export const unavailable = (message: string, cause?: unknown): BatonError =>
  new BatonError('unavailable', message, { definite: false, cause });

/**
 * The error class of locks and elections.
 *
 * @example
 * import { BatonError, join } from 'batonjs';
 *
 * const group = await join('orders');
 * const lock = await group.lock('invoice-42');
 * try {
 *   await group.lock('invoice-42', { timeoutMs: 10 });
 * } catch (error) {
 *   if (!(error instanceof BatonError)) throw error;
 *   console.log(error.code); // → 'timeout'
 * }
 * await group.leave();
 */
export class BatonError extends Error {
  override readonly name = 'BatonError';
  /** The reason, for programs. The message has it for people. */
  readonly code: ErrorCode;
  /** True if the operation certainly did not happen, and will not. */
  readonly definite: boolean;

  /** Creates an error, for example in a stand-in for a group. `definite` defaults to true. */
  constructor(code: ErrorCode, message: string, options: { definite?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.definite = options.definite ?? true;
  }
}

const bugs = [TypeError, RangeError, ReferenceError, SyntaxError, AssertionError];

const systemReasons: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many open files; raise its limit (ulimit -n)',
  ENFILE: 'this machine has too many open files',
  ENOSPC: 'the disk is full',
};

/** Returns the reason for an error of the system, for people. */
export function systemReason(error: unknown): string {
  const { code = '', message = String(error) } = Object(error) as NodeJS.ErrnoException;
  return systemReasons[code] ?? (message || code);
}

/**
 * Turns an error of the system, of a client package or of a check of input into a BatonError. `action` says what failed. Errors that only a
 * bug can cause stay as they are: a code that stands for a circumstance would hide them.
 */
export function toBatonError(error: unknown, action: string): unknown {
  if (error instanceof BatonError || bugs.some((bug) => error instanceof bug)) return error;
  if (error instanceof InputError) return new BatonError('input', error.message, { cause: error });
  return unavailable(`${action} failed: ${systemReason(error)}`, error);
}
