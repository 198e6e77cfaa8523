import { vitanyiRingSize } from '../algorithms/election/vitanyi-ring-size.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const vitanyiRingSizeHurries: Mutant = {
  ...vitanyiRingSize,
  name: 'vitanyi-ring-size-hurries',
  of: 'vitanyi-ring-size',
  lie: 'the count ends when sleepwell arrives, not in the next unit, when it is read: one too few',
  failingRun: null,
  on: {
    ...vitanyiRingSize.on,
    sleepwell(s, p, m) {
      if (s.electedOne === p.id) vitanyiRingSize.on.back(s, p, { type: 'back' }, next);
      else vitanyiRingSize.on.sleepwell(s, p, m, next);
    },
  },
};
