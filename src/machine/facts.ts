import type { Address, AllFacts, AnyAlgorithm, Fact, Message, Pid, World } from '../core/algorithm.ts';
import type { Topology } from '../core/topology.ts';

/** Everything about a run that processes may know. */
export interface Setting {
  /** The network. */
  readonly topology: Topology;
  /** The ids, by position. */
  readonly ids: ArrayLike<number>;
  /** The first token holder, the coordinator or the special process. */
  readonly root: Pid;
  /** Returns the longest message delay, including handling, in units of that process's clock. */
  readonly maxDelay: (process: Pid) => number;
  /** The shortest message delay, in nanoseconds; for clock synchronisation. Defaults to 0. */
  readonly minDelay?: number;
  /** The most that two clocks drift apart, per unit of either; for clock synchronisation. Defaults to 0. */
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
      facts.n = topology.members;
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

/**
 * Returns functions from the addresses that a process uses to positions: `meant` for those it sends to, `sender` for those it receives from.
 * @example
 * import { changRoberts } from 'batonjs/algorithms';
 * import { addressing } from 'batonjs/machine';
 * import { prepare } from 'batonjs-lab/sim';
 *
 * const { meant, sender } = addressing(changRoberts, prepare(changRoberts, { n: 4 }).topology);
 * [meant(3, 0), sender(3, 0)]; // → [0, 2]
 */
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
