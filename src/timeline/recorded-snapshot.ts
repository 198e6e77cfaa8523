import type { Message, World } from '../core/algorithm.ts';
import { type TokenLocation, tokenLocations } from '../core/world-queries.ts';
import { addressing } from '../machine/index.ts';
import type { Timeline } from './timeline.ts';

/** A global state as it was recorded. */
export interface RecordedSnapshot {
  readonly inFlight: World<unknown, Message>['inFlight'];
  readonly tokens: readonly TokenLocation[] | null; // where they are; null if the algorithm has none
}

/** The snapshot of a run, once everybody has its part of it. */
export function recordedSnapshotAt(
  show: Pick<Timeline, 'setup' | 'stateAt'>,
  position: number,
): RecordedSnapshot | null {
  const { algorithm, n, topology } = show.setup;
  if (algorithm.snapshots === undefined) return null;
  const { of, recorded } = algorithm.snapshots;
  const states = Array.from({ length: n }, (_, i) => show.stateAt(i, position));
  const world = recorded({ states, inFlight: [], ...addressing(algorithm, topology) });
  if (world === null) return null;
  return { inFlight: world.inFlight, tokens: of.token ? tokenLocations(of.token, world) : null };
}
