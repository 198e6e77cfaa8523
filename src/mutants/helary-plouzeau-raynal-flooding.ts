import { helaryPlouzeauRaynalFlooding as flooding } from '../algorithms/mutex/helary-plouzeau-raynal-flooding.ts';
import type { Mutant } from './mutant.ts';

export const helaryPlouzeauRaynalFloodingHearsItself: Mutant = {
  ...flooding,
  name: 'helary-plouzeau-raynal-flooding-hears-itself',
  of: 'helary-plouzeau-raynal-flooding',
  lie: 'an origin does not remember its own request: it notes and floods it again when it comes back',
  calls: {
    ...flooding.calls,
    request(s, p) {
      flooding.calls.request(s, p);
      delete s.youngest[p.me];
    },
  },
};

export const helaryPlouzeauRaynalFloodingLastCopy: Mutant = {
  ...flooding,
  name: 'helary-plouzeau-raynal-flooding-last-copy',
  of: 'helary-plouzeau-raynal-flooding',
  lie: 'the token goes back to the neighbour that sent the last copy of a request, not the first',
  on: {
    ...flooding.on,
    request(s, p, m, j) {
      flooding.on.request(s, p, m, j);
      if (s.reqArray[m.origin]?.time === m.time) s.reqArray[m.origin].via = j;
    },
  },
};

export const helaryPlouzeauRaynalFloodingLetsGo: Mutant = {
  ...flooding,
  name: 'helary-plouzeau-raynal-flooding-lets-go',
  of: 'helary-plouzeau-raynal-flooding',
  lie: 'a process that is inside gives the token away when a request comes',
  on: {
    ...flooding.on,
    request(s, p, m, j) {
      const { inCS } = s;
      s.inCS = false;
      flooding.on.request(s, p, m, j);
      s.inCS = inCS;
    },
  },
};
