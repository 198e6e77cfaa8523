import { martin } from '../algorithms/mutex/martin.ts';
import type { Mutant } from './mutant.ts';

export const martinLetsGo: Mutant = {
  ...martin,
  name: 'martin-lets-go',
  of: 'martin',
  lie: 'who is inside gives the privilege away when the right neighbour asks',
  failingRun: { n: '2', seed: '29' },
  on: {
    ...martin.on,
    request(s, p, m, side) {
      s.inside = false;
      martin.on.request(s, p, m, side);
    },
  },
};
