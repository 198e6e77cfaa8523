import { bully } from '../algorithms/election/bully.ts';
import type { Mutant } from './mutant.ts';

export const bullyAnswersSuperiors: Mutant = {
  ...bully,
  name: 'bully-answers-superiors',
  of: 'bully',
  lie: 'an election is answered when it was started above, not below (ER-01, as printed in lecture slides)',
  on: {
    ...bully.on,
    election(s, p, m, j) {
      if (j > p.me) bully.on.election(s, p, m, j);
    },
  },
};

export const bullyShortCut: Mutant = {
  ...bully,
  name: 'bully-short-cut',
  of: 'bully',
  lie: 'who has nobody above wins without waiting T, as most textbooks have it; elections overlap and messages explode',
  calls: { start: (s, p) => start(s, p) },
  recover: (s, p) => start(s, p),
  on: {
    ...bully.on,
    election(s, p, m, j) {
      if (Math.max(p.me, ...p.neighbours) > p.me) bully.on.election(s, p, m, j);
      else {
        p.send(j, { type: 'answer' });
        start(s, p);
      }
    },
  },
};

const start: Mutant['calls'][string] = (s, p) => {
  if (Math.max(p.me, ...p.neighbours) > p.me) bully.calls.start(s, p);
  else bully.on.T(s, p, { type: 'T' }, p.me);
};
