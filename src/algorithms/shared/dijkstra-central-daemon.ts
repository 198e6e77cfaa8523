// E. W. Dijkstra: Self-stabilizing Systems in Spite of Distributed Control. CACM 17(11):643-644, 1974: the solution with K-state machines,
// in the paper's own model. A machine reads its left neighbour's state L and its own state S, and moves, all in one step. A central daemon
// chooses the machine that takes the next step. The paper numbers N+1 machines from 0 and asks for K > N; here they are n, and K = n.
// The paper has privileges only. Here a machine that wants to enter keeps its privilege while it is inside, and moves when it leaves.

import { alone, atLeast, synchronisationDelay, waitingTime } from '../../core/bounds.ts';
import { sharedAlgorithm } from '../../core/shared-algorithm.ts';

/** Machine 0, the bottom machine, has the privilege while L = S, and every other machine while L ≠ S. */
const isPrivileged = (i: number, L: number, S: number) => (i === 0) === (L === S);

export const centralDaemon = (name: string, K: (n: number) => number) =>
  sharedAlgorithm({
    name,
    problem: 'mutex',
    paper: 'doi:10.1145/361179.361202',
    assumes: { failures: 'corruption', accesses: 'composite' },
    perpetual: true,
    bounds: [
      atLeast(['read'], '4', 'L and S, to enter and to move', () => 4),
      atLeast(['write'], '0', 'a corruption may take the privilege from a process that is inside', () => 0),
      synchronisationDelay.atLeast('T', 'the move of the process that leaves', ({ T }) => T),
      synchronisationDelay.atMost(
        '(n+1)T',
        'that move, n-1 hops, and a new request',
        ({ n, T }) => (n + 1) * T,
      ),
      waitingTime.atLeast('T', 'the look of the process that asks', ({ T }) => T),
      waitingTime.atMost('nT', 'that look, and n-1 hops', ({ n, T }) => n * T, alone),
    ],
    registers: (n) => ({ S: Array<number>(n).fill(0) }),
    init: () => ({}),

    request: 'wait for the privilege',
    release: 'move',
    program({ me: i, n }) {
      const reads = [
        ['S', (i + n - 1) % n],
        ['S', i],
      ] as const;
      const moved = ([L, S]: readonly number[]) => {
        if (!isPrivileged(i, L!, S!)) return null;
        return i === 0 ? (S! + 1) % K(n) : L!;
      };
      return {
        'noncritical section': { reads, writes: ['S', i], value: moved, goto: 'noncritical section' },
        'wait for the privilege': {
          reads,
          goto: ([L, S]) => (isPrivileged(i, L!, S!) ? 'critical section' : 'wait for the privilege'),
        },
        move: { reads, writes: ['S', i], value: moved, goto: 'noncritical section' },
      };
    },

    stabilises: {
      scramble: ({ n, choose }) => ({ S: choose(K(n)) }),
      // There is one privilege, and a process that is inside has it.
      legitimate({ memory: { S }, processes }) {
        const privileged = processes.map((_, i) => isPrivileged(i, S.at(i - 1)!, S[i]!));
        const isInside = processes.map(({ at }) => at === 'critical section');
        return (
          privileged.filter(Boolean).length === 1 && isInside.every((inside, i) => !inside || privileged[i])
        );
      },
    },
  });

/** Dijkstra (1974): K-state machines that read their neighbours' states; a central daemon chooses one at a time. Recovers from any corruption. */
export const dijkstraCentralDaemon = centralDaemon('dijkstra-central-daemon', (n) => n);
