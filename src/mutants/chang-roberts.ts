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

export const changRobertsNoGuard: Mutant = {
  ...changRoberts,
  name: 'chang-roberts-no-guard',
  of: 'chang-roberts',
  lie: 'a process that takes part already may start: the winner is elected once more (ER-35, as printed in Raynal, 5.2)',
  failingRun: { ids: '1,2', latency: 'fixed:2', start: '0@0,1@3' },
  calls: {
    start(s, p) {
      s.participating = true;
      p.send(next, { type: 'election', id: p.id });
    },
  },
};

export const changRobertsClearsTwice: Mutant = {
  ...changRoberts,
  name: 'chang-roberts-clears-twice',
  of: 'chang-roberts',
  lie: 'the winner clears its mark when it wins, and again when its announcement is back: by then it may have started a new election',
  failingRun: { ids: '1,2,3', latency: 'fixed:2', start: '1@0,2@9,0@11' },
  on: {
    ...changRoberts.on,
    leader(s, p, m) {
      s.participating = false;
      changRoberts.on.leader(s, p, m, next);
    },
  },
};
