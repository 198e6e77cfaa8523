// E. W. Dijkstra: Cooperating Sequential Processes. EWD 123, Eindhoven 1965, section 2.1: the solution of T. J. Dekker for two
// processes, with the paper's labels A, L and B. c[i] = 0 means that i wants to enter or is inside.

import { alone, atLeast, atMost, exactly } from '../../core/bounds.ts';
import { sharedAlgorithm } from '../../core/shared-algorithm.ts';

/** Dekker (in Dijkstra, 1965): the first lock for two processes; 3 to 5 writes and at least 1 read per entry. */
export const dekker = sharedAlgorithm({
  name: 'dekker',
  problem: 'mutex',
  paper: 'EWD 123',
  processes: { min: 2, max: 2 },
  assumes: { failures: 'none' },
  bounds: [
    exactly(['write'], '3', 'c, and turn and c when leaving', () => 3, alone),
    atLeast(['write'], '3', 'the same', () => 3),
    atMost(['write'], '5', 'the same, and two more if it steps back', () => 5),
    exactly(['read'], '1', 'the other does not want to', () => 1, alone),
    atLeast(['read'], '1', 'busy waiting has no bound', () => 1),
  ],
  registers: () => ({ c: [1, 1], turn: 0 }),
  init: () => ({}),

  request: 'A: c[i] := 0',
  release: 'turn := j',
  program({ me: i }) {
    const j = 1 - i;
    return {
      'A: c[i] := 0': { write: 'c', at: i, value: 0, goto: 'L: if c[j] = 0' },
      'L: if c[j] = 0': {
        read: 'c',
        at: j,
        goto: (c) => (c === 0 ? 'if turn = i goto L' : 'critical section'),
      },
      'if turn = i goto L': { read: 'turn', goto: (turn) => (turn === i ? 'L: if c[j] = 0' : 'c[i] := 1') },
      'c[i] := 1': { write: 'c', at: i, value: 1, goto: 'B: if turn = j goto B' },
      'B: if turn = j goto B': {
        read: 'turn',
        goto: (turn) => (turn === j ? 'B: if turn = j goto B' : 'A: c[i] := 0'),
      },
      'turn := j': { write: 'turn', value: j, goto: 'c[i] := 1, remainder' },
      'c[i] := 1, remainder': { write: 'c', at: i, value: 1, goto: 'noncritical section' },
    };
  },

  invariants: {
    'c[i] = 0 from A until i steps back or has left': ({ memory, processes }) =>
      processes.every(({ at }, i) => {
        const isOut = at === 'noncritical section' || at === 'A: c[i] := 0' || at === 'B: if turn = j goto B';
        return memory.c[i] === (isOut ? 1 : 0);
      }),
  },
});
