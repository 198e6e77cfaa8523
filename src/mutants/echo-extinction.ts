import { echoExtinction } from '../algorithms/election/echo-extinction.ts';
import type { Mutant } from './mutant.ts';

export const echoExtinctionCountsAll: Mutant = {
  ...echoExtinction,
  name: 'echo-extinction-counts-all',
  of: 'echo-extinction',
  lie: 'a message of a smaller wave counts for the own one, which then closes too early',
  on: {
    ...echoExtinction.on,
    wave(s, p, m, link) {
      const isSmaller = s.wave !== null && m.id < s.wave;
      echoExtinction.on.wave(s, p, isSmaller ? { ...m, id: s.wave! } : m, link);
    },
  },
};

export const echoExtinctionJoins: Mutant = {
  ...echoExtinction,
  name: 'echo-extinction-joins',
  of: 'echo-extinction',
  lie: 'whom a wave wakes joins it, also a smaller one: the largest of the initiators wins, not of all',
  failingRun: { ids: '1,2', topology: 'line', start: '0' },
  on: {
    ...echoExtinction.on,
    wave(s, p, m, link) {
      s.wave ??= 0; // smaller than any id
      echoExtinction.on.wave(s, p, m, link);
    },
  },
};
