import { centralCoordinator, centralCoordinatorDenied } from '../algorithms/mutex/central-coordinator.ts';
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

export const centralCoordinatorDeniedForgets: Mutant = {
  ...centralCoordinatorDenied,
  name: 'central-coordinator-denied-forgets',
  of: 'central-coordinator-denied',
  lie: 'who is denied is not queued',
  on: {
    ...centralCoordinatorDenied.on,
    request(s, p, m, client) {
      const { length } = s.queue;
      centralCoordinatorDenied.on.request(s, p, m, client);
      s.queue.length = length;
    },
  },
};
