export type ErrorCode =
  | 'aborted' // by the signal of the caller
  | 'timeout'
  | 'lost' // the lock or the term is lost, or may be
  | 'released' // by this process, before the call
  | 'left' // this process has left the group
  | 'broken' // the algorithm broke its contract, and this process left the group
  | 'unavailable' // the engine does not answer
  | 'conflict' // other members use another algorithm
  | 'fenced' // the resource has seen a higher fence
  | 'input'; // an argument of the call is wrong

/** Creates the error of an engine that fails for now. Whether the operation was carried out is unknown. */
export const unavailable = (message: string, cause?: unknown): BatonError =>
  new BatonError('unavailable', message, { definite: false, cause });

/** The error class of locks and elections. */
export class BatonError extends Error {
  override readonly name = 'BatonError';
  readonly code: ErrorCode;
  /** True if the operation certainly did not happen, and will not. */
  readonly definite: boolean;

  constructor(code: ErrorCode, message: string, options: { definite?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.definite = options.definite ?? true;
  }
}
