import { itaiRodeh } from '../algorithms/election/itai-rodeh.ts';
import type { Mutant } from './mutant.ts';

export const itaiRodehNotUnique: Mutant = {
  ...itaiRodeh,
  name: 'itai-rodeh-not-unique',
  of: 'itai-rodeh',
  lie: 'whose id comes back wins, even if somebody else had drawn the same',
  failingRun: { n: '2', seed: '2' },
  on: {
    ...itaiRodeh.on,
    candidate: (s, p, m, from) => itaiRodeh.on.candidate(s, p, { ...m, unique: true }, from),
  },
};
