import { daemonMachines } from '../algorithms/shared/dijkstra.ts';
import { fourStateRules } from '../algorithms/shared/dijkstra-four-state.ts';
import type { SharedMutant } from './mutant.ts';

export const dijkstraFourStateNoDirection: SharedMutant = {
  ...daemonMachines({
    ...fourStateRules,
    name: 'dijkstra-four-state-no-direction',
    moves(i, n) {
      if (i > 0) return fourStateRules.moves(i, n);
      return (S, R) => (S! >> 1 === R! >> 1 ? [(S! + 2) % 4] : []);
    },
  }),
  of: 'dijkstra-four-state',
  lie: 'the bottom machine does not look whether its neighbour is up: it moves again before the privilege is back',
};
