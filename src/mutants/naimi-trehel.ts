import { naimiTrehel } from '../algorithms/mutex/naimi-trehel.ts';
import type { Mutant } from './mutant.ts';

export const naimiTrehelNoReversal: Mutant = {
  ...naimiTrehel,
  name: 'naimi-trehel-no-reversal',
  of: 'naimi-trehel',
  lie: 'the root does not point to who asked, so the next request is lost behind it',
  on: {
    ...naimiTrehel.on,
    request(s, p, m, from) {
      const wasRoot = s.last === null;
      naimiTrehel.on.request(s, p, m, from);
      if (wasRoot && s.requestingCs) s.last = null;
    },
  },
};
