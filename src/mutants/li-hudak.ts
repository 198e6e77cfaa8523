import { liHudak } from '../algorithms/mutex/li-hudak.ts';
import type { Mutant } from './mutant.ts';

export const liHudakForgets: Mutant = {
  ...liHudak,
  name: 'li-hudak-forgets',
  of: 'li-hudak',
  lie: 'the queue that comes with the page replaces that of those who wait here',
  on: {
    ...liHudak.on,
    page(s, p, m, from) {
      s.queue = [];
      liHudak.on.page(s, p, m, from);
    },
  },
};

export const liHudakStaysOwner: Mutant = {
  ...liHudak,
  name: 'li-hudak-stays-owner',
  of: 'li-hudak',
  lie: 'who leaves does not note to whom it sends the page, and still takes itself for the owner',
  calls: {
    ...liHudak.calls,
    release(s, p) {
      liHudak.calls.release(s, p);
      s.probOwner = p.me;
    },
  },
};
