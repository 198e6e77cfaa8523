import { filterLock } from '../algorithms/shared/filter-lock.ts';
import type { SharedMutant } from './mutant.ts';

type Goto = (value: number, s: { j: number; k: number }) => string;

export const filterLockOneLevelShort: SharedMutant = {
  ...filterLock,
  name: 'filter-lock-one-level-short',
  of: 'filter-lock',
  lie: 'with three processes or more the last level is left out: two come through',
  program(place) {
    const lines = filterLock.program(place);
    const short = (line: 'wait until all Q[k] < j' | 'or TURN[j] ≠ i') => {
      const goto: Goto = (value, s) => {
        const next = (lines[line].goto as Goto)(value, s);
        return next === 'Q[i] := j' && s.j === place.n - 1 ? 'critical section' : next;
      };
      return { [line]: { ...lines[line], goto } };
    };
    return { ...lines, ...short('wait until all Q[k] < j'), ...short('or TURN[j] ≠ i') };
  },
};
