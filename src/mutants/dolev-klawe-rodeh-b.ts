import { dolevKlaweRodehB } from '../algorithms/election/dolev-klawe-rodeh-b.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const dolevKlaweRodehBPassesAll: Mutant = {
  ...dolevKlaweRodehB,
  name: 'dolev-klawe-rodeh-b-passes-all',
  of: 'dolev-klawe-rodeh-b',
  lie: 'a passive process passes every M2 on, also one of a number that has fallen',
  failingRun: { ids: '1,2,3' },
  on: {
    ...dolevKlaweRodehB.on,
    M2(s, p, m, from) {
      if (s.state === 'passive' && m.i < s.max) p.send(next, m);
      else dolevKlaweRodehB.on.M2(s, p, m, from);
    },
  },
};
