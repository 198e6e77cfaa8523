import { hirschbergSinclair } from '../algorithms/election/hirschberg-sinclair.ts';
import type { Mutant } from './mutant.ts';

export const hirschbergSinclairLostNegation: Mutant = {
  ...hirschbergSinclair,
  name: 'hirschberg-sinclair-lost-negation',
  of: 'hirschberg-sinclair',
  lie: 'two favourable responses make a candidate lose (ER-14, as printed in Raynal, 5.3)',
  on: {
    ...hirschbergSinclair.on,
    response(s, p, m, side) {
      if (m.number !== p.id || s.nbresp === 0) {
        hirschbergSinclair.on.response(s, p, m, side);
        return;
      }
      const bool = !(s.respOK && m.bool);
      s.respOK = true;
      hirschbergSinclair.on.response(s, p, { ...m, bool }, side);
    },
  },
};

export const hirschbergSinclairFirstCopy: Mutant = {
  ...hirschbergSinclair,
  name: 'hirschberg-sinclair-first-copy',
  of: 'hirschberg-sinclair',
  lie: 'the first copy of the candidature that is back ends the election; the second meets processes that are through (ER-16, Raynal, 5.3)',
  failingRun: null,
  on: {
    ...hirschbergSinclair.on,
    candidature(s, p, m, side) {
      if (m.number === p.id) {
        if (s.state === 'elected') return;
        s.nbback = 1;
      }
      hirschbergSinclair.on.candidature(s, p, m, side);
    },
    ended(s, p, m, side) {
      hirschbergSinclair.on.ended(s, p, m, side);
      if (m.number !== p.id) s.state = 'not_involved';
    },
  },
};

export const hirschbergSinclairWaits: Mutant = {
  ...hirschbergSinclair,
  name: 'hirschberg-sinclair-waits',
  of: 'hirschberg-sinclair',
  lie: 'the winner is declared when its wait for two responses is over, which as printed never ends (ER-15, Raynal, 5.3)',
  on: {
    ...hirschbergSinclair.on,
    candidature(s, p, m, side) {
      if (m.number === p.id && s.nbresp < 2) return;
      hirschbergSinclair.on.candidature(s, p, m, side);
    },
  },
};
