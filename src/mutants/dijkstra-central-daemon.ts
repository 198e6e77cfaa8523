import { centralDaemon, dijkstraCentralDaemon } from '../algorithms/shared/dijkstra-central-daemon.ts';
import type { SharedMutant } from './mutant.ts';

export const dijkstraCentralDaemonMovesEarly: SharedMutant = {
  ...dijkstraCentralDaemon,
  name: 'dijkstra-central-daemon-moves-early',
  of: 'dijkstra-central-daemon',
  lie: 'a machine moves when it enters, not when it leaves: its right neighbour has the privilege while it is inside',
  program(place) {
    const lines = dijkstraCentralDaemon.program(place);
    const { goto } = lines['wait for the privilege'];
    return { ...lines, 'wait for the privilege': { ...lines.move, goto } };
  },
};

export const dijkstraCentralDaemonTooFew: SharedMutant = {
  ...centralDaemon('dijkstra-central-daemon-too-few', (n) => Math.max(2, n - 2)),
  of: 'dijkstra-central-daemon',
  lie: 'K = n - 2 from four machines on: as many values as the other machines can hold chase each other for ever',
  failingRun: {
    ...{ n: '4', start: 'none', latency: 'fixed:10', seed: '6', limit: '60' },
    ...{ corrupt: 'all@0', pause: '2@5-12,1@5-14,0@5-16' }, // from then on the machines take their steps from right to left
  },
};
