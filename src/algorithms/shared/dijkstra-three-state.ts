// E. W. Dijkstra: Self-stabilizing Systems in Spite of Distributed Control. CACM 17(11):643-644, 1974: the solution with three-state
// machines. L and R are the states of the neighbours and S the machine's own. The bottom machine is number 0 and the top machine n-1.

import { alone, atLeast, synchronisationDelay, waitingTime } from '../../core/bounds.ts';
import { daemonMachines, type MachineRules } from './dijkstra.ts';

const after = (state: number) => (state + 1) % 3;

export const threeStateRules: MachineRules = {
  name: 'dijkstra-three-state',
  processes: { min: 3 },
  bounds: [
    atLeast(['read'], '4', 'two states or three, to enter and to move', () => 4),
    atLeast(['write'], '0', 'a corruption may take the privilege from a process that is inside', () => 0),
    synchronisationDelay.atLeast('T', 'the move of the process that leaves', ({ T }) => T),
    synchronisationDelay.atMost('2nT', 'that move, 2(n-1) hops, and a new request', ({ n, T }) => 2 * n * T),
    waitingTime.atLeast('T', 'the look of the process that asks', ({ T }) => T),
    waitingTime.atMost('(2n-1)T', 'that look, and 2(n-1) hops', ({ n, T }) => (2 * n - 1) * T, alone),
  ],
  states: () => [0, 1, 2],
  reads: (i, n) => (i === 0 ? [i, i + 1] : [i - 1, i, (i + 1) % n]),
  moves(i, n) {
    if (i === 0) return (S, R) => (after(S!) === R ? [(S! + 2) % 3] : []);
    if (i === n - 1) return (L, S, R) => (L === R && after(L!) !== S ? [after(L!)] : []);
    return (L, S, R) => [L!, R!].filter((neighbour) => after(S!) === neighbour);
  },
};

/** Dijkstra (1974): three-state machines on a ring, whatever its size; the privilege goes up and down. Recovers from any corruption. */
export const dijkstraThreeState = daemonMachines(threeStateRules);
