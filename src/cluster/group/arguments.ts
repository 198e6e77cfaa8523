// The options of public methods. Arguments are validated at run time, because callers that use JavaScript have no type checker.
import { nearest, optionNames, unknownOption } from '../../core/did-you-mean.ts';
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

/** Options of {@link Group.election}. */
export interface ElectionOptions {
  /**
   * The election algorithm that chooses the leader among the candidates, like `chang-roberts`. Every process must name the same one, or
   * none. Defaults to none: the candidate with the highest priority leads. See [elections by algorithm](docs/locks.md#elections-by-algorithm).
   *
   * @example
   * import { join } from 'batonjs';
   *
   * await using group = await join('reports', { priority: 2 });
   * const election = group.election('scheduler', { algorithm: 'chang-roberts' });
   * for await (const term of election.terms()) {
   *   console.log(election.leader?.term === term.fence); // → true
   *   break; // resigns
   * }
   */
  readonly algorithm?: string | undefined;
}

/** Options of {@link Group.leave}. */
export interface LeaveOptions extends SignalOptions {
  /** Ends the drain when it aborts. Defaults to none. */
  readonly signal?: AbortSignal | undefined;
  /** The time in milliseconds that locks and terms have to finish, at most. Defaults to 0. */
  readonly drainMs?: number | undefined;
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
  const isMistaken = Array.isArray(options) || options instanceof AbortSignal; // a signal has no own fields that could be unknown
  if (typeof options === 'object' && options !== null && !isMistaken) return;
  throw new BatonError(
    'input',
    `options are an object, like { timeoutMs: 2000 }, not ${describeValue(options)}`,
  );
}

/** Refuses options that the call does not have, which would have no effect. `call` is its name. */
export function checkKnownOptions(call: string, options: object, names: readonly string[]): void {
  const sentence = unknownOption(call, options, names);
  if (sentence !== null) throw new BatonError('input', sentence);
}

const signalOptions = optionNames<SignalOptions>({ signal: true });
const leaveOptions = optionNames<LeaveOptions>({ drainMs: true, signal: true });
const electionOptions = optionNames<ElectionOptions>({ algorithm: true });
const lockOptions = optionNames<LockOptions>({ signal: true, timeoutMs: true, algorithm: true });

/** Checks the options of a call that takes a lock. */
export function checkLockOptions(call: string, options: LockOptions): void {
  checkOptions(options);
  checkKnownOptions(call, options, lockOptions);
  checkWaitOptions(options);
  const { algorithm } = options;
  if (algorithm === undefined || typeof algorithm === 'string') return;
  throw new BatonError('input', `algorithm is a name, like 'raymond', not ${describeValue(algorithm)}`);
}

export function checkElectionOptions(options: ElectionOptions): void {
  checkOptions(options);
  checkKnownOptions('election', options, electionOptions);
  const { algorithm } = options;
  if (algorithm === undefined || typeof algorithm === 'string') return;
  throw new BatonError('input', `algorithm is a name, like 'chang-roberts', not ${describeValue(algorithm)}`);
}

/** Checks the options of a call that only takes a signal. */
export function checkSignalOptions(call: string, options: SignalOptions): void {
  checkOptions(options);
  checkKnownOptions(call, options, signalOptions);
  if (options.signal !== undefined) checkSignal(options.signal);
}

function checkWaitOptions({ signal, timeoutMs }: WaitOptions): void {
  if (signal !== undefined) checkSignal(signal);
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs >= 0)) return;
  throw new BatonError(
    'input',
    `timeoutMs is a number of milliseconds, like 2000, or Infinity, not ${describeValue(timeoutMs)}`,
  );
}

export function checkLeaveOptions(options: LeaveOptions): void {
  checkOptions(options);
  checkKnownOptions('leave', options, leaveOptions);
  const { drainMs, signal } = options;
  if (signal !== undefined) checkSignal(signal);
  if (drainMs === undefined || (typeof drainMs === 'number' && drainMs >= 0)) return;
  throw new BatonError(
    'input',
    `drainMs is a number of milliseconds, like 10000, or Infinity, not ${describeValue(drainMs)}`,
  );
}

/** Checks the function that {@link Group.withLock} runs. */
export function checkWork(work: unknown): void {
  if (typeof work === 'function') return;
  throw new BatonError(
    'input',
    `withLock runs a function while it holds the lock, not ${describeValue(work)}`,
  );
}

export function checkSignal(signal: unknown): asserts signal is AbortSignal {
  const { aborted, addEventListener, removeEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  const isTarget = typeof addEventListener === 'function' && typeof removeEventListener === 'function';
  if (typeof aborted === 'boolean' && isTarget) return;
  throw new BatonError('input', `signal is an AbortSignal, not ${describeValue(signal)}`);
}

/** Checks the name of an event. */
export function checkEvent(event: unknown, names: readonly string[]): void {
  if (names.includes(event as string)) return;
  const found = typeof event === 'string' ? nearest(event.slice(0, longestName), names) : null;
  const help = found === null ? `its events are ${names.join(', ')}` : `did you mean ${found}?`;
  throw new BatonError('input', `a group has no event ${describeValue(event)}: ${help}`);
}

/** Checks a listener of events. */
export function checkListener(listener: unknown): void {
  if (typeof listener === 'function') return;
  throw new BatonError('input', `a listener is a function, not ${describeValue(listener)}`);
}

/** Describes any value for an error message, even one that has no conversion to text. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).slice(0, 50);
  if (typeof value === 'function') return 'a function';
  if (value instanceof AbortSignal) return 'an AbortSignal';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
