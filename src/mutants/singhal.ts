import { singhal } from '../algorithms/mutex/singhal.ts';
import type { Mutant } from './mutant.ts';

export const singhalLearnsNothing: Mutant = {
  ...singhal,
  name: 'singhal-learns-nothing',
  of: 'singhal',
  lie: 'what the token knows of the others is not believed',
  on: {
    ...singhal.on,
    token(s, p, m, from) {
      singhal.on.token(s, p, { ...m, TN: m.TN.map((_: number, j: number) => s.SN[j]), TV: [...s.SV] }, from);
    },
  },
};
