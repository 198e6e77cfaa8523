import { petersonLock } from '../algorithms/shared/peterson-lock.ts';
import type { SharedMutant } from './mutant.ts';

export const petersonLockTurnFirst: SharedMutant = {
  ...petersonLock,
  name: 'peterson-lock-turn-first',
  of: 'peterson-lock',
  lie: 'TURN is written before Q',
  failingRun: { n: '2', hold: 'fixed:40', seed: '37' },
  request: 'TURN := i',
  program(place) {
    const lines = petersonLock.program(place);
    return {
      ...lines,
      'TURN := i': { ...lines['TURN := i'], goto: 'Q[i] := true' },
      'Q[i] := true': { ...lines['Q[i] := true'], goto: 'wait until not Q[j]' },
    };
  },
};
