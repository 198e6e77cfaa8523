import type { Address, Pid } from '../../core/algorithm.ts';
import { Random } from '../../core/random.ts';
import type { Topology } from '../../core/topology.ts';
import type { Fault } from '../scenario/faults.ts';
import type { Latency } from '../scenario/latency.ts';
import type { Setup } from '../scenario/scenario.ts';
import type { PendingMessages } from '../watch-options.ts';

type Partition = Fault & { type: 'partition' };
export type LinkChange = Fault & { type: 'cut' | 'link' };

/** When messages arrive, and whether. */
export class NetworkModel {
  readonly #n: number;
  readonly #topology: Topology;
  readonly #latency: Latency;
  readonly #random: Random;
  readonly #faultRandom: Random;
  readonly #slow: ReadonlyMap<number, number>;
  readonly #partitions: readonly Partition[];
  readonly #uneven: boolean; // links differ
  readonly #latest: Float64Array[] | null; // per sender and link, the latest arrival: what follows comes no earlier
  readonly #loss: number;
  readonly #lost: ReadonlySet<number>; // messages by number
  readonly #duplication: number;
  readonly #cut = new Set<number>(); // links that are not there, by from * n + to

  constructor(setup: Setup) {
    this.#n = setup.n;
    this.#topology = setup.topology;
    this.#latency = setup.latency;
    this.#random = new Random(setup.seed, 'latency');
    this.#faultRandom = new Random(setup.seed, 'network');
    this.#slow = setup.slow;
    this.#partitions = setup.faults.filter((fault) => fault.type === 'partition').sort((a, b) => a.at - b.at);
    this.#uneven = this.#slow.size > 0 || this.#partitions.length > 0;
    this.#latest = setup.channels === 'unordered' ? null : [];
    this.#loss = setup.loss;
    this.#lost = new Set(setup.faults.flatMap((fault) => (fault.type === 'lose' ? [fault.message] : [])));
    this.#duplication = setup.duplication;
  }

  get reliable(): boolean {
    return this.#loss === 0 && this.#duplication === 0 && this.#partitions.length === 0;
  }

  arrival(now: number, from: Pid, link: number, to: Pid): number {
    let time = this.#uneven
      ? this.#unevenArrival(now, from, to)
      : now + this.#latency.sample(this.#random, from, to);
    if (this.#latest !== null) {
      this.#latest[from] ??= new Float64Array(this.#topology.degree(from));
      const row = this.#latest[from];
      if (time < row[link]!) time = row[link]!;
      row[link] = time;
    }
    return time;
  }

  /** How long a step takes that a process makes by itself. */
  duration(process: Pid): number {
    return this.#latency.sample(this.#random, process, process);
  }

  /** A message on this link was delayed until then: what follows on an ordered channel comes no earlier. */
  holdBack(from: Pid, link: number, time: number): void {
    const row = this.#latest?.[from];
    if (row && time > row[link]!) row[link] = time;
  }

  #unevenArrival(now: number, from: Pid, to: Pid): number {
    const own = this.#slow.get(from * this.#n + to);
    return this.#healed(now, from, to) + (own ?? this.#latency.sample(this.#random, from, to));
  }

  loses(serial: number): boolean {
    return this.#lost.has(serial) || (this.#loss > 0 && this.#faultRandom.chance(this.#loss));
  }

  changeLink({ type, between }: LinkChange, where: PendingMessages): void {
    const [a, b] = between;
    for (const key of [a * this.#n + b, b * this.#n + a]) {
      if (type === 'cut') this.#cut.add(key);
      else this.#cut.delete(key);
    }
    if (type === 'cut') loseInFlight(where, between);
  }

  isCut(from: Pid, to: Pid): boolean {
    return this.#cut.has(from * this.#n + to);
  }

  repeats(): boolean {
    return this.#duplication > 0 && this.#faultRandom.chance(this.#duplication);
  }

  /** When a message sent now can pass: at once, or when the last partition between the two has healed. */
  #healed(now: number, from: Pid, to: Pid): number {
    let time = now;
    for (const { side, at, until } of this.#partitions) {
      if (time >= at && time < until && side.includes(from) !== side.includes(to)) time = until;
    }
    return time;
  }
}

/** What one end is told of it. */
export function linkNotice(setup: Setup, process: Pid, { type, between: [a, b] }: LinkChange) {
  const link = process === a ? b : a;
  const kind = type === 'cut' ? ('goes' as const) : ('appears' as const);
  return { kind, link, address: neighbourAddress(setup, process, link) };
}

/** What a process calls a neighbour. */
export const neighbourAddress = ({ algorithm, topology }: Setup, process: Pid, neighbour: Pid): Address =>
  algorithm.knows.includes('me') ? neighbour : topology.link(process, neighbour);

/** What is on its way between the two is lost when it would arrive. */
function loseInFlight({ wheel, codes, senderOf }: PendingMessages, [a, b]: readonly [Pid, Pid]): void {
  for (const slot of wheel.pending()) {
    if (!codes.isMessage(wheel.code[slot]!)) continue;
    const to = wheel.process[slot]!;
    const from = senderOf(to, wheel.detail[slot]!);
    if ((from === a && to === b) || (from === b && to === a)) wheel.code[slot] = codes.lose;
  }
}
