import { listCarryingRing } from '../algorithms/election/list-carrying-ring.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const listCarryingRingStopsAtLeader: Mutant = {
  ...listCarryingRing,
  name: 'list-carrying-ring-stops-at-leader',
  of: 'list-carrying-ring',
  lie: 'the announcement ends at the process it names, not at the one that sent it',
  on: {
    ...listCarryingRing.on,
    coordinator: (s, p, m, from) => listCarryingRing.on.coordinator(s, p, { ...m, by: m.number }, from),
  },
};

export const listCarryingRingInitiatorsPass: Mutant = {
  ...listCarryingRing,
  name: 'list-carrying-ring-initiators-pass',
  of: 'list-carrying-ring',
  lie: 'who has a list of its own on its way adds nothing to the lists of others',
  init: (place) => ({ ...listCarryingRing.init(place), hasStarted: false }),
  calls: {
    start(s, p) {
      s.hasStarted = true;
      listCarryingRing.calls.start(s, p);
    },
  },
  on: {
    ...listCarryingRing.on,
    election(s, p, m, from) {
      if (s.hasStarted && m.list[0] !== p.id) p.send(next, m);
      else listCarryingRing.on.election(s, p, m, from);
    },
  },
};
