import { Random } from '../../../src/core/random.ts';
import type { MemberId, MemberMessage, PeerClockReading } from '../../../src/member/index.ts';
import type { EventQueue } from './event-queue.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** A ping or its answer. The answer also carries how far the wall clock had been set. */
export interface Ping {
  readonly question: number;
  readonly answer: { readonly clocks: PeerClockReading; readonly set: number } | null;
}

export interface Endpoint {
  readonly id: MemberId;
  readonly machine: SimulatedProcess;
  readonly isOpen: boolean;
  received(from: MemberId, message: MemberMessage): void;
  pinged(from: MemberId, ping: Ping): void;
  broke(peer: MemberId): void; // messages may be lost
  unreachable(peer: MemberId): void;
  died(peer: MemberId): void;
}

/** One direction of a connection between two members. */
class Channel {
  readonly from: Endpoint;
  readonly to: Endpoint;
  isBroken = false;
  due = 0; // arrival of its last message
  owed = 0; // messages that are due but stalled
  readonly messages: MemberMessage[] = [];

  constructor(from: Endpoint, to: Endpoint) {
    this.from = from;
    this.to = to;
  }
}

/** `stall`: messages are delayed until it heals. `break`: connections are reset, and new ones fail. */
export type Cut = 'stall' | 'break';

const noticeMs = 30; // at most, until a process notices a broken connection
const unreachableAfterMs = 400; // until connecting, or waiting for an acknowledgement, fails

/** Channels between members: reliable and in order while nothing breaks them. */
export class Network {
  readonly #queue: EventQueue;
  readonly #random: Random;
  readonly #pingRandom = new Random(1, 'pings'); // separate, so that pings do not change the rest of a run
  readonly #latency: number;
  readonly #ends = new Map<MemberId, Endpoint>();
  readonly #channels = new Map<string, Channel>(); // by `from>to`
  readonly #cuts = new Map<string, Cut>(); // by machines, `from>to`
  readonly #failing = new Set<string>(); // connection attempts that will fail
  sent = 0;

  constructor(queue: EventQueue, random: Random, latency: number) {
    this.#queue = queue;
    this.#random = random;
    this.#latency = latency;
  }

  /** Mostly short, sometimes ten times as long. */
  delay(random = this.#random): number {
    const mean = this.#latency * (random.chance(0.05) ? 10 : 1);
    return (mean * (1 + random.below(1000))) / 500;
  }

  open(end: Endpoint): void {
    this.#ends.set(end.id, end);
  }

  send(from: Endpoint, id: MemberId, message: MemberMessage): void {
    this.sent += 1;
    const to = this.#ends.get(id);
    if (to === undefined) return;
    if (!to.machine.isAlive || !to.isOpen) {
      this.#notify(from, () => from.died(id), this.delay());
      return;
    }
    const between = this.#cut(from, to);
    if (between === 'break' || this.#failing.has(`${from.id}>${id}`)) {
      this.#connectInVain(from, to); // until that is reported, later messages are lost, too
      return;
    }
    const channel = this.#channel(from, to);
    channel.messages.push(message);
    channel.due = Math.max(channel.due, this.#queue.now + this.delay());
    this.#queue.after(channel.due - this.#queue.now, () => {
      channel.owed += 1;
      this.#arrive(channel);
    });
    if (between === 'stall') this.#waitInVain(channel);
  }

  /** A ping is lost where messages would be delayed. */
  ping(from: Endpoint, id: MemberId, ping: Ping): void {
    const to = this.#ends.get(id);
    if (to === undefined || this.#cut(from, to) !== undefined) return;
    this.#notify(to, () => to.pinged(from.id, ping), this.delay(this.#pingRandom));
  }

  /** Whether messages pass in both directions. */
  isOpen(one: SimulatedProcess, other: SimulatedProcess): boolean {
    return !this.#cuts.has(`${one.name}>${other.name}`) && !this.#cuts.has(`${other.name}>${one.name}`);
  }

  cut(from: SimulatedProcess, to: SimulatedProcess, kind: Cut): void {
    this.#cuts.set(`${from.name}>${to.name}`, kind);
    if (kind === 'break') this.reset(from, to);
  }

  heal(from: SimulatedProcess, to: SimulatedProcess): void {
    this.#cuts.delete(`${from.name}>${to.name}`);
    for (const channel of this.#channels.values())
      if (channel.from.machine === from && channel.to.machine === to) this.#arrive(channel);
  }

  healAll(): void {
    this.#cuts.clear();
    for (const channel of [...this.#channels.values()]) this.#arrive(channel);
  }

  /** Breaks all connections between two processes; messages in transit are lost. */
  reset(a: SimulatedProcess, b: SimulatedProcess): void {
    const pairs = new Map<string, readonly [Endpoint, Endpoint]>();
    for (const channel of [...this.#channels.values()]) {
      const { from, to } = channel;
      if (!(from.machine === a && to.machine === b) && !(from.machine === b && to.machine === a)) continue;
      this.#drop(channel);
      pairs.set([from.id, to.id].sort().join('>'), [from, to]);
    }
    for (const [one, other] of pairs.values()) {
      this.#noticed(one, other);
      this.#noticed(other, one);
    }
  }

  /** The kernel closes the connections of a dead process. Its last messages may be lost. Then its peers are notified. */
  died(end: Endpoint): void {
    const heard = new Map<Endpoint, number>();
    for (const channel of [...this.#channels.values()]) {
      if (channel.to === end) {
        this.#drop(channel);
        heard.set(channel.from, Math.max(heard.get(channel.from) ?? 0, this.#queue.now));
      } else if (channel.from === end) {
        channel.messages.length -= this.#random.below(channel.messages.length + 1);
        heard.set(channel.to, Math.max(heard.get(channel.to) ?? 0, channel.due));
      }
    }
    for (const [peer, at] of heard)
      this.#notify(peer, () => peer.died(end.id), at - this.#queue.now + this.delay());
  }

  #cut(from: Endpoint, to: Endpoint): Cut | undefined {
    const there = this.#cuts.get(`${from.machine.name}>${to.machine.name}`);
    const back = this.#cuts.get(`${to.machine.name}>${from.machine.name}`);
    return back === 'break' ? 'break' : there;
  }

  #channel(from: Endpoint, to: Endpoint): Channel {
    const key = `${from.id}>${to.id}`;
    let channel = this.#channels.get(key);
    if (channel === undefined) {
      channel = new Channel(from, to);
      this.#channels.set(key, channel);
    }
    return channel;
  }

  #drop(channel: Channel): void {
    channel.isBroken = true;
    this.#channels.delete(`${channel.from.id}>${channel.to.id}`);
  }

  #arrive(channel: Channel): void {
    const { from, to } = channel;
    if (channel.isBroken) return;
    const between = this.#cut(from, to);
    if (between === 'stall') this.#waitInVain(channel);
    if (between !== undefined) return;
    while (channel.owed > 0) {
      channel.owed -= 1;
      const message = channel.messages.shift();
      if (message !== undefined) to.machine.perform(() => to.received(from.id, message));
    }
  }

  /** Notifies one side after a delay. Messages that it sends before are lost. */
  #noticed(one: Endpoint, other: Endpoint): void {
    const into = this.#channel(one, other);
    into.isBroken = true;
    this.#notify(
      one,
      () => {
        if (this.#channels.get(`${one.id}>${other.id}`) === into) this.#drop(into);
        // The other side may answer over the new connection before it notices that the old one broke.
        const back = this.#channel(other, one);
        if (back.isBroken && this.#random.chance(0.5)) this.#drop(back);
        if (other.machine.isAlive && other.isOpen) one.broke(other.id);
        else one.died(other.id);
      },
      this.#random.below(noticeMs),
    );
  }

  #connectInVain(from: Endpoint, to: Endpoint): void {
    const key = `${from.id}>${to.id}`;
    if (this.#failing.has(key)) return;
    this.#failing.add(key);
    const fails = () => {
      this.#failing.delete(key);
      if (this.#cut(from, to) === 'break') from.unreachable(to.id);
      else from.broke(to.id);
    };
    this.#notify(from, fails, unreachableAfterMs);
  }

  #waitInVain(channel: Channel): void {
    const { from, to } = channel;
    const fails = () => {
      if (channel.isBroken || this.#cut(from, to) === undefined) return;
      this.#drop(channel);
      from.unreachable(to.id);
      if (this.#channels.has(`${to.id}>${from.id}`)) this.#noticed(to, from);
    };
    this.#notify(from, fails, unreachableAfterMs);
  }

  #notify(end: Endpoint, task: () => void, delay: number): void {
    this.#queue.after(delay, () => {
      if (end.isOpen) end.machine.perform(task);
    });
  }
}
