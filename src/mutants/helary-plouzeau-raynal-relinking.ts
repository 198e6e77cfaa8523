import { helaryPlouzeauRaynalRelinking as relinking } from '../algorithms/mutex/helary-plouzeau-raynal-relinking.ts';
import type { Mutant } from './mutant.ts';

export const helaryPlouzeauRaynalRelinkingNeighboursOnly: Mutant = {
  ...relinking,
  name: 'helary-plouzeau-raynal-relinking-neighbours-only',
  of: 'helary-plouzeau-raynal-relinking',
  lie: 'a change of links only updates the neighbours (ER-25, as printed in section 7)',
  links: {
    appears(s, _p, j) {
      s.neighbours = [...s.neighbours, j];
    },
    goes(s, _p, j) {
      s.neighbours = s.neighbours.filter((k: number) => k !== j);
    },
  },
};
