// Elections on small networks in every order of events, and on larger ones in random orders. Unlike the simulator, this takes
// the numbering of the links as an argument: a process that does not know `me` must not depend on it.
import type { AnyAlgorithm, Message, Pid } from '../../src/core/algorithm.ts';
import { decode } from '../../src/core/plain-data.ts';
import type { Random } from '../../src/core/random.ts';
import { rings } from './conformance.ts';

export interface Network {
  readonly ids: readonly number[];
  readonly links: readonly (readonly Pid[])[]; // links[i][l] is the process that link l of process i leads to
}

/** Complete networks with ids 1 .. n, for each numbering of the links. */
export function* completeNetworks(n: number): Iterable<Network> {
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  yield* numbered(0, []);
  function* numbered(i: Pid, links: readonly (readonly Pid[])[]): Iterable<Network> {
    if (i === n) yield { ids, links };
    else
      for (const [, ...order] of rings(n)) yield* numbered(i + 1, [...links, order.map((d) => (i + d) % n)]);
  }
}

/** A random numbering and random ids. */
export function randomNetwork(n: number, random: Random): Network {
  const others = (i: Pid) => Array.from({ length: n - 1 }, (_, d) => (i + d + 1) % n);
  const ids = [...random.permutation(n)];
  return { ids, links: ids.map((_, i) => random.shuffle(others(i))) };
}

export interface Findings {
  readonly worlds: number;
  readonly most: number; // most messages before the announcement, over all orders
  readonly failure: string | null; // two leaders, a broken invariant, or a final state in which a process knows no leader
}

/** Explores every order of messages and starts. Each process starts at any time or never. */
export function everyInterleaving(
  algorithm: AnyAlgorithm,
  network: Network,
  starters: Iterable<Pid> = network.ids.keys(),
): Findings {
  const most = new Map<string, number>(); // from this state to the end
  const first = new Moment(algorithm, network, starters);
  const path = [{ moment: first, key: first.key, choices: first.choices, most: 0, sent: 0 }];
  while (path.length > 0) {
    const here = path.at(-1)!;
    const choice = here.choices.at(-1);
    if (choice === undefined) {
      most.set(here.key, here.most);
      path.pop();
      const before = path.at(-1);
      if (before !== undefined) before.most = Math.max(before.most, here.sent + here.most);
      continue;
    }
    here.choices.pop();
    const moment = here.moment.after(choice);
    const sent = moment.sent - here.moment.sent;
    const key = moment.key;
    const known = most.get(key);
    if (known !== undefined) here.most = Math.max(here.most, sent + known);
    else {
      const failure = path.length > 1000 ? 'it does not end' : moment.failure;
      if (failure !== null) return { worlds: most.size, most: Number.NaN, failure: `${failure}: ${key}` };
      path.push({ moment, key, choices: moment.choices, most: 0, sent });
    }
  }
  return { worlds: most.size, most: most.get(first.key)!, failure: null };
}

/** Runs one random order, in which k random processes start. */
export function randomInterleaving(
  algorithm: AnyAlgorithm,
  network: Network,
  k: number,
  random: Random,
): Moment {
  const starters = random.shuffle(Array.from(network.ids.keys())).slice(0, k);
  const moment = new Moment(algorithm, network, starters);
  for (;;) {
    const { choices } = moment;
    if (choices.length === 0) return moment;
    moment.take(choices[random.below(choices.length)]!);
  }
}

/** A process starts, or a message of a channel arrives. */
type Choice = { readonly start: Pid } | { readonly channel: number; readonly index: number };

export class Moment {
  sent = 0; // messages before the announcement
  leaders: (number | null)[];
  readonly #algorithm: AnyAlgorithm;
  readonly #network: Network;
  #isBegun = false;
  readonly #waiting: Set<Pid>; // processes that may still start
  readonly #states: unknown[];
  #channels: (readonly Message[])[]; // by sender * n + link
  #busy = new Set<number>(); // those with messages

  constructor(algorithm: AnyAlgorithm, network: Network, starters: Iterable<Pid>, states?: unknown[]) {
    this.#algorithm = algorithm;
    this.#network = network;
    this.#waiting = new Set(starters);
    this.#states = states ?? network.ids.map((_, i) => algorithm.init(this.#place(i)));
    this.leaders = network.ids.map(() => null);
    this.#channels = Array(network.ids.length ** 2).fill([]);
  }

  after(choice: Choice): Moment {
    const next = new Moment(this.#algorithm, this.#network, this.#waiting, this.#states.slice());
    next.sent = this.sent;
    next.leaders = this.leaders.slice();
    next.#isBegun = this.#isBegun;
    next.#channels = this.#channels.slice();
    next.#busy = new Set(this.#busy);
    const i = 'start' in choice ? choice.start : this.#ends(choice.channel).to;
    next.#states[i] = decode(JSON.stringify(next.#states[i]));
    next.take(choice);
    return next;
  }

  get choices(): Choice[] {
    const isFifo = this.#algorithm.assumes.channels === 'fifo';
    const starts = Array.from(this.#waiting, (start) => ({ start }));
    const arrivals = Array.from(this.#busy).flatMap((channel) =>
      Array.from(this.#channels[channel]!.keys(), (index) => ({ channel, index })).slice(
        0,
        isFifo ? 1 : undefined,
      ),
    );
    return [...starts, ...arrivals];
  }

  take(choice: Choice): void {
    if ('start' in choice) {
      this.#isBegun = true;
      this.#waiting.delete(choice.start);
      this.#algorithm.calls.start!(this.#states[choice.start], this.#process(choice.start));
      return;
    }
    const { channel, index } = choice;
    const message = this.#channels[channel]![index]!;
    this.#channels[channel] = this.#channels[channel]!.toSpliced(index, 1);
    if (this.#channels[channel]!.length === 0) this.#busy.delete(channel);
    const { from, to } = this.#ends(channel);
    const link = this.#network.links[to]!.indexOf(from);
    this.#algorithm.on[message.type]!(this.#states[to], this.#process(to), message, link);
  }

  /** The violation in this state, or null. */
  get failure(): string | null {
    if (new Set(this.leaders.filter((leader) => leader !== null)).size > 1) return 'two leaders';
    if (this.#isBegun && this.#busy.size === 0 && this.leaders.includes(null)) return 'nobody moves';
    const inFlight = Array.from(this.#busy).flatMap((channel) =>
      this.#channels[channel]!.map((message) => ({ ...this.#ends(channel), message })),
    );
    const lemmas = Object.entries(this.#algorithm.invariants ?? {});
    const meant = (i: Pid, link: number) => this.#network.links[i]![link]!;
    return (
      lemmas.find(([, holds]) => !holds({ states: this.#states, inFlight, meant, sender: meant }))?.[0] ??
      null
    );
  }

  /** A key that is equal for states with the same future. */
  get key(): string {
    const isFifo = this.#algorithm.assumes.channels === 'fifo';
    const channels = this.#channels.map((messages) => {
      if (isFifo || messages.length < 2) return messages;
      return messages.map((message) => JSON.stringify(message)).sort();
    });
    return JSON.stringify([this.#states, channels, this.leaders, Array.from(this.#waiting).sort()]);
  }

  #ends(channel: number): { from: Pid; to: Pid } {
    const from = Math.floor(channel / this.#network.ids.length);
    return { from, to: this.#network.links[from]![channel % this.#network.ids.length]! };
  }

  #place(i: Pid): object {
    const { ids, links } = this.#network;
    const facts: Record<string, unknown> = { id: ids[i], neighbours: Array.from(links[i]!.keys()) };
    return Object.fromEntries(this.#algorithm.knows.map((fact) => [fact, facts[fact]]));
  }

  #process(i: Pid): object {
    const send = (link: number, message: Message) => {
      const channel = i * this.#network.ids.length + link;
      this.#channels[channel] = [...this.#channels[channel]!, message];
      this.#busy.add(channel);
      if (message.type !== 'leader') this.sent += 1;
    };
    const emit = ({ leader }: { leader: number }) => {
      this.leaders[i] = leader;
    };
    return { ...this.#place(i), send, emit };
  }
}
