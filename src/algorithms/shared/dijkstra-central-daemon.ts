// E. W. Dijkstra: Self-stabilizing Systems in Spite of Distributed Control. CACM 17(11):643-644, 1974: the solution with K-state machines,
// in the paper's own model. L is the state of the left neighbour and S the machine's own. The paper numbers N+1 machines from 0 and asks for
// K > N; here they are n, and K = n.

import { alone, atLeast, synchronisationDelay, waitingTime } from '../../core/bounds.ts';
import { daemonMachines } from './dijkstra.ts';

export const centralDaemon = (name: string, K: (n: number) => number) =>
  daemonMachines({
    name,
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
    states: (_, n) => Array.from({ length: K(n) }, (_, state) => state),
    reads: (i, n) => [(i + n - 1) % n, i],
    moves: (i, n) => (L, S) => {
      if (i === 0) return L === S ? [(S! + 1) % K(n)] : [];
      return L === S ? [] : [L!];
    },
  });

/** Dijkstra (1974): K-state machines that read their neighbours' states; a central daemon chooses one at a time. Recovers from any corruption. */
export const dijkstraCentralDaemon = centralDaemon('dijkstra-central-daemon', (n) => n);
