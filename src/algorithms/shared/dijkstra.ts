// E. W. Dijkstra: Self-stabilizing Systems in Spite of Distributed Control. CACM 17(11):643-644, 1974: the model that its three solutions
// share. A machine reads the states of neighbours and its own, and moves, all in one step. A central daemon chooses the machine that takes
// the next step. The paper has privileges only. Here a machine that wants to enter keeps its privilege while it is inside, and moves when
// it leaves. If a machine has two privileges, it makes the first of its moves.

import type { Bound } from '../../core/algorithm.ts';
import { type AccessKind, sharedAlgorithm } from '../../core/shared-algorithm.ts';

/** The rules of one solution, for machine i of n. */
export interface MachineRules {
  readonly name: string;
  readonly processes?: { readonly min: number };
  readonly bounds: readonly Bound<AccessKind>[];
  /** Returns the states that a machine can have. It begins with the first. */
  states(i: number, n: number): readonly number[];
  /** Returns the machines whose states it reads, in the order in which `moves` receives them. */
  reads(i: number, n: number): readonly number[];
  /** Returns a move for each privilege that the machine has: its next state. */
  moves(i: number, n: number): (...states: number[]) => readonly number[];
}

export const daemonMachines = ({ name, processes, bounds, states, reads, moves }: MachineRules) =>
  sharedAlgorithm({
    name,
    problem: 'mutex',
    paper: 'doi:10.1145/361179.361202',
    ...(processes && { processes }),
    assumes: { failures: 'corruption', accesses: 'composite' },
    perpetual: true,
    bounds,
    registers: (n) => ({ S: Array.from({ length: n }, (_, i) => states(i, n)[0]!) }),
    init: () => ({}),

    request: 'wait for the privilege',
    release: 'move',
    program({ me: i, n }) {
      const seen = reads(i, n).map((machine) => ['S', machine] as const);
      const movesOf = moves(i, n);
      const moved = (values: readonly number[]) => movesOf(...values)[0] ?? null;
      return {
        'noncritical section': { reads: seen, writes: ['S', i], value: moved, goto: 'noncritical section' },
        'wait for the privilege': {
          reads: seen,
          goto: (values) => (movesOf(...values).length > 0 ? 'critical section' : 'wait for the privilege'),
        },
        move: { reads: seen, writes: ['S', i], value: moved, goto: 'noncritical section' },
      };
    },

    stabilises: {
      scramble({ me, n, choose }) {
        const all = states(me, n);
        return { S: all[choose(all.length)]! };
      },
      // There is one privilege, and a process that is inside has it.
      legitimate({ memory: { S }, processes: machines }) {
        const n = S.length;
        const privileges = S.map((_, i) => moves(i, n)(...reads(i, n).map((j) => S[j]!)).length);
        return (
          privileges.reduce((sum, count) => sum + count, 0) === 1 &&
          machines.every(({ at }, i) => at !== 'critical section' || privileges[i] === 1)
        );
      },
    },
  });
