import type { Address, AnyAlgorithm, Fact, Facts, Pid } from './algorithm.ts';
import type { Topology } from './topology.ts';

/** Everything about the processes of a run that an algorithm might be allowed to know. */
export interface Setting {
  readonly topology: Topology;
  readonly ids: ArrayLike<number>;
  readonly root: Pid;
  readonly maxDelay: (process: Pid) => number; // in units of that process's clock
}

type Writable = { -readonly [F in keyof Facts]?: Facts[F] };

/**
 * Writes what process i knows into `place`, and nothing else: facts the algorithm does not name stay absent. A host may
 * have one place for all processes and call this before each handler, so it is written out field by field.
 */
export function placer(algorithm: AnyAlgorithm, setting: Setting): (place: Writable, i: Pid) => void {
  const { topology, ids, root, maxDelay } = setting;
  const knows = (fact: Fact): boolean => algorithm.knows.includes(fact);
  const [me, id, n, neighbours] = [knows('me'), knows('id'), knows('n'), knows('neighbours')];
  const [isRoot, parent, delay] = [knows('root'), knows('parent'), knows('maxDelay')];
  const parents = parent ? topology.parents(root) : null;
  const addresses: (readonly Address[])[] = [];
  const addressesOf = (i: Pid) =>
    me ? topology.neighbours(i) : Array.from({ length: topology.degree(i) }, (_, link) => link);
  const parentOf = (i: Pid) => (i === root ? null : me ? parents![i]! : topology.link(i, parents![i]!));
  return (place, i) => {
    if (me) place.me = i;
    if (id) place.id = ids[i]!;
    if (n) place.n = topology.n;
    if (neighbours) place.neighbours = addresses[i] ??= addressesOf(i);
    if (isRoot) place.root = i === root;
    if (parent) place.parent = parentOf(i);
    if (delay) place.maxDelay = maxDelay(i);
  };
}
