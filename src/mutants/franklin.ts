import { franklin } from '../algorithms/election/franklin.ts';
import { left, right } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const franklinForgets: Mutant = {
  ...franklin,
  name: 'franklin-forgets',
  of: 'franklin',
  lie: 'who becomes passive does not pass on what already waits on one side',
  failingRun: { ids: '2,1', seed: '28' },
  on: {
    ...franklin.on,
    candidate(s, p, m, side) {
      const [waiting] = s.received[side === left ? right : left];
      if (s.state === 'active' && waiting !== undefined && Math.max(waiting, m.id) > p.id) {
        s.state = 'passive';
        s.received = [[], []];
      } else franklin.on.candidate(s, p, m, side);
    },
  },
};
