// Dijkstra leads to Dekker's solution through failed attempts; these are three of them (EWD 123, section 2.1).
import { dekker } from '../algorithms/shared/dekker.ts';
import type { SharedMutant } from './mutant.ts';

export const dekkerLooksFirst: SharedMutant = {
  ...dekker,
  name: 'dekker-looks-first',
  of: 'dekker',
  lie: 'it waits until the other does not want to, and only then says that it wants to itself',
  request: 'L: if c[j] = 0',
  program: (place) => ({
    ...dekker.program(place),
    'L: if c[j] = 0': {
      read: 'c',
      at: 1 - place.me,
      goto: (c: number) => (c === 0 ? 'L: if c[j] = 0' : 'A: c[i] := 0'),
    },
    'A: c[i] := 0': { write: 'c', at: place.me, value: 0, goto: 'critical section' },
  }),
};

export const dekkerInsists: SharedMutant = {
  ...dekker,
  name: 'dekker-insists',
  of: 'dekker',
  lie: 'without the turn, nobody steps back: both say that they want to, and both wait',
  program: (place) => ({
    ...dekker.program(place),
    'L: if c[j] = 0': {
      read: 'c',
      at: 1 - place.me,
      goto: (c: number) => (c === 0 ? 'L: if c[j] = 0' : 'critical section'),
    },
  }),
};

export const dekkerAfterYou: SharedMutant = {
  ...dekker,
  name: 'dekker-after-you',
  of: 'dekker',
  lie: 'without the turn, both step back: at equal speeds for ever',
  program: (place) => ({
    ...dekker.program(place),
    'L: if c[j] = 0': {
      read: 'c',
      at: 1 - place.me,
      goto: (c: number) => (c === 0 ? 'c[i] := 1' : 'critical section'),
    },
    'c[i] := 1': { write: 'c', at: place.me, value: 1, goto: 'A: c[i] := 0' },
  }),
};
