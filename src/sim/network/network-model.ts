import type { Address, Message, Pid } from '../../core/algorithm.ts';
import { freeze } from '../../core/plain-data.ts';
import { Random } from '../../core/random.ts';
import type { Topology } from '../../core/topology.ts';
import type { EventCodes } from '../events/event-codes.ts';
import type { TimingWheel } from '../events/timing-wheel.ts';
import type { FailureDetector } from '../scenario/failure-detector.ts';
import type { Fault } from '../scenario/faults.ts';
import type { Latency } from '../scenario/latency.ts';
import { never } from '../scenario/number-checks.ts';
import type { Setup } from '../scenario/setup.ts';
import type { TraceRecorder } from '../trace-recorder.ts';
import type { CausalChannels } from './causal-channels.ts';
import type { PendingMessages } from './in-flight.ts';
import { linkInTrace, neighbourAddress } from './link-names.ts';

type Partition = Fault & { type: 'partition' };
export type LinkChange = Fault & { type: 'cut' | 'link' };

/** Decides when a message arrives, and whether it is lost or duplicated. */
export class NetworkModel {
  readonly #n: number;
  readonly #latency: Latency;
  readonly #random: Random;
  readonly #faultRandom: Random;
  readonly #slow: ReadonlyMap<number, number>;
  readonly #partitions: readonly Partition[];
  readonly #uneven: boolean; // some link is slow or partitioned, or long messages take longer
  readonly #latest: LatestArrivals | null; // on ordered channels
  readonly #loss: number;
  readonly #lost: ReadonlySet<number>; // numbers of messages
  readonly #duplication: number;
  readonly #cut = new Set<number>(); // by from * n + to
  readonly #detector: FailureDetector | null;
  readonly #detectorRandom: Random;

  constructor(setup: Setup) {
    this.#n = setup.n;
    this.#latency = setup.latency;
    this.#random = new Random(setup.seed, 'latency');
    this.#faultRandom = new Random(setup.seed, 'network');
    this.#slow = setup.slow;
    this.#partitions = setup.faults.filter((fault) => fault.type === 'partition').sort((a, b) => a.at - b.at);
    this.#uneven =
      this.#slow.size > 0 || this.#partitions.length > 0 || this.#latency.transmission !== undefined;
    this.#latest = setup.channels === 'unordered' ? null : new LatestArrivals(setup.topology);
    this.#loss = setup.loss;
    this.#lost = new Set(setup.faults.flatMap((fault) => (fault.type === 'lose' ? [fault.message] : [])));
    this.#duplication = setup.duplication;
    this.#detector = setup.detector;
    this.#detectorRandom = new Random(setup.seed, 'detector');
  }

  get reliable(): boolean {
    return this.#loss === 0 && this.#duplication === 0 && this.#partitions.length === 0;
  }

  arrival(now: number, from: Pid, link: number, to: Pid, message: Message): number {
    let time = this.#uneven
      ? this.#unevenArrival(now, from, to, message)
      : now + this.#latency.sample(this.#random, from, to);
    if (this.#latest !== null) time = this.#latest.raise(from, link, time);
    return time;
  }

  /** When a process hears that another one has crashed now. On ordered channels, what the crashed process sent comes first. */
  noticeArrival(now: number, crashed: Pid, link: number, observer: Pid): number {
    const time = this.#detector!.reportTime(now, crashed, observer, this.#latency, this.#detectorRandom);
    return this.#latest?.raise(crashed, link, time) ?? time;
  }

  /** How long a step on shared memory takes. */
  duration(process: Pid): number {
    return this.#latency.sample(this.#random, process, process);
  }

  /** Delays later messages on this link until `time`, if the channel is ordered. */
  holdBack(from: Pid, link: number, time: number): void {
    this.#latest?.raise(from, link, time);
  }

  #unevenArrival(now: number, from: Pid, to: Pid, message: Message): number {
    const own = this.#slow.get(from * this.#n + to);
    return this.#healed(now, from, to) + (own ?? this.#latency.sample(this.#random, from, to, message));
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

  /** When a message sent now can leave: now, or when the last partition between the two has healed. */
  #healed(now: number, from: Pid, to: Pid): number {
    let time = now;
    for (const { side, at, until } of this.#partitions) {
      if (time >= at && time < until && side.includes(from) !== side.includes(to)) time = until;
    }
    return time;
  }
}

/** When the last message on each link arrives. A process of a one-way ring has one link, and needs no row of its own. */
class LatestArrivals {
  readonly #topology: Topology;
  readonly #only: Float64Array | null; // on a one-way ring, by sender
  readonly #rows: Float64Array[] = []; // by sender and link

  constructor(topology: Topology) {
    this.#topology = topology;
    const hasOneLink = topology.isRing && topology.whole.degree(0) === 1;
    this.#only = hasOneLink ? new Float64Array(topology.n) : null;
  }

  /** Notes that a message arrives at `time`, or when the one before it does if that is later. Returns when it arrives. */
  raise(from: Pid, link: number, time: number): number {
    if (this.#only === null) this.#rows[from] ??= new Float64Array(this.#topology.degree(from));
    const row = this.#only ?? this.#rows[from]!;
    const at = this.#only === null ? link : from;
    if (time > row[at]!) row[at] = time;
    return row[at]!;
  }
}

/** What one end of a changed link is told. */
export function linkNotice(setup: Setup, process: Pid, { type, between: [a, b] }: LinkChange) {
  const link = process === a ? b : a;
  const kind = type === 'cut' ? ('goes' as const) : ('appears' as const);
  return { kind, link, address: neighbourAddress(setup, process, link) };
}

/** Marks the messages in flight between the two as lost; the loss happens when they would arrive. */
function loseInFlight({ wheel, codes, senderOf }: PendingMessages, [a, b]: readonly [Pid, Pid]): void {
  for (const slot of wheel.pending()) {
    if (!codes.isMessage(wheel.code[slot]!)) continue;
    const to = wheel.process[slot]!;
    const from = senderOf(to, wheel.detail[slot]!);
    if ((from === a && to === b) || (from === b && to === a)) wheel.code[slot] = codes.lose;
  }
}

interface SenderParts {
  readonly setup: Setup;
  readonly freezes: boolean;
  readonly wheel: TimingWheel;
  readonly codes: EventCodes;
  readonly network: NetworkModel;
  readonly causal: CausalChannels | null;
  readonly recorder: TraceRecorder | null;
}

export interface OutgoingMessage {
  readonly from: Pid;
  readonly link: number;
  readonly to: Pid;
  readonly kind: number;
  readonly arrivesAs: Address;
  readonly message: Message;
  readonly chain: number; // see `RunMeasures.sent`; 0 if nothing is measured
}

/** Sends a message that may be lost, repeated or recorded. */
export class MessageSender {
  readonly #parts: SenderParts;
  #serial = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  send(time: number, sent: OutgoingMessage): void {
    const { from, link, to, message } = sent;
    const { setup, freezes, wheel, codes, network, causal, recorder } = this.#parts;
    const serial = this.#serial;
    this.#serial += 1;
    if (freezes) freeze(message);
    recorder?.send(serial, to, linkInTrace(setup, from, link), message);
    const isNotice = sent.kind === codes.notice; // it is no message of the network
    if (!isNotice && (network.loses(serial) || network.isCut(from, to))) {
      this.#schedule(time, { ...sent, kind: codes.lose, arrivesAs: 0 }, null, serial);
      return;
    }
    const content = causal?.sent(from, to, message) ?? message;
    this.#schedule(time, sent, content, serial);
    if (!isNotice && network.repeats()) {
      const again = network.arrival(wheel.now, from, link, to, message);
      this.#schedule(again, sent, content, serial);
    }
  }

  #schedule(
    time: number,
    { to, kind, arrivesAs, chain }: OutgoingMessage,
    content: unknown,
    serial: number,
  ): void {
    if (time >= never) return; // held by a partition that never heals
    const { wheel, recorder } = this.#parts;
    const slot = wheel.add(time, to, kind, arrivesAs, content);
    if (recorder) wheel.serial[slot] = serial;
    if (wheel.chain.length > 0) wheel.chain[slot] = chain;
  }
}
