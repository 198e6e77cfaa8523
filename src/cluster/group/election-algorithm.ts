import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { BatonError } from '../errors.ts';
import { checkElectionOptions, type ElectionOptions } from './arguments.ts';
import { namedAlgorithm } from './lock-algorithm.ts';

const refusal = (why: string) => new BatonError('input', why);

/**
 * Returns the election algorithm of that name.
 * @throws {BatonError} `input`, with the reason, if it cannot choose the leader of a group.
 */
export function electionAlgorithm(wanted: string): AnyAlgorithm {
  const algorithm = namedAlgorithm(wanted);
  const { name, problem, perpetual, snapshots } = algorithm;
  if (problem !== 'election') throw refusal(`${name} is not an election algorithm: see baton list`);
  if (snapshots !== undefined)
    throw refusal(`a group takes its own snapshots: use ${snapshots.of.name}, without a suffix`);
  if (perpetual)
    throw refusal(
      `${name} never stops sending messages, to find out which processes are alive: a group already knows that, so use another election algorithm`,
    );
  return algorithm;
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
