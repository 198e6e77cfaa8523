import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { BatonError } from '../errors.ts';
import { checkElectionOptions, type ElectionOptions } from './arguments.ts';
import { namedAlgorithm } from './lock-algorithm.ts';

/**
 * Returns the election algorithm of that name.
 * @throws {BatonError} `input`, with the reason, if it cannot choose the leader of a group.
 */
export function electionAlgorithm(wanted: string): AnyAlgorithm {
  const algorithm = namedAlgorithm(wanted);
  const reason = whyNotInGroups(algorithm);
  if (reason !== null) throw new BatonError('input', reason);
  return algorithm;
}

/** Returns the reason why an algorithm cannot choose the leader of a group, or null. */
export function whyNotInGroups({
  name,
  problem,
  assumes,
  perpetual,
  snapshots,
}: AnyAlgorithm): string | null {
  if (problem !== 'election') return `${name} is not an election algorithm: see baton list`;
  if (snapshots !== undefined)
    return `a group takes its own snapshots: use ${snapshots.of.name}, without a suffix`;
  if (perpetual)
    return `${name} never stops sending messages, to find out which processes are alive: a group already knows that, so use another election algorithm`;
  if (assumes.timing === 'synchronous')
    return `${name} needs processes that take their steps at the same time, which real ones do not: use another election algorithm`;
  return null;
}

/** Checks the options of an election, and returns the name of its algorithm; null: none. */
export function electionAlgorithmIn(options: ElectionOptions): string | null {
  checkElectionOptions(options);
  return options.algorithm === undefined ? null : electionAlgorithm(options.algorithm).name;
}

/** Returns undefined for an algorithm that only other processes know. */
export function findElectionAlgorithm(name: string): AnyAlgorithm | undefined {
  try {
    return electionAlgorithm(name);
  } catch {
    return undefined;
  }
}
