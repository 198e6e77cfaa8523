import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { AnySharedAlgorithm } from '../core/shared-algorithm.ts';
import { berkeley } from './clocks/berkeley.ts';
import { cristian } from './clocks/cristian.ts';
import { ntp } from './clocks/ntp.ts';
import { ntpMulticast } from './clocks/ntp-multicast.ts';
import { ntpSymmetric } from './clocks/ntp-symmetric.ts';
import { bakery } from './shared/bakery.ts';
import { dekker } from './shared/dekker.ts';
import { dijkstraCentralDaemon } from './shared/dijkstra-central-daemon.ts';
import { dijkstraFourState } from './shared/dijkstra-four-state.ts';
import { dijkstraThreeState } from './shared/dijkstra-three-state.ts';
import { filterLock } from './shared/filter-lock.ts';
import { petersonLock } from './shared/peterson-lock.ts';

export { lamportClock } from './clocks/lamport-clock.ts';
export { type VectorTime, vectorClock } from './clocks/vector-clock.ts';
export * from './locks-and-elections.ts';
export {
  bakery,
  berkeley,
  cristian,
  dekker,
  dijkstraCentralDaemon,
  dijkstraFourState,
  dijkstraThreeState,
  filterLock,
  ntp,
  ntpMulticast,
  ntpSymmetric,
  petersonLock,
};

/** Algorithms that synchronise clocks. */
export const clockAlgorithms: readonly AnyAlgorithm[] = [berkeley, cristian, ntp, ntpMulticast, ntpSymmetric];

/** Algorithms that use shared memory. */
export const sharedAlgorithms: readonly AnySharedAlgorithm[] = [
  bakery,
  dekker,
  dijkstraCentralDaemon,
  dijkstraFourState,
  dijkstraThreeState,
  filterLock,
  petersonLock,
];
