import { afekGafni } from '../algorithms/election/afek-gafni.ts';
import type { Mutant } from './mutant.ts';

export const afekGafniForgets: Mutant = {
  ...afekGafni,
  name: 'afek-gafni-forgets',
  of: 'afek-gafni',
  lie: 'an ask that comes while the owner is being asked about another is dropped',
  on: {
    ...afekGafni.on,
    ask(s, p, m, link) {
      if (s.claims.length === 0) afekGafni.on.ask(s, p, m, link);
    },
  },
};

export const afekGafniYields: Mutant = {
  ...afekGafni,
  name: 'afek-gafni-yields',
  of: 'afek-gafni',
  lie: 'a beaten owner yields to anybody (our collection, EL-12): the winner is right, the messages grow like n^2',
  on: {
    ...afekGafni.on,
    'yield?'(s, p, m, link) {
      if (s.state === 'king') afekGafni.on['yield?'](s, p, m, link);
      else p.send(link, { type: 'yes' });
    },
  },
};
