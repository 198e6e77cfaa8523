import { algorithms, aliases } from '../../algorithms/locks-and-elections.ts';
import { messagePassing, resolver } from '../../catalogue/resolver.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { declared } from '../../machine/index.ts';
import { LockNetwork } from '../../member/index.ts';
import { BatonError } from '../errors.ts';

const resolve = resolver(algorithms, aliases, 'algorithm for groups');
const refusal = (why: string, cause?: InputError) => new BatonError('input', why, { cause });

/**
 * Returns the lock algorithm of that name, or validates the user's own.
 * @throws {BatonError} `input`, with the reason, if it cannot be used for locks.
 */
export function lockAlgorithm(wanted: string | AnyAlgorithm): AnyAlgorithm {
  if (typeof wanted !== 'string') return checked(wanted);
  const algorithm = namedAlgorithm(wanted);
  const { name, assumes } = algorithm;
  checkProblem(algorithm);
  // An algorithm that tolerates no failure excludes nobody for being late.
  if (assumes.timing === 'asynchronous' || assumes.failures === 'none') return algorithm;
  throw refusal(
    `${name} takes a late process for dead, so two could hold a lock: use ${name.split('+')[0]}, since a group replaces dead members itself`,
  );
}

/**
 * Returns the algorithm of that name.
 * @throws {BatonError} `input` if there is none whose processes send messages.
 */
export const namedAlgorithm = (name: string): AnyAlgorithm =>
  asInputError(() => messagePassing(resolve(name)));

function checkProblem({ name, problem }: AnyAlgorithm): void {
  if (problem !== 'mutex') throw refusal(`${name} is not an algorithm for mutual exclusion: see baton list`);
}

const dryRunMembers = 3;

/** Validates the user's own algorithm, as far as that is possible before it runs. */
function checked(wanted: AnyAlgorithm): AnyAlgorithm {
  const algorithm = asInputError(() => {
    declared(wanted);
    return messagePassing(wanted);
  });
  checkProblem(algorithm);
  const reason = new LockNetwork(algorithm, dryRunMembers).dryRun();
  if (reason !== null) throw refusal(reason);
  return algorithm;
}

/** Returns undefined for an algorithm that only other processes know. */
export function findLockAlgorithm(name: string): AnyAlgorithm | undefined {
  try {
    return lockAlgorithm(name);
  } catch {
    return undefined;
  }
}

function asInputError(find: () => AnyAlgorithm): AnyAlgorithm {
  try {
    return find();
  } catch (error) {
    throw error instanceof InputError ? refusal(error.message, error) : error;
  }
}
