// G. L. Peterson: Myths about the Mutual Exclusion Problem. Information Processing Letters 12(3):115-116, 1981: the algorithm for n
// processes, known as the filter lock. It is not that of his paper of 1983. At each of n-1 levels at least one process stays behind:
// the last to arrive. Others call Q and TURN level and victim. A waiting process reads one register at a time; k goes round from i.

import { alone, atLeast, exactly } from '../../core/bounds.ts';
import { sharedAlgorithm } from '../../core/shared-algorithm.ts';

/** Peterson (1981): the filter lock for n processes; 2n-1 writes per entry, and (n-1)^2 reads without contention. */
export const filterLock = sharedAlgorithm({
  name: 'filter-lock',
  problem: 'mutex',
  paper: 'doi:10.1016/0020-0190(81)90106-X',
  processes: { min: 2 },
  assumes: { failures: 'none' },
  bounds: [
    exactly(['write'], '2n-1', 'Q and TURN at each level, and Q when leaving', ({ n }) => 2 * n - 1),
    exactly(['read'], '(n-1)²', 'everybody else at each level', ({ n }) => (n - 1) ** 2, alone),
    atLeast(['read'], '(n-1) min(n-1, 2)', 'or one above and TURN', ({ n }) => (n - 1) * Math.min(n - 1, 2)),
  ],
  registers: (n) => ({ Q: Array<number>(n).fill(0), TURN: [null, ...Array<number>(n - 1).fill(0)] }),
  init: () => ({ j: 1, k: 1 }),

  request: 'Q[i] := j',
  release: 'Q[i] := 0',
  program({ me: i, n }) {
    const onFrom = (s: { j: number; k: number }) => {
      s.j += 1;
      s.k = 1;
      return s.j < n ? 'Q[i] := j' : 'critical section';
    };
    return {
      'Q[i] := j': { write: 'Q', at: i, value: (s) => s.j, goto: 'TURN[j] := i' },
      'TURN[j] := i': { write: 'TURN', at: (s) => s.j, value: i, goto: 'wait until all Q[k] < j' },
      'wait until all Q[k] < j': {
        read: 'Q',
        at: (s) => (i + s.k) % n,
        goto(q, s) {
          if (q >= s.j) return 'or TURN[j] ≠ i';
          s.k += 1;
          return s.k < n ? 'wait until all Q[k] < j' : onFrom(s);
        },
      },
      'or TURN[j] ≠ i': {
        read: 'TURN',
        at: (s) => s.j,
        goto(turn, s) {
          if (turn !== i) return onFrom(s);
          s.k = 1;
          return 'wait until all Q[k] < j';
        },
      },
      'Q[i] := 0': { write: 'Q', at: i, value: 0, goto: 'noncritical section' },
    };
  },

  invariants: {
    'at most n-j are past level j': ({ processes }) =>
      processes.every((_, j) => {
        const past = processes.filter(({ at, s }) => s.j > j || at === 'critical section');
        return j === 0 || past.length <= processes.length - j;
      }),
  },
});
