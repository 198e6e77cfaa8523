import type { Message, World } from '../core/algorithm.ts';
import { type TokenLocation, tokenLocations } from '../core/world-queries.ts';
import { addressing } from '../machine/index.ts';
import type { Timeline } from './timeline.ts';

/** A recorded global state. */
export interface RecordedSnapshot {
  readonly inFlight: World<unknown, Message>['inFlight'];
  readonly tokens: readonly TokenLocation[] | null; // null if the algorithm has no token
}

/** The snapshot of a run; null until every process has recorded its part. */
export function recordedSnapshotAt(
  timeline: Pick<Timeline, 'setup' | 'stateAt'>,
  position: number,
): RecordedSnapshot | null {
  const { algorithm, n, topology } = timeline.setup;
  if (algorithm.snapshots === undefined) return null;
  const { of, recorded } = algorithm.snapshots;
  const states = Array.from({ length: n }, (_, i) => timeline.stateAt(i, position));
  const world = recorded({ states, inFlight: [], ...addressing(algorithm, topology) });
  if (world === null) return null;
  return { inFlight: world.inFlight, tokens: of.token ? tokenLocations(of.token, world) : null };
}
