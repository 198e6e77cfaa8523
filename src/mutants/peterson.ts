import { peterson, proceed } from '../algorithms/election/peterson.ts';
import type { Mutant } from './mutant.ts';

export const petersonNeverStops: Mutant = {
  ...peterson,
  name: 'peterson-never-stops',
  of: 'peterson',
  lie: 'who receives its own id is elected and goes on as if nothing had happened (ER-19, as printed in Algorithm 4.20)',
  failingRun: { ids: '1,2', limit: '100' },
  on: {
    ...peterson.on,
    tid(s, p, m, from) {
      const { state, leader } = s;
      if (m.id !== p.id) {
        peterson.on.tid(s, p, m, from);
        return;
      }
      if (leader === null) peterson.on.tid(s, p, m, from);
      s.state = state;
      proceed(s, p, m.id);
    },
  },
};

export const petersonStrict: Mutant = {
  ...peterson,
  name: 'peterson-strict',
  of: 'peterson',
  lie: 'the id received first must exceed the second, not only equal it: nobody is left',
  on: {
    ...peterson.on,
    tid(s, p, m, from) {
      if (s.state === 'active' && s.ntid === m.id && m.id !== p.id) s.state = 'relay';
      else peterson.on.tid(s, p, m, from);
    },
  },
};
