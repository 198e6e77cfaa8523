import type { AnyAlgorithm } from '../core/algorithm.ts';
import { optionNames } from '../core/did-you-mean.ts';
import { engineHosts } from './engines/engine-url.ts';
import { BatonError, toBatonError } from './errors.ts';
import {
  checkGroupName,
  checkKnownOptions,
  checkOptions,
  checkSignal,
  describeValue,
} from './group/arguments.ts';
import { Group } from './group/group.ts';
import { findLockAlgorithm, lockAlgorithm } from './group/lock-algorithm.ts';
import { openMeter } from './group/metrics.ts';
import { onAbort } from './group/timeouts.ts';
import { type ConnectionOptions, openBackend } from './membership/backend.ts';
import { checkBoolean, checkConnectionOptions, connectionOptions } from './membership/connection-checks.ts';
import type { GroupConfig } from './membership/group-config.ts';

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
  /**
   * In Kubernetes, joins a group of this pod alone. There `join` refuses a group without `engine` or `BATON_DIR` otherwise, because each
   * pod would be a group of its own. Defaults to true with `BATON_LOCAL=1`, else to false.
   */
  readonly local?: boolean | undefined;
  /** Aborts joining. Defaults to none. */
  readonly signal?: AbortSignal | undefined;
}

const joinOptions = optionNames<JoinOptions>({
  ...connectionOptions,
  leaseMs: true,
  algorithm: true,
  priority: true,
  local: true,
  signal: true,
});

export const defaultAlgorithm = 'li-hudak';
export const defaultLeaseMs = 5000;
const shortestLeaseMs = 200;
const longestLeaseMs = 2 ** 31 - 1; // of a timer

/**
 * Makes this process a member of a group. Processes that join a group of the same name find each other: those of one user on one machine,
 * or, with `engine`, those of all machines that use the engine.
 *
 * The group keeps the process alive until `leave`.
 *
 * @throws {BatonError} `input` when the name or an option is wrong, or in Kubernetes without an engine, see `local`.
 * @throws {BatonError} `conflict` when the members of the group use another algorithm.
 * @throws {BatonError} `unavailable` when the engine fails, a member cannot be reached, or this process cannot be reached at its address.
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
  checkGroupName(name);
  checkJoinOptions(options);
  const { leaseMs = defaultLeaseMs, priority = 0, signal } = options;
  const algorithm = lockAlgorithm(options.algorithm ?? defaultAlgorithm);
  const openAndJoin = async () => {
    const meter = await openMeter();
    const { engine, spansMachines, listen } = await openBackend(name, leaseMs, options);
    const config: GroupConfig = {
      group: name,
      algorithm: algorithm.name,
      algorithmOf: (other) => (other === algorithm.name ? algorithm : findLockAlgorithm(other)),
      leaseMs,
      priority,
      engine,
      spansMachines,
      listen,
    };
    return new Group(config, engineHosts(options.engine), meter).join(signal);
  };
  try {
    return await (signal === undefined ? openAndJoin() : joinUnlessAborted(name, signal, openAndJoin));
  } catch (error) {
    throw toBatonError(error, `joining group '${name}'`);
  }
}

function checkJoinOptions(options: JoinOptions): void {
  checkOptions(options);
  checkKnownOptions('join', options, joinOptions);
  checkConnectionOptions(options);
  const { leaseMs = defaultLeaseMs, priority = 0, signal } = options;
  if (!(typeof leaseMs === 'number' && leaseMs >= shortestLeaseMs && leaseMs <= longestLeaseMs))
    throw new BatonError(
      'input',
      `leaseMs must be at least ${shortestLeaseMs} and at most ${longestLeaseMs}, not ${describeValue(leaseMs)}`,
    );
  if (!Number.isFinite(priority))
    throw new BatonError('input', `priority must be a number, not ${describeValue(priority)}`);
  if (signal !== undefined) checkSignal(signal);
  checkScope(options);
}

/** Each pod of Kubernetes has a machine's files for itself: a group without an engine would not reach the other pods. */
function checkScope({ engine, local }: JoinOptions): void {
  checkBoolean('local', local);
  if (engine !== undefined && local === true)
    throw new BatonError('input', 'local: true is for a group without an engine: leave out one of them');
  const { KUBERNETES_SERVICE_HOST: isKubernetes, BATON_DIR: directory, BATON_LOCAL } = process.env;
  if (!isKubernetes || engine !== undefined || directory || (local ?? BATON_LOCAL === '1')) return;
  throw new BatonError(
    'input',
    'in Kubernetes, each pod without an engine would be a group of its own, and all of them would lead: name an engine (engine, --engine or BATON_ENGINE), or confirm a group of this pod alone (local: true, --local or BATON_LOCAL=1)',
  );
}

/** Rejects as soon as the signal aborts, even while an engine does not answer. A join that succeeds later leaves again. */
async function joinUnlessAborted(
  name: string,
  signal: AbortSignal,
  openAndJoin: () => Promise<Group>,
): Promise<Group> {
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
