import { kState } from '../algorithms/mutex/dijkstra-k-state.ts';
import type { Mutant } from './mutant.ts';

export const dijkstraKStateTooFew: Mutant = {
  ...kState('dijkstra-k-state-too-few', (n) => 2 * n - 1),
  of: 'dijkstra-k-state',
  lie: 'K = 2n - 1, enough where a copy is read, not where it is sent: as many values as states and copies can chase each other for ever',
  failingRun: { n: '2', start: 'none', latency: 'fixed:3', corrupt: 'all@0', seed: '14', limit: '24' },
};
