// The options of public methods. Arguments are validated at run time, because callers that use JavaScript have no type checker.
import { BatonError } from '../errors.ts';

/** Options of calls that can be aborted. */
export interface SignalOptions {
  /** Ends the wait when it aborts. Defaults to none. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of calls that wait. */
export interface WaitOptions extends SignalOptions {
  /** The longest wait, in milliseconds. Defaults to no limit. */
  readonly timeoutMs?: number | undefined;
}

/** Options of {@link Group.lock}, {@link Group.tryLock} and {@link Group.lockAll}. */
export interface LockOptions extends WaitOptions {
  /** The algorithm of this lock. Every process must name the same one. Defaults to the algorithm of the group. */
  readonly algorithm?: string | undefined;
}

const longestName = 200;

/** Checks the name of a lock or an election. */
export function checkName(name: unknown): asserts name is string {
  if (typeof name === 'string' && name.length > 0 && name.length <= longestName && name.charCodeAt(0) >= 32)
    return;
  throw new BatonError(
    'input',
    `a name has 1 to ${longestName} characters and does not begin with a control character, not ${describeValue(name)}`,
  );
}

/** Engines use the name in keys, and some refuse control characters or unpaired surrogates there. */
export function checkGroupName(name: unknown): asserts name is string {
  if (
    typeof name === 'string' &&
    name.length > 0 &&
    name.length <= longestName &&
    !/[\p{Cc}\p{Cs}]/u.test(name)
  )
    return;
  throw new BatonError(
    'input',
    `a group's name has 1 to ${longestName} characters, none of them a control character, not ${describeValue(name)}`,
  );
}

export function checkNames(names: unknown): asserts names is readonly string[] {
  if (!Array.isArray(names)) throw new BatonError('input', `names are an array, not ${describeValue(names)}`);
  for (const name of names) checkName(name);
}

export function checkOptions(options: unknown): asserts options is object {
  if (typeof options === 'object' && options !== null) return;
  throw new BatonError(
    'input',
    `options are an object, like { timeoutMs: 2000 }, not ${describeValue(options)}`,
  );
}

export function checkWaitOptions({ signal, timeoutMs }: WaitOptions): void {
  if (signal !== undefined) checkSignal(signal);
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs >= 0)) return;
  throw new BatonError(
    'input',
    `timeoutMs is a number of milliseconds, like 2000, or Infinity, not ${describeValue(timeoutMs)}`,
  );
}

export function checkSignal(signal: unknown): asserts signal is AbortSignal {
  const { aborted, addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return;
  throw new BatonError('input', `signal is an AbortSignal, not ${describeValue(signal)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).slice(0, 50);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
