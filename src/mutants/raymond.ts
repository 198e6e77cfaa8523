import { raymond } from '../algorithms/mutex/raymond.ts';
import type { Mutant } from './mutant.ts';

export const raymondForgetsItself: Mutant = {
  ...raymond,
  name: 'raymond-forgets-itself',
  of: 'raymond',
  lie: 'who passes the privilege on drops its own request',
  on: {
    ...raymond.on,
    privilege(s, p, m, from) {
      raymond.on.privilege(s, p, m, from);
      const self = 'me';
      if (s.holder !== self) s.requestQ = s.requestQ.filter((link: number | typeof self) => link !== self);
    },
  },
};
