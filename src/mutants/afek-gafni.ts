import { afekGafni } from '../algorithms/election/afek-gafni.ts';
import type { Mutant } from './mutant.ts';

export const afekGafniForgets: Mutant = {
  ...afekGafni,
  name: 'afek-gafni-forgets',
  of: 'afek-gafni',
  lie: 'an ask that comes while the owner is being asked about another is dropped',
  failingRun: { n: '5', seed: '15' },
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
  failingRun: {
    ids: '1,2,3,4,5,6,7,8,9,879,11,12,13,14,15,16,17,18,19,20,21,609,638,667,696,725,754,783,812,841',
    start: '9,21@1000,22@2000,23@3000,24@4000,25@5000,26@6000,27@7000,28@8000,29@9000',
    slow: '9-20:1000000',
    latency: 'fixed:1',
  },
  on: {
    ...afekGafni.on,
    'yield?'(s, p, m, link) {
      if (s.state === 'king') afekGafni.on['yield?'](s, p, m, link);
      else p.send(link, { type: 'yes' });
    },
  },
};
