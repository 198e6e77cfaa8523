import { naimiTrehel } from '../algorithms/mutex/naimi-trehel.ts';
import type { Mutant } from './mutant.ts';

export const naimiTrehelNoReversal: Mutant = {
  ...naimiTrehel,
  name: 'naimi-trehel-no-reversal',
  of: 'naimi-trehel',
  lie: 'a root that asks does not point to who asked after it, and still takes itself for the root when the token is gone',
  on: {
    ...naimiTrehel.on,
    request(s, p, m, from) {
      const wasRoot = s.last === null;
      naimiTrehel.on.request(s, p, m, from);
      if (wasRoot && s.requestingCs) s.last = null;
    },
  },
};
