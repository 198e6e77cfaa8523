import { dolevKlaweRodeh } from '../algorithms/election/dolev-klawe-rodeh.ts';
import type { Mutant } from './mutant.ts';

export const dolevKlaweRodehPassiveAtFirst: Mutant = {
  ...dolevKlaweRodeh,
  name: 'dolev-klawe-rodeh-passive-at-first',
  of: 'dolev-klawe-rodeh',
  lie: 'who has not started is passive: it passes numbers on, and may start after that (ER-12, as printed in Raynal, 5.4)',
  failingRun: { ids: '1,2', start: '0' },
  init: (place) => ({ ...dolevKlaweRodeh.init(place), state: 'passive' }),
  calls: {
    start(s, p) {
      s.state = 'idle';
      dolevKlaweRodeh.calls.start(s, p);
    },
  },
};
