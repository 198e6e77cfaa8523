import type { Address, AllFacts, AnyAlgorithm, Fact, Message, Pid, World } from '../core/algorithm.ts';
import type { Topology } from '../core/topology.ts';

/** Everything about a run that processes may know. */
export interface Setting {
  readonly topology: Topology;
  readonly ids: ArrayLike<number>;
  readonly root: Pid;
  readonly maxDelay: (process: Pid) => number; // in units of that process's clock
  readonly minDelay?: number; // in units of the hardware clock, as is `drift`; for clock synchronisation
  readonly drift?: number;
}

type Writable = { -readonly [F in keyof AllFacts]?: AllFacts[F] };

/** Writes the facts of process i into an object. */
export type FactWriter = (facts: object, i: Pid) => void;

/** A fresh object with the facts of process i. */
export function factsOf(write: FactWriter, i: Pid): object {
  const facts = {};
  write(facts, i);
  return facts;
}

/**
 * Returns the writer for the facts that the algorithm declares; others stay absent. A machine has one object for all its
 * processes and calls the writer before each step, so the writer assigns field by field.
 */
export function factWriter(
  { knows }: Pick<AnyAlgorithm, 'knows'>,
  { topology, ids, root, maxDelay, minDelay = 0, drift = 0 }: Setting,
): FactWriter {
  const named = knows.includes('me');
  const parents = knows.includes('parent') ? topology.parents(root) : null;
  const addresses: (readonly Address[])[] = [];
  const addressesOf = (i: Pid) =>
    named ? topology.neighbours(i) : Array.from({ length: topology.degree(i) }, (_, link) => link);
  const parentOf = (i: Pid) => (i === root ? null : named ? parents![i]! : topology.link(i, parents![i]!));
  const writers: Record<Fact, (facts: Writable, i: Pid) => void> = {
    me: (facts, i) => {
      facts.me = i;
    },
    id: (facts, i) => {
      facts.id = ids[i]!;
    },
    n: (facts) => {
      facts.n = topology.n;
    },
    neighbours: (facts, i) => {
      facts.neighbours = addresses[i] ??= addressesOf(i);
    },
    root: (facts, i) => {
      facts.root = i === root;
    },
    parent: (facts, i) => {
      facts.parent = parentOf(i);
    },
    maxDelay: (facts, i) => {
      facts.maxDelay = maxDelay(i);
    },
    minDelay: (facts) => {
      facts.minDelay = minDelay;
    },
    drift: (facts) => {
      facts.drift = drift;
    },
  };
  const own = knows.map((fact) => writers[fact]);
  if (own.length === 1) return own[0]!;
  return (facts, i) => {
    for (const write of own) write(facts, i);
  };
}

/** The process that an address refers to, and the process whose messages arrive from it. */
export const addressing = (
  { knows }: Pick<AnyAlgorithm, 'knows'>,
  topology: Topology,
): Pick<World<unknown, Message>, 'meant' | 'sender'> => {
  const named = knows.includes('me');
  return {
    meant: (i, address) => (named ? address : topology.to(i, address)),
    sender: (i, address) => (named ? address : topology.sender(i, address)),
  };
};
