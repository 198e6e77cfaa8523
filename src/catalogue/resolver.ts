// Finds algorithms by name: groups know locks by messages and elections, the laboratory knows all (`resolve` in index.ts).
import { repeatedElection, roundsSuffix } from '../compositions/repeated-election.ts';
import { withRecovery } from '../compositions/with-recovery.ts';
import { withSnapshots } from '../compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { nearest } from '../core/did-you-mean.ts';
import { type EitherAlgorithm, mediumOf } from '../machine/index.ts';

const snapshotSuffix = '+chandy-lamport';
const suffixes = [roundsSuffix, snapshotSuffix].map((suffix) => suffix.slice(1));

/**
 * Returns a function that finds one of the given algorithms by its name. It also knows their aliases, LOCK+ELECTION,
 * CLOCKS+ELECTION, ELECTION+rounds and ALGORITHM+chandy-lamport. It returns the same object each time, whichever name was used.
 */
export function resolver(
  algorithms: readonly EitherAlgorithm[],
  aliases: Readonly<Record<string, EitherAlgorithm>>,
  kind = 'algorithm', // for messages
): (name: string) => EitherAlgorithm {
  const known = new Map(algorithms.map((one): [string, EitherAlgorithm] => [one.name, one]));
  for (const [alias, algorithm] of Object.entries(aliases)) known.set(alias, algorithm);
  const names = [...known.keys()];

  function resolve(name: string): EitherAlgorithm {
    const found = known.get(name);
    if (found) return found;
    const made = composed(name);
    const algorithm = known.get(made.name) ?? made;
    for (const either of [name, made.name]) known.set(either, algorithm);
    return algorithm;
  }

  function composed(name: string): AnyAlgorithm {
    if (name.endsWith(snapshotSuffix) && name !== snapshotSuffix)
      return snapshotComposition(part(name.slice(0, -snapshotSuffix.length)));
    if (`+${name}` === snapshotSuffix)
      throw new InputError(`'${name}' goes beside another algorithm: write token-ring${snapshotSuffix}`);
    if (name.endsWith(roundsSuffix) && name !== roundsSuffix)
      return repeatedElection(part(name.slice(0, -roundsSuffix.length)));
    if (`+${name}` === roundsSuffix)
      throw new InputError(`'${name}' goes after an election: write chang-roberts${roundsSuffix}`);
    const [lock, election, ...more] = name.split('+');
    if (election === undefined) throw unknown(name);
    if (lock === '' || election === '' || more.length > 0)
      throw new InputError(`'${name}': write LOCK+ELECTION, as in token-ring+bully`);
    return withRecovery(part(lock!), part(election));
  }

  const part = (name: string): AnyAlgorithm => messagePassing(resolve(name));

  function unknown(name: string): InputError {
    const suggestion = nearest(name, suffixes) ?? nearest(name, names);
    const advice = suggestion === null ? ': see baton list' : `; did you mean ${suggestion}`;
    return new InputError(`no ${kind} is called '${name}'${advice}`);
  }

  return resolve;
}

function snapshotComposition(algorithm: AnyAlgorithm): AnyAlgorithm {
  if (algorithm.snapshots === undefined) return withSnapshots(algorithm);
  throw new InputError(`${algorithm.name} takes snapshots already: leave out ${snapshotSuffix}`);
}

/**
 * Returns the algorithm if its processes send messages.
 * @throws {InputError} if they share memory.
 */
export function messagePassing(algorithm: EitherAlgorithm): AnyAlgorithm {
  if (mediumOf(algorithm) === 'messages') return algorithm as AnyAlgorithm;
  throw new InputError(
    `the processes of ${algorithm.name} share memory: choose an algorithm that sends messages`,
  );
}
