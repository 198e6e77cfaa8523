import { kTokens } from '../algorithms/mutex/misra-k-tokens.ts';
import type { Mutant } from './mutant.ts';

export const misraKTokensNotFresh: Mutant = {
  ...kTokens('misra-k-tokens-not-fresh', 3, () => [0, 0, 0]),
  of: 'misra-k-tokens',
  lie: 'a token made again bears the stamp of the first: marks that the lost one left are taken for its own',
  failingRun: {
    ids: '1,2',
    think: 'uniform:0:20',
    hold: 'fixed:60',
    latency: 'fixed:2',
    seed: '25',
    lose: '5',
  },
};
