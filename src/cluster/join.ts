import type { AnyAlgorithm } from '../core/algorithm.ts';
import { BatonError } from './errors.ts';
import { checkOptions, checkSignal } from './group/arguments.ts';
import { Group } from './group/group.ts';
import { findLockAlgorithm, lockAlgorithm } from './group/lock-algorithm.ts';
import { onAbort } from './group/timeouts.ts';
import { type ConnectionOptions, openBackend } from './membership/backend.ts';

/** Options of {@link join}. */
export interface JoinOptions extends ConnectionOptions {
  /**
   * A process that does not renew its lease for this long is removed from the group, and its locks pass to others. At least 200.
   * Defaults to 5000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * The algorithm of locks: a name of the catalogue, or an algorithm of your own. All processes must use the same one. Defaults to
   * `li-hudak`.
   */
  readonly algorithm?: string | AnyAlgorithm | undefined;
  /** In elections, the candidate with the highest priority wins. Defaults to 0. */
  readonly priority?: number | undefined;
  /** Aborts joining. Defaults to none. */
  readonly signal?: AbortSignal | undefined;
}

export const defaultAlgorithm = 'li-hudak';
export const defaultLeaseMs = 5000;
const shortestLeaseMs = 200;

/**
 * Makes this process a member of a group. Processes that join a group of the same name find each other: those of one user on one machine,
 * or, with `engine`, those of all machines that use the engine.
 *
 * The group keeps the process alive until `leave`.
 *
 * @throws {BatonError} `input` when the name or an option is wrong.
 * @throws {BatonError} `conflict` when the members of the group use another algorithm.
 * @throws {BatonError} `unavailable` when the engine fails, or a member cannot be reached.
 * @throws {BatonError} `aborted` when `signal` aborts.
 *
 * @example
 * import { join } from 'batonjs';
 *
 * const group = await join('orders');
 * const lock = await group.lock('invoice-42', { timeoutMs: 2000 });
 * console.log('holding the lock, fence', lock.fence);
 * await lock.release();
 * await group.leave();
 */
export async function join(name: string, options: JoinOptions = {}): Promise<Group> {
  checkOptions(options);
  const { leaseMs = defaultLeaseMs, priority = 0, signal } = options;
  const algorithm = lockAlgorithm(options.algorithm ?? defaultAlgorithm);
  if (!(typeof leaseMs === 'number' && leaseMs >= shortestLeaseMs && leaseMs <= 2 ** 31 - 1))
    throw new BatonError('input', `leaseMs must be at least ${shortestLeaseMs}, not ${leaseMs}`);
  if (!Number.isFinite(priority)) throw new BatonError('input', `priority must be a number, not ${priority}`);
  const openAndJoin = async () => {
    const { engine, spansMachines, listen } = await openBackend(name, leaseMs, options);
    const group = new Group({
      group: name,
      algorithm: algorithm.name,
      algorithmOf: (other) => (other === algorithm.name ? algorithm : findLockAlgorithm(other)),
      leaseMs,
      priority,
      engine,
      spansMachines,
      listen,
    });
    return group.join(signal);
  };
  return signal === undefined ? openAndJoin() : joinUnlessAborted(name, signal, openAndJoin);
}

/** Rejects as soon as the signal aborts, even while an engine does not answer. A join that succeeds later leaves again. */
async function joinUnlessAborted(
  name: string,
  signal: AbortSignal,
  openAndJoin: () => Promise<Group>,
): Promise<Group> {
  checkSignal(signal);
  const aborted = () =>
    new BatonError('aborted', `joining group '${name}' was aborted`, { cause: signal.reason });
  if (signal.aborted) throw aborted();
  const joining = openAndJoin();
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => {
      reject(aborted());
      joining.then((group) => group.leave()).catch(() => {}); // a join that failed has already closed its engine and transport
    });
    const ended =
      <T>(settle: (outcome: T) => void) =>
      (outcome: T) => {
        stop();
        settle(outcome);
      };
    joining.then(ended(resolve), ended(reject));
  });
}
