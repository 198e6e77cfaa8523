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
