import { helaryPlouzeauRaynal } from '../algorithms/mutex/helary-plouzeau-raynal.ts';
import type { Mutant } from './mutant.ts';

export const helaryPlouzeauRaynalForgets: Mutant = {
  ...helaryPlouzeauRaynal,
  name: 'helary-plouzeau-raynal-forgets',
  of: 'helary-plouzeau-raynal',
  lie: 'a request that was served and deleted is accepted again when a late copy comes (ER-22, as printed in RR-0496, 4.3)',
  on: {
    ...helaryPlouzeauRaynal.on,
    request(s, p, m, j) {
      if (s.reqArray[m.origin] === undefined) delete s.youngest[m.origin];
      helaryPlouzeauRaynal.on.request(s, p, m, j);
    },
  },
};
