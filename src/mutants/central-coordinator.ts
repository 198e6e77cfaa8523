import { centralCoordinator } from '../algorithms/mutex/central-coordinator.ts';
import type { Mutant } from './mutant.ts';

export const centralCoordinatorNeverOccupied: Mutant = {
  ...centralCoordinator,
  name: 'central-coordinator-never-occupied',
  of: 'central-coordinator',
  lie: 'the section is never marked occupied (ER-11, as printed in lecture slides)',
  calls: {
    ...centralCoordinator.calls,
    request(s, p) {
      s.holder = null;
      centralCoordinator.calls.request(s, p);
    },
  },
  on: {
    ...centralCoordinator.on,
    request(s, p, m, client) {
      s.holder = null;
      centralCoordinator.on.request(s, p, m, client);
    },
  },
};
