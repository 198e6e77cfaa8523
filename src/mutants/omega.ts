import { omega } from '../algorithms/election/omega.ts';
import type { Mutant } from './mutant.ts';

export const omegaKeepsTimeouts: Mutant = {
  ...omega,
  name: 'omega-keeps-timeouts',
  of: 'omega',
  lie: 'a time-out that was too short does not grow',
  on: {
    ...omega.on,
    heartbeat(s, p, m, j) {
      const { timeouts } = s;
      s.timeouts = [...timeouts];
      omega.on.heartbeat(s, p, m, j);
      s.timeouts = timeouts;
    },
  },
};

export const omegaNeverReturns: Mutant = {
  ...omega,
  name: 'omega-never-returns',
  of: 'omega',
  failingRun: { n: '2', seed: '1' },
  lie: 'a process that was suspected is not trusted again, though its heartbeat comes',
  on: {
    ...omega.on,
    heartbeat(s, p, m, j) {
      if (j >= s.trusted) omega.on.heartbeat(s, p, m, j);
    },
  },
};
