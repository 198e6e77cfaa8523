import { vitanyi } from '../algorithms/election/vitanyi.ts';
import type { Mutant } from './mutant.ts';

export const vitanyiKeepsTimer: Mutant = {
  ...vitanyi,
  name: 'vitanyi-keeps-timer',
  of: 'vitanyi',
  lie: 'a smaller id is noted, but the timer is not set for it',
  on: {
    ...vitanyi.on,
    unit(s, p, m, from) {
      const M = s.queue[0];
      if (M.type === 'M' && M.j < s.k) {
        s.k = M.j;
        s.queue = s.queue.slice(1);
        if (s.queue.length > 0) p.after(1, m);
      } else vitanyi.on.unit(s, p, m, from);
    },
  },
};
