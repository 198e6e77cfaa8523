import { centralCoordinatorDenied } from '../algorithms/mutex/central-coordinator-denied.ts';
import type { Mutant } from './mutant.ts';

export const centralCoordinatorDeniedForgets: Mutant = {
  ...centralCoordinatorDenied,
  name: 'central-coordinator-denied-forgets',
  of: 'central-coordinator-denied',
  lie: 'a client that is denied is not queued',
  on: {
    ...centralCoordinatorDenied.on,
    request(s, p, m, client) {
      const { length } = s.queue;
      centralCoordinatorDenied.on.request(s, p, m, client);
      s.queue.length = length;
    },
  },
};

export const centralCoordinatorDeniedUnheard: Mutant = {
  ...centralCoordinatorDenied,
  name: 'central-coordinator-denied-unheard',
  of: 'central-coordinator-denied',
  lie: 'a client that is denied goes on counting the time, and suspects a coordinator that lives',
  failingRun: null,
  on: { ...centralCoordinatorDenied.on, denied() {} },
};
