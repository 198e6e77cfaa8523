import type { Message, World } from '../core/algorithm.ts';
import { placesOf, type TokenPlace } from '../core/world.ts';
import { addressing } from '../machine/index.ts';
import type { Show } from './stage.ts';

/** A global state as it was recorded. */
export interface Recording {
  readonly inFlight: World<unknown, Message>['inFlight'];
  readonly tokens: readonly TokenPlace[] | null; // where they are; null if the algorithm has none
}

/** The snapshot of a run, once everybody has its part of it. */
export function recordingAt(show: Pick<Show, 'setup' | 'stateAt'>, position: number): Recording | null {
  const { algorithm, n, topology } = show.setup;
  if (algorithm.snapshots === undefined) return null;
  const { of, recorded } = algorithm.snapshots;
  const states = Array.from({ length: n }, (_, i) => show.stateAt(i, position));
  const world = recorded({ states, inFlight: [], ...addressing(algorithm, topology) });
  if (world === null) return null;
  return { inFlight: world.inFlight, tokens: of.token ? placesOf(of.token, world) : null };
}
