import { bakery } from '../algorithms/shared/bakery.ts';
import type { SharedMutant } from './mutant.ts';

export const bakeryNoChoosing: SharedMutant = {
  ...bakery,
  name: 'bakery-no-choosing',
  of: 'bakery',
  lie: 'it does not wait at L2 for who is still choosing',
  failingRun: { n: '2', think: 'fixed:0', seed: '139' },
  program(place) {
    const lines = bakery.program(place);
    const l2 = lines['L2: if choosing[j] ≠ 0 goto L2'];
    const l3 = 'L3: if (number[j], j) < (number[i], i) goto L3';
    return { ...lines, 'L2: if choosing[j] ≠ 0 goto L2': { ...l2, goto: l3 } };
  },
};

export const bakeryNoNames: SharedMutant = {
  ...bakery,
  name: 'bakery-no-names',
  of: 'bakery',
  lie: 'at L3 it compares numbers only: two may have the same',
  failingRun: { n: '2' },
  program(place) {
    const lines = bakery.program(place);
    const l3 = 'L3: if (number[j], j) < (number[i], i) goto L3' as const;
    const goto = (number: number, s: { j: number; maximum: number }) => {
      if (number !== 0 && number < 1 + s.maximum) return l3;
      s.j += 1;
      return s.j < place.n ? 'L2: if choosing[j] ≠ 0 goto L2' : 'critical section';
    };
    return { ...lines, [l3]: { ...lines[l3], goto } };
  },
};
