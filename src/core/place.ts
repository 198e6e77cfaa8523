import type { Address, AnyAlgorithm, Fact, Facts, Pid } from './algorithm.ts';
import type { Topology } from './topology.ts';

/** Everything about the processes of a run that an algorithm might be allowed to know. */
export interface Setting {
  readonly topology: Topology;
  readonly ids: ArrayLike<number>;
  readonly root: Pid;
  readonly maxDelay: (process: Pid) => number; // in units of that process's clock
  readonly minDelay?: number; // these two as clocks count, where there are clocks
  readonly drift?: number;
}

/** A fresh object with what process i knows. */
export function placeOf(write: (place: object, i: Pid) => void, i: Pid): object {
  const place = {};
  write(place, i);
  return place;
}

type Writable = { -readonly [F in keyof Facts]?: Facts[F] };

/**
 * Writes what process i knows into `place`, and nothing else: facts the algorithm does not name stay absent. A host may
 * have one place for all processes and call this before each handler, so it is written out field by field.
 */
export function placer(algorithm: AnyAlgorithm, setting: Setting): (place: Writable, i: Pid) => void {
  const { topology, ids, root, maxDelay, minDelay = 0, drift = 0 } = setting;
  const named = algorithm.knows.includes('me');
  const parents = algorithm.knows.includes('parent') ? topology.parents(root) : null;
  const addresses: (readonly Address[])[] = [];
  const addressesOf = (i: Pid) =>
    named ? topology.neighbours(i) : Array.from({ length: topology.degree(i) }, (_, link) => link);
  const parentOf = (i: Pid) => (i === root ? null : named ? parents![i]! : topology.link(i, parents![i]!));
  const writers: Record<Fact, (place: Writable, i: Pid) => void> = {
    me: (place, i) => {
      place.me = i;
    },
    id: (place, i) => {
      place.id = ids[i]!;
    },
    n: (place) => {
      place.n = topology.n;
    },
    neighbours: (place, i) => {
      place.neighbours = addresses[i] ??= addressesOf(i);
    },
    root: (place, i) => {
      place.root = i === root;
    },
    parent: (place, i) => {
      place.parent = parentOf(i);
    },
    maxDelay: (place, i) => {
      place.maxDelay = maxDelay(i);
    },
    minDelay: (place) => {
      place.minDelay = minDelay;
    },
    drift: (place) => {
      place.drift = drift;
    },
  };
  const own = algorithm.knows.map((fact) => writers[fact]);
  if (own.length === 1) return own[0]!;
  return (place, i) => {
    for (const write of own) write(place, i);
  };
}
