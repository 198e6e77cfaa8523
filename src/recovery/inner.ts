// An algorithm that runs inside another one: over some of its processes, laid out as its paper wants them, its messages
// and timers carried by the outer algorithm.
import type { Address, AnyAlgorithm, Message, Pid, Plain } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { placeOf, placer } from '../core/place.ts';
import { buildTopology, defaultShape, type Topology } from '../core/topology.ts';

/** Who takes part, in the order of the ring, and what they know of each other. */
export interface Group {
  readonly members: readonly Pid[];
  readonly root: Pid;
  readonly maxDelay: number;
  readonly minDelay?: number;
  readonly drift?: number;
}

/** How the outer algorithm carries out what the inner one asks for. */
export interface Carrier {
  /** `as` is the address by which the receiver knows the link this message comes over. */
  send(to: Pid, message: Message & Plain, as: Address): void;
  emit(event: Message): void;
  after(ticks: number, message: Message & Plain): void;
  cancel(type: string): void;
  choose(options: number): number;
  clock?(): number;
}

/** What a part asks for, carried out by the process it runs in; its timers are named after it, `election-T`. */
export function carrier<Part extends string>(
  part: Part,
  p: {
    after(ticks: number, message: { type: `${NoInfer<Part>}-${string}`; message: Message & Plain }): void;
    cancel(type: `${NoInfer<Part>}-${string}`): void;
    choose(options: number): number;
    clock?(): number;
  },
  send: Carrier['send'],
  emit: Carrier['emit'],
): Carrier {
  return {
    send,
    emit,
    after: (ticks, message) => p.after(ticks, { type: `${part}-${message.type}`, message }),
    cancel: (type) => p.cancel(`${part}-${type}`),
    choose: (options) => p.choose(options),
    clock: () => p.clock!(),
  };
}

export class Inner {
  readonly algorithm: AnyAlgorithm;
  readonly #named: boolean; // addresses are positions among the members
  readonly #networks = new Map<number, Topology>(); // by size

  constructor(algorithm: AnyAlgorithm) {
    this.algorithm = algorithm;
    this.#named = algorithm.knows.includes('me');
  }

  /** What process `me` knows. Its id is its outer name. */
  place({ members, root, maxDelay, ...clocks }: Group, me: Pid): object {
    const topology = this.#network(members.length);
    const setting = {
      topology,
      ids: members,
      root: members.indexOf(root),
      maxDelay: () => maxDelay,
      ...clocks,
    };
    return placeOf(placer(this.algorithm, setting), members.indexOf(me));
  }

  /** The process object for one handler at `me`. */
  process(group: Group, me: Pid, carrier: Carrier): object {
    const { members } = group;
    const topology = this.#network(members.length);
    const position = members.indexOf(me);
    return {
      ...this.place(group, me),
      ...carrier,
      send: (address: Address, message: Message & Plain) => {
        const link = this.#named ? topology.link(position, address) : address;
        if (!(link >= 0 && link < topology.degree(position)))
          fail(`${this.algorithm.name} sends to ${address}, which is not a neighbour`);
        const as = this.#named ? position : topology.arrival(position, link);
        carrier.send(members[topology.to(position, link)]!, message, as);
      },
    };
  }

  #network(n: number): Topology {
    const assumed = this.algorithm.assumes.topology;
    const known = this.#networks.get(n);
    const topology = known ?? buildTopology(defaultShape(assumed), n, assumed, 0);
    if (known === undefined) this.#networks.set(n, topology);
    return topology;
  }
}
