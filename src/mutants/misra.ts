import { pingPong } from '../algorithms/mutex/misra.ts';
import type { Mutant } from './mutant.ts';

export const misraModulo: Mutant = {
  ...pingPong('misra-modulo', (v, n) => (v + 1) % (n + 1)),
  of: 'misra',
  lie: 'counters run modulo n+1: with number 0 a token is taken for the other (ER-17, as printed in Raynal, 4.2)',
  failingRun: { n: '2', entries: '2', hold: 'uniform:1:60', seed: '262' },
};
