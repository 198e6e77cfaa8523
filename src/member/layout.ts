import type { Address, AnyAlgorithm, Message, Pid, Plain } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { placeOf, placer } from '../core/place.ts';
import { buildTopology, defaultShape, type Topology } from '../core/topology.ts';

/** What carries out what a run asks for. */
export interface Carrier {
  send(to: Pid, message: Message & Plain, as: Address): void;
  entered(): void;
  after(milliseconds: number, message: Message & Plain): void;
  cancel(type: string): void;
}

/** The ring, tree or complete graph that an algorithm needs, laid over the members of a view in their order. */
export class Layout {
  readonly algorithm: AnyAlgorithm;
  readonly n: number;
  readonly #topology: Topology;
  readonly #named: boolean; // addresses are positions
  readonly #ids: readonly number[];
  readonly #places = new Map<number, object>(); // by root and position

  constructor(algorithm: AnyAlgorithm, n: number) {
    this.algorithm = algorithm;
    this.n = n;
    const assumed = algorithm.assumes.topology;
    this.#topology = buildTopology(defaultShape(assumed), n, assumed, n);
    this.#named = algorithm.knows.includes('me');
    this.#ids = Array.from({ length: n }, (_, i) => i + 1);
  }

  /** What the algorithm lets the process at this position know. */
  place(position: Pid, root: Pid): object {
    const key = root * this.n + position;
    let place = this.#places.get(key);
    if (place === undefined) {
      const setting = { topology: this.#topology, ids: this.#ids, root, maxDelay: () => maxDelay };
      place = placeOf(placer(this.algorithm, setting), position);
      this.#places.set(key, place);
    }
    return place;
  }

  /** The process object for all handlers of one run at one position. */
  process(position: Pid, root: Pid, carrier: Carrier): object {
    return Object.assign(new RunProcess(this, position, carrier), this.place(position, root));
  }

  send(position: Pid, address: Address, message: Message & Plain, carrier: Carrier): void {
    const topology = this.#topology;
    const link = this.#named ? topology.link(position, address) : address;
    if (!(link >= 0 && link < topology.degree(position)))
      fail(`${this.algorithm.name} sends to ${address}, which is not a neighbour`);
    const as = this.#named ? position : topology.arrival(position, link);
    carrier.send(topology.to(position, link), message, as);
  }

  /** Whether a message that claims to come over this link can come from the member at that position. */
  comesFrom(position: Pid, as: Address, sender: Pid): boolean {
    if (this.#named) return as === sender && this.#topology.link(position, sender) >= 0;
    const degree = this.#topology.isRing ? 2 : this.#topology.degree(position);
    return as >= 0 && as < degree && this.#topology.sender(position, as) === sender;
  }

  /**
   * Whether who has this position and is the root enters without a message. If so, nobody else enters before it says something,
   * or the algorithm would not exclude.
   */
  entersInSilence(position: Pid): boolean {
    let entered = false;
    let silent = true;
    const process = this.process(position, position, {
      entered: () => {
        entered = true;
      },
      send: () => {
        silent = false;
      },
      after: () => {
        silent = false;
      },
      cancel: () => {},
    });
    const { init, begin, calls } = this.algorithm;
    const state = init(this.place(position, position));
    begin?.(state, process);
    calls.request!(state, process);
    return entered && silent;
  }

  /** Whether the token is at this position when a run begins, or is sent from there. */
  beginsWithToken(position: Pid, root: Pid): boolean {
    const { init, begin, token } = this.algorithm;
    let isSent = false;
    const process = this.process(position, root, {
      entered: () => {},
      send: (_, message) => {
        isSent ||= token?.isIn(message) ?? false;
      },
      after: () => {},
      cancel: () => {},
    });
    const state = init(this.place(position, root));
    begin?.(state, process);
    return isSent || (token?.isHeld(state) ?? false);
  }
}

const maxDelay = 1000; // milliseconds; what an algorithm with timers takes for the longest

class RunProcess {
  readonly #layout: Layout;
  readonly #position: Pid;
  readonly #carrier: Carrier;

  constructor(layout: Layout, position: Pid, carrier: Carrier) {
    this.#layout = layout;
    this.#position = position;
    this.#carrier = carrier;
  }

  send(address: Address, message: Message & Plain): void {
    this.#layout.send(this.#position, address, message, this.#carrier);
  }

  emit(): void {
    this.#carrier.entered();
  }

  after(ticks: number, message: Message & Plain): void {
    this.#carrier.after(ticks, message);
  }

  cancel(type: string): void {
    this.#carrier.cancel(type);
  }

  choose(): never {
    return fail(`${this.#layout.algorithm.name} tosses coins, which no lock here may`);
  }
}
