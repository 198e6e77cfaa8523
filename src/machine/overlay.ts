import type { AnyAlgorithm } from '../core/algorithm.ts';
import { buildTopology, defaultShape } from '../core/network-shapes.ts';
import type { Topology } from '../core/topology.ts';
import type { Setting } from './facts.ts';
import { MessageMachine } from './message-machine.ts';

/** The participants of a run, in ring order, and what they know of each other. */
type Participants = Omit<Setting, 'topology' | 'ids' | 'maxDelay'> & {
  readonly ids: readonly number[];
  readonly maxDelay: number;
};

const mostMachines = 1000; // kept for reuse

/**
 * The ring, tree or complete graph that an algorithm needs, laid over some participants. Machines are kept for reuse.
 * @example
 * import { changRoberts } from 'batonjs/algorithms';
 * import { Overlay } from 'batonjs/machine';
 *
 * const overlay = new Overlay(changRoberts, () => 0);
 * overlay.topology(3).name; // → 'ring'
 * const machine = overlay.machine({ ids: [7, 3, 5], root: 0, maxDelay: 10 });
 * machine.topology.to(2, 0); // → 0
 */
export class Overlay {
  /** The algorithm that runs. */
  readonly algorithm: AnyAlgorithm;
  readonly #seedOf: (n: number) => number; // of random networks
  readonly #topologies = new Map<number, Topology>(); // by size
  readonly #machines = new Map<string, MessageMachine>();

  /** `seedOf` returns the seed of a random network of n processes: all participants must have the same. */
  constructor(algorithm: AnyAlgorithm, seedOf: (n: number) => number) {
    this.algorithm = algorithm;
    this.#seedOf = seedOf;
  }

  /** Returns the machine for these participants, in ring order. */
  machine({ ids, root, maxDelay, minDelay = 0, drift = 0 }: Participants): MessageMachine {
    const key = `${ids.join()} ${root} ${maxDelay} ${minDelay} ${drift}`;
    const known = this.#machines.get(key);
    if (known !== undefined) return known;
    const topology = this.topology(ids.length);
    const setting = { topology, ids, root, maxDelay: () => maxDelay, minDelay, drift };
    const machine = new MessageMachine(this.algorithm, setting);
    if (this.#machines.size === mostMachines) this.#machines.clear();
    this.#machines.set(key, machine);
    return machine;
  }

  /** Returns the network of n participants. */
  topology(n: number): Topology {
    const assumed = this.algorithm.assumes.topology;
    const known = this.#topologies.get(n);
    const topology = known ?? buildTopology(defaultShape(assumed), n, assumed, this.#seedOf(n));
    if (known === undefined) this.#topologies.set(n, topology);
    return topology;
  }
}
