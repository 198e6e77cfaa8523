export type ErrorCode =
  | 'aborted' // by the caller's signal
  | 'timeout'
  | 'lost' // the lock or the term, or it may be
  | 'released' // by us, before
  | 'left' // the group
  | 'broken' // the algorithm broke its contract: the group has been left
  | 'unavailable' // the engine
  | 'conflict' // others in the group use another algorithm
  | 'fenced' // the resource has seen a higher fence
  | 'input'; // the call itself is wrong

/** Of an engine, for now: whether what was asked of it was done is not known. */
export const unavailable = (message: string, cause?: unknown): BatonError =>
  new BatonError('unavailable', message, { definite: false, cause });

/** The one error of locks and elections. */
export class BatonError extends Error {
  override readonly name = 'BatonError';
  readonly code: ErrorCode;
  /** Whether what was asked for certainly did not happen, and will not. */
  readonly definite: boolean;

  constructor(code: ErrorCode, message: string, options: { definite?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.definite = options.definite ?? true;
  }
}
