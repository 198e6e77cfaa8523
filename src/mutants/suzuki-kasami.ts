import { suzukiKasami } from '../algorithms/mutex/suzuki-kasami.ts';
import type { Mutant } from './mutant.ts';

export const suzukiKasamiForgets: Mutant = {
  ...suzukiKasami,
  name: 'suzuki-kasami-forgets',
  of: 'suzuki-kasami',
  lie: 'who leaves does not note in the token that its request was served',
  calls: {
    ...suzukiKasami.calls,
    release(s, p) {
      const own = s.RN[p.me];
      s.RN[p.me] = s.privilege.LN[p.me];
      suzukiKasami.calls.release(s, p);
      s.RN[p.me] = own;
    },
  },
};
