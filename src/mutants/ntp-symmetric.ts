import { ntpSymmetric } from '../algorithms/clocks/ntp-symmetric.ts';
import type { Mutant } from './mutant.ts';

export const ntpSymmetricForgetsStrata: Mutant = {
  ...ntpSymmetric,
  name: 'ntp-symmetric-forgets-strata',
  of: 'ntp-symmetric',
  lie: 'a peer does not say how far from the root it may be: who hears it takes it for the root',
  failingRun: { n: '5', topology: 'line', seed: '8' },
  on: {
    active: (s, p, m, j) => ntpSymmetric.on.active(s, p, { ...m, distance: 0 }, j),
    passive: (s, p, m, j) => ntpSymmetric.on.passive(s, p, { ...m, distance: 0 }, j),
  },
};
