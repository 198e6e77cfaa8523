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
      const bool = m.number === p.id ? !m.bool : m.bool;
      hirschbergSinclair.on.response(s, p, { ...m, bool }, side);
    },
  },
};
