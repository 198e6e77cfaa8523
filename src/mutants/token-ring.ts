import { tokenRing } from '../algorithms/mutex/token-ring.ts';
import { next } from '../core/algorithm.ts';
import { tokenHops } from '../core/bounds.ts';
import type { Mutant } from './mutant.ts';

export const tokenRingAsPrinted: Mutant = {
  ...tokenRing,
  name: 'token-ring-as-printed',
  of: 'token-ring',
  lie: 'the handlers are right, the bound is not: 1 to n-1 hops to obtain the token (ER-10, as printed in lecture slides)',
  failingRun: { n: '3', start: '0@1', latency: 'fixed:2' },
  bounds: [
    ...tokenRing.bounds.filter(({ measures }) => measures !== 'tokenHops'),
    tokenHops.atLeast(['token'], '1', 'lecture slides, unit 3', () => 1),
    tokenHops.atMost(['token'], 'n-1', 'lecture slides, unit 3', ({ n }) => n - 1),
  ],
};

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
