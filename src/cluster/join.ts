import type { AnyAlgorithm } from '../core/algorithm.ts';
import { BatonError } from './errors.ts';
import { checkOptions, checkSignal } from './group/arguments.ts';
import { Group } from './group/group.ts';
import { findLockAlgorithm, lockAlgorithm } from './group/lock-algorithm.ts';
import { onAbort } from './group/timeouts.ts';
import { type ConnectionOptions, openBackend } from './membership/backend.ts';

export interface JoinOptions extends ConnectionOptions {
  /** A process that hangs for so long is out of the group, and another has its locks. At least 200 ms; 5 s if not said. */
  readonly leaseMs?: number | undefined;
  /** By which locks are handed on: a name of the catalogue, or an algorithm of your own. The same in all processes. */
  readonly algorithm?: string | AnyAlgorithm | undefined;
  /** In elections, the largest first. 0 if not said. */
  readonly priority?: number | undefined;
  /** Gives up joining. */
  readonly signal?: AbortSignal | undefined;
}

export const defaultAlgorithm = 'li-hudak';
export const defaultLeaseMs = 5000;
const shortestLeaseMs = 200;

/** Makes this process a member of the group of that name. */
export async function join(name: string, options: JoinOptions = {}): Promise<Group> {
  checkOptions(options);
  const { leaseMs = defaultLeaseMs, priority = 0, signal } = options;
  const algorithm = lockAlgorithm(options.algorithm ?? defaultAlgorithm);
  if (!(typeof leaseMs === 'number' && leaseMs >= shortestLeaseMs && leaseMs <= 2 ** 31 - 1))
    throw new BatonError('input', `leaseMs must be at least ${shortestLeaseMs}, not ${leaseMs}`);
  if (!Number.isFinite(priority)) throw new BatonError('input', `priority must be a number, not ${priority}`);
  const entered = async () => {
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
  return signal === undefined ? entered() : joinUnlessAborted(name, signal, entered);
}

/** Gives up at once, whatever an engine is waited for; what comes of it later is closed. */
async function joinUnlessAborted(
  name: string,
  signal: AbortSignal,
  entered: () => Promise<Group>,
): Promise<Group> {
  checkSignal(signal);
  const aborted = () =>
    new BatonError('aborted', `joining group '${name}' was aborted`, { cause: signal.reason });
  if (signal.aborted) throw aborted();
  const entering = entered();
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => {
      reject(aborted());
      entering.then((group) => group.leave()).catch(() => {}); // who did not enter has closed what there was
    });
    const ended =
      <T>(settle: (outcome: T) => void) =>
      (outcome: T) => {
        stop();
        settle(outcome);
      };
    entering.then(ended(resolve), ended(reject));
  });
}
