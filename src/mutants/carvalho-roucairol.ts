import { carvalhoRoucairol } from '../algorithms/mutex/carvalho-roucairol.ts';
import type { Mutant } from './mutant.ts';

export const carvalhoRoucairolGivesAway: Mutant = {
  ...carvalhoRoucairol,
  name: 'carvalho-roucairol-gives-away',
  of: 'carvalho-roucairol',
  lie: 'a permission given away while we want it ourselves is not asked for again',
  on: {
    ...carvalhoRoucairol.on,
    request(s, p, m, j) {
      const hadItsPermission = s.authorised[j];
      s.authorised[j] = false;
      carvalhoRoucairol.on.request(s, p, m, j);
      if (s.replyDeferred[j]) s.authorised[j] = hadItsPermission;
    },
  },
};
