// E. W. Dijkstra: Self-stabilizing Systems in Spite of Distributed Control. CACM 17(11):643-644, 1974: the solution with four-state
// machines. A state has two truth values, x and up; here it is the number 2x + up. The bottom machine is number 0, and its up is always true;
// the top machine is n-1, and its up is always false. The machines form a line: bottom and top do not read each other.

import { alone, atLeast, synchronisationDelay, waitingTime } from '../../core/bounds.ts';
import { daemonMachines, type MachineRules } from './dijkstra.ts';

const x = (state: number) => state >> 1;
const up = (state: number) => state % 2 === 1;
const state = (isX: number, isUp: boolean) => 2 * isX + (isUp ? 1 : 0);

export const fourStateRules: MachineRules = {
  name: 'dijkstra-four-state',
  processes: { min: 2 },
  bounds: [
    atLeast(['read'], '4', 'two states or three, to enter and to move', () => 4),
    atLeast(['write'], '0', 'a corruption may take the privilege from a process that is inside', () => 0),
    synchronisationDelay.atLeast('T', 'the move of the process that leaves', ({ T }) => T),
    synchronisationDelay.atMost('2nT', 'that move, 2(n-1) hops, and a new request', ({ n, T }) => 2 * n * T),
    waitingTime.atLeast('T', 'the look of the process that asks', ({ T }) => T),
    waitingTime.atMost('(2n-1)T', 'that look, and 2(n-1) hops', ({ n, T }) => (2 * n - 1) * T, alone),
  ],
  states: (i, n) => (i === 0 ? [1, 3] : i === n - 1 ? [0, 2] : [0, 1, 2, 3]),
  reads: (i, n) => (i === 0 ? [i, i + 1] : i === n - 1 ? [i - 1, i] : [i - 1, i, i + 1]),
  moves(i, n) {
    if (i === 0) return (S, R) => (x(S!) === x(R!) && !up(R!) ? [state(1 - x(S!), true)] : []);
    if (i === n - 1) return (L, S) => (x(S!) === x(L!) ? [] : [state(1 - x(S!), false)]);
    return (L, S, R) => [
      ...(x(S!) === x(L!) ? [] : [state(1 - x(S!), true)]),
      ...(x(S!) === x(R!) && up(S!) && !up(R!) ? [state(x(S!), false)] : []),
    ];
  },
};

/** Dijkstra (1974): four-state machines on a line, whatever its length; the privilege goes up and down. Recovers from any corruption. */
export const dijkstraFourState = daemonMachines(fourStateRules);
