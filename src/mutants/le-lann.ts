import { leLann } from '../algorithms/election/le-lann.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const leLannCompleteAtOnce: Mutant = {
  ...leLann,
  name: 'le-lann-complete-at-once',
  of: 'le-lann',
  lie: "another's number completes the list of who takes part, and goes no further (ER-02, as printed in lecture slides)",
  on: {
    elect(s, p, m, from) {
      const isFirst = s.activeList.length === 0;
      leLann.on.elect(s, p, isFirst ? m : { ...m, j: p.id }, from);
    },
  },
};

export const leLannOwnNumberLast: Mutant = {
  ...leLann,
  name: 'le-lann-own-number-last',
  of: 'le-lann',
  lie: 'who hears of the election passes the number on first, and then sends its own: too late to be in the list',
  failingRun: { ids: '1,2', start: '0' },
  on: {
    elect(s, p, m, from) {
      if (s.activeList.length > 0) leLann.on.elect(s, p, m, from);
      else {
        p.send(next, m);
        leLann.calls.start(s, p);
        s.activeList.push(m.j);
      }
    },
  },
};
