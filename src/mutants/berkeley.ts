import { averaging, berkeley } from '../algorithms/clocks/berkeley.ts';
import type { Mutant } from './mutant.ts';

export const berkeleyAveragesAll: Mutant = {
  ...averaging('berkeley-averages-all', Infinity),
  of: 'berkeley',
  lie: 'no clock is discarded, however far it is from the others',
  failingRun: { n: '4', lie: '2@0:30000' },
};

export const berkeleySendsTimes: Mutant = {
  ...berkeley,
  name: 'berkeley-sends-times',
  of: 'berkeley',
  lie: 'each is sent the time, not its offset: what it should have shown when it was read, and shows when it hears of it',
  on: {
    ...berkeley.on,
    correct(s, p, m, j) {
      const since = p.clock() - s.read;
      berkeley.on.correct(s, p, { ...m, by: m.by - since }, j);
    },
  },
};
