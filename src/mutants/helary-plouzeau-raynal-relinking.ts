import { helaryPlouzeauRaynalRelinking as relinking } from '../algorithms/mutex/helary-plouzeau-raynal-relinking.ts';
import type { Mutant } from './mutant.ts';

export const helaryPlouzeauRaynalRelinkingNeighboursOnly: Mutant = {
  ...relinking,
  name: 'helary-plouzeau-raynal-relinking-neighbours-only',
  of: 'helary-plouzeau-raynal-relinking',
  lie: 'a change of links only updates the neighbours (ER-25, as printed in section 7)',
  failingRun: {
    n: '4',
    topology: 'grid',
    root: '3',
    start: '3@1,1@5,0@40',
    hold: 'fixed:60',
    latency: 'fixed:2',
    cut: '0-1@0,0-2@0,2-3@0',
    link: '0-2@30,2-3@30',
  },
  links: {
    appears(s, _p, j) {
      s.neighbours = [...s.neighbours, j];
    },
    goes(s, _p, j) {
      s.neighbours = s.neighbours.filter((k: number) => k !== j);
    },
  },
};
