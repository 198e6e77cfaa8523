import { changRoberts } from '../algorithms/election/chang-roberts.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const changRobertsLostNegation: Mutant = {
  ...changRoberts,
  name: 'chang-roberts-lost-negation',
  of: 'chang-roberts',
  lie: 'who takes part answers a smaller id with its own, who does not swallows it (ER-03, as printed in Raynal, 5.2)',
  on: {
    ...changRoberts.on,
    election(s, p, m) {
      if (m.id >= p.id) changRoberts.on.election(s, p, m, next);
      else if (s.participating) p.send(next, { type: 'election', id: p.id });
    },
  },
};
