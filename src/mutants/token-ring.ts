import { tokenRing } from '../algorithms/mutex/token-ring.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const tokenRingHurries: Mutant = {
  ...tokenRing,
  name: 'token-ring-hurries',
  of: 'token-ring',
  lie: 'the token is passed on when one enters, not when one leaves',
  calls: {
    ...tokenRing.calls,
    release(s) {
      s.wanting = false;
    },
  },
  on: {
    token(s, p, m) {
      if (s.wanting) p.emit({ type: 'entered' });
      p.send(next, m);
    },
  },
};
