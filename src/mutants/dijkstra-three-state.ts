import { daemonMachines } from '../algorithms/shared/dijkstra.ts';
import { threeStateRules } from '../algorithms/shared/dijkstra-three-state.ts';
import type { SharedMutant } from './mutant.ts';

export const dijkstraThreeStateOneSided: SharedMutant = {
  ...daemonMachines({
    ...threeStateRules,
    name: 'dijkstra-three-state-one-sided',
    moves(i, n) {
      if (i < n - 1) return threeStateRules.moves(i, n);
      return (L, S) => ((L! + 1) % 3 === S ? [] : [(L! + 1) % 3]);
    },
  }),
  of: 'dijkstra-three-state',
  lie: 'the top machine does not look whether L = R: it moves while the privilege is elsewhere',
};
