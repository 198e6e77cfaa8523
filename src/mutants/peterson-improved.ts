import { petersonImproved } from '../algorithms/election/peterson-improved.ts';
import type { Mutant } from './mutant.ts';

export const petersonImprovedOddOnly: Mutant = {
  ...petersonImproved,
  name: 'peterson-improved-odd-only',
  of: 'peterson-improved',
  lie: 'every step is an odd one: ids that rise along the ring fall one by one',
  failingRun: { ids: '1,2,3,4' },
  on: {
    ...petersonImproved.on,
    tid(s, p, m, from) {
      s.step = Math.min(s.step, 1);
      petersonImproved.on.tid(s, p, m, from);
    },
  },
};
