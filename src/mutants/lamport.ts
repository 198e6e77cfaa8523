import { lamport } from '../algorithms/mutex/lamport.ts';
import type { Mutant } from './mutant.ts';

export const lamportOneAcknowledgement: Mutant = {
  ...lamport,
  name: 'lamport-one-acknowledgement',
  of: 'lamport',
  lie: 'rule 5 (ii) is taken as fulfilled for everybody when one acknowledgement has come',
  failingRun: { n: '3', seed: '55' },
  on: {
    ...lamport.on,
    acknowledge(s, p, m, j) {
      for (const k of p.neighbours) s.latest[k] = Math.max(s.latest[k], m.t);
      lamport.on.acknowledge(s, p, m, j);
    },
  },
};
