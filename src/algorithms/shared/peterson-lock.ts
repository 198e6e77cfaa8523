// G. L. Peterson: Myths about the Mutual Exclusion Problem. Information Processing Letters 12(3):115-116, 1981: the algorithm for two
// processes, known as Peterson's lock. It is not that of his paper of 1983, which is for n processes with small shared variables. Q and
// TURN are the flag and turn of most textbooks. There TURN names the other process; here, as in the paper, the last to arrive.

import { alone, atLeast, exactly } from '../../core/bounds.ts';
import { sharedAlgorithm } from '../../core/shared-algorithm.ts';

/** Peterson (1981): Peterson's lock for two processes; 3 writes and at least 1 read per entry. */
export const petersonLock = sharedAlgorithm({
  name: 'peterson-lock',
  problem: 'mutex',
  paper: 'doi:10.1016/0020-0190(81)90106-X',
  processes: { min: 2, max: 2 },
  assumes: { failures: 'none' },
  bounds: [
    exactly(['write'], '3', 'Q and TURN, and Q when leaving', () => 3),
    exactly(['read'], '1', 'the other does not want to', () => 1, alone),
    atLeast(['read'], '1', 'busy waiting has no bound', () => 1),
  ],
  registers: () => ({ Q: [0, 0], TURN: 0 }),
  init: () => ({}),

  request: 'Q[i] := true',
  release: 'Q[i] := false',
  program({ me: i }) {
    const j = 1 - i;
    return {
      'Q[i] := true': { write: 'Q', at: i, value: 1, goto: 'TURN := i' },
      'TURN := i': { write: 'TURN', value: i, goto: 'wait until not Q[j]' },
      'wait until not Q[j]': {
        read: 'Q',
        at: j,
        goto: (q) => (q === 0 ? 'critical section' : 'or TURN = j'),
      },
      'or TURN = j': {
        read: 'TURN',
        goto: (turn) => (turn === j ? 'critical section' : 'wait until not Q[j]'),
      },
      'Q[i] := false': { write: 'Q', at: i, value: 0, goto: 'noncritical section' },
    };
  },

  invariants: {
    'who waits while the other is inside came last': ({ memory, processes }) =>
      processes.every(
        ({ at }, i) =>
          (at !== 'wait until not Q[j]' && at !== 'or TURN = j') ||
          processes[1 - i]!.at !== 'critical section' ||
          memory.TURN === i,
      ),
  },
});
