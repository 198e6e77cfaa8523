// Disagreements that are known mistakes of the checker. Each has a test that fails as long as the mistake exists.
import type { Disagreement } from './compare.ts';
import { followsNobody } from './message-worlds.ts';
import type { Case } from './verdict.ts';

/**
 * Ample sets on FIFO channels let the winner of an election decide first. They leave out the runs in which a process hears of another
 * leader before.
 */
const isAmpleElection = (given: Case, { options, opponent, checker }: Disagreement): boolean =>
  given.algorithm.problem === 'election' &&
  options.reduction !== false &&
  opponent.includes(followsNobody) &&
  checker === 'holds';

/** A process that knows the leader as another has none for the checker, position -1, after the leader has crashed. */
const isForgottenLeader = ({ crashes = 0 }: Case, { checker }: Disagreement): boolean =>
  crashes > 0 && checker.includes('-1 is elected');

export const isKnownHole = (given: Case, disagreement: Disagreement): boolean =>
  isAmpleElection(given, disagreement) || isForgottenLeader(given, disagreement);
