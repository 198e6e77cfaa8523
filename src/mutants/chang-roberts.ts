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

/** Starts even if the process already takes part. */
const start: Mutant['calls'][string] = (s, p) => {
  s.participating = true;
  p.send(next, { type: 'election', id: p.id });
};

export const changRobertsNoGuard: Mutant = {
  ...changRoberts,
  name: 'chang-roberts-no-guard',
  of: 'chang-roberts',
  lie: 'who takes part already may start: the winner is elected twice (ER-35, as printed in Raynal, 5.2)',
  failingRun: { ids: '1,2', latency: 'fixed:2', start: '0@0,1@3' },
  calls: { start },
};

/** Handles the announcement of the leader, then clears the mark. */
const clearing: Mutant['on'][string] = (s, p, m) => {
  changRoberts.on.leader(s, p, m as { type: 'leader'; id: number }, next);
  s.participating = false;
};

export const changRobertsClears: Mutant = {
  ...changRoberts,
  name: 'chang-roberts-clears',
  of: 'chang-roberts',
  lie: 'the mark is cleared when the leader is known: a late id begins again where channels are not FIFO (ER-35, Raynal, 5.2)',
  failingRun: { ids: '1,2', latency: 'exponential:20', seed: '68' },
  on: { ...changRoberts.on, leader: clearing },
};

export const changRobertsClearsEarly: Mutant = {
  ...changRobertsNoGuard,
  name: 'chang-roberts-clears-early',
  lie: 'who takes part may start, and the winner clears its mark before all know: it begins again (ER-35, slides, step 5a)',
  failingRun: { ids: '1,2', latency: 'fixed:2', start: '1@0,0@5' },
  assumes: { ...changRoberts.assumes, channels: 'fifo' },
  on: {
    leader: clearing,
    election(s, p, m, from) {
      changRoberts.on.election(s, p, m, from);
      if (m.id === p.id) s.participating = false;
    },
  },
};
