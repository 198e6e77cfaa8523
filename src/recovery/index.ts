import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { declared } from '../machine/index.ts';
import { livingRing } from './living-ring.ts';
import { recovering } from './recovering.ts';
import { succeeding } from './succession.ts';

export { livingRing } from './living-ring.ts';
export { recovering } from './recovering.ts';
export { succeeding } from './succession.ts';

/**
 * A lock that survives crashes and lost tokens, or clocks whose master may crash, by an election of the caller's choice. Its name is
 * LOCK+ELECTION, or CLOCKS+ELECTION.
 */
export function withRecovery(lock: AnyAlgorithm, election: AnyAlgorithm): AnyAlgorithm {
  for (const part of [lock, election]) declared(part);
  if (lock.problem === 'election') throw new InputError(`${lock.name} is not a lock: write LOCK+ELECTION`);
  if (election.problem !== 'election')
    throw new InputError(
      `${election.name} is not an election: write LOCK+ELECTION, as in ${lock.name}+bully`,
    );
  const { failures, topology } = election.assumes;
  const survives = failures === 'crash' && topology === 'complete';
  const surviving = survives ? election : livingRing(election);
  return lock.problem === 'clocks' ? succeeding(lock, surviving) : recovering(lock, surviving);
}
