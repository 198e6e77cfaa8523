import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { declared } from '../machine/index.ts';
import { clocksWithRecovery } from './clock-master-recovery.ts';
import { crashTolerantRing } from './crash-tolerant-ring.ts';
import { lockWithRecovery } from './lock-recovery.ts';

/**
 * Composes a lock with an election, so that it survives crashes and lost tokens; or clocks, whose master may then crash. The name of the
 * composition is LOCK+ELECTION or CLOCKS+ELECTION. An election that tolerates no crash becomes a {@link crashTolerantRing}.
 * @throws {InputError} if these two cannot be composed.
 * @example
 * import { bully, raymond } from 'batonjs/algorithms';
 * import { withRecovery } from 'batonjs-lab/compositions';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const crash = { type: 'crash', process: 0, at: 3 } as const;
 * simulate(raymond, { n: 4, faults: [crash], seed: 1 }).ok; // → false
 * simulate(withRecovery(raymond, bully), { n: 4, faults: [crash], seed: 1 }).ok; // → true
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
  const surviving = survives ? election : crashTolerantRing(election);
  return lock.problem === 'clocks' ? clocksWithRecovery(lock, surviving) : lockWithRecovery(lock, surviving);
}
