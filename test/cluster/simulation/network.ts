import { Random } from '../../../src/core/random.ts';
import type { MemberId, MemberMessage, PeerClockReading } from '../../../src/member/index.ts';
import type { EventQueue } from './event-queue.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** A question for the time, or the answer; with it, how far the wall clock had been set. */
export interface Ping {
  readonly question: number;
  readonly answer: { readonly clocks: PeerClockReading; readonly set: number } | null;
}

export interface Endpoint {
  readonly id: MemberId;
  readonly machine: SimulatedProcess;
  readonly isOpen: boolean;
  received(from: MemberId, word: MemberMessage): void;
  pinged(from: MemberId, ping: Ping): void;
  broke(peer: MemberId): void; // words may be lost
  unreachable(peer: MemberId): void;
  died(peer: MemberId): void;
}

/** What goes from one member to another over one connection. */
class Channel {
  readonly from: Endpoint;
  readonly to: Endpoint;
  isBroken = false;
  due = 0; // when the last of its words arrives
  owed = 0; // words that would have arrived if nothing were in the way
  readonly words: MemberMessage[] = [];

  constructor(from: Endpoint, to: Endpoint) {
    this.from = from;
    this.to = to;
  }
}

/** `stall`: words wait and arrive afterwards. `break`: connections are reset, and new ones do not come about. */
export type Cut = 'stall' | 'break';

const noticing = 30; // milliseconds at most until a process hears that a connection is gone
const patience = 400; // until connecting, or waiting for what was said to arrive, is given up

/** Channels between members: reliable and in order while nothing breaks them. */
export class Network {
  readonly #agenda: EventQueue;
  readonly #random: Random;
  readonly #ofPings = new Random(1, 'pings'); // apart, lest they change what else happens
  readonly #latency: number;
  readonly #ends = new Map<MemberId, Endpoint>();
  readonly #channels = new Map<string, Channel>(); // by `from>to`
  readonly #cuts = new Map<string, Cut>(); // by machines, `from>to`
  readonly #failing = new Set<string>(); // connections that are being tried in vain
  sent = 0;

  constructor(agenda: EventQueue, random: Random, latency: number) {
    this.#agenda = agenda;
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

  send(from: Endpoint, id: MemberId, word: MemberMessage): void {
    this.sent += 1;
    const to = this.#ends.get(id);
    if (to === undefined) return;
    if (!to.machine.isAlive || !to.isOpen) {
      this.#tell(from, () => from.died(id), this.delay());
      return;
    }
    const between = this.#cut(from, to);
    if (between === 'break') {
      this.#connectInVain(from, to);
      return;
    }
    const channel = this.#channel(from, to);
    channel.words.push(word);
    channel.due = Math.max(channel.due, this.#agenda.now + this.delay());
    this.#agenda.after(channel.due - this.#agenda.now, () => {
      channel.owed += 1;
      this.#arrive(channel);
    });
    if (between === 'stall') this.#waitInVain(channel);
  }

  /** Lost where words would wait: nobody misses it. */
  ping(from: Endpoint, id: MemberId, ping: Ping): void {
    const to = this.#ends.get(id);
    if (to === undefined || this.#cut(from, to) !== undefined) return;
    this.#tell(to, () => to.pinged(from.id, ping), this.delay(this.#ofPings));
  }

  /** Whether words go either way. */
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

  /** All connections between the two break; what is on its way is lost. */
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

  /** The kernel closes its connections: what it had sent arrives, or the last of it does not; then all it spoke with hear of it. */
  died(end: Endpoint): void {
    const heard = new Map<Endpoint, number>();
    for (const channel of [...this.#channels.values()]) {
      if (channel.to === end) {
        this.#drop(channel);
        heard.set(channel.from, Math.max(heard.get(channel.from) ?? 0, this.#agenda.now));
      } else if (channel.from === end) {
        channel.words.length -= this.#random.below(channel.words.length + 1);
        heard.set(channel.to, Math.max(heard.get(channel.to) ?? 0, channel.due));
      }
    }
    for (const [peer, at] of heard)
      this.#tell(peer, () => peer.died(end.id), at - this.#agenda.now + this.delay());
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
    if (channel.isBroken || this.#cut(from, to) !== undefined) return;
    while (channel.owed > 0) {
      channel.owed -= 1;
      const word = channel.words.shift();
      if (word !== undefined) to.machine.perform(() => to.received(from.id, word));
    }
  }

  /** Until then it goes on sending into nothing. */
  #noticed(one: Endpoint, other: Endpoint): void {
    const into = this.#channel(one, other);
    into.isBroken = true;
    this.#tell(
      one,
      () => {
        if (this.#channels.get(`${one.id}>${other.id}`) === into) this.#drop(into);
        // The other side may answer over the new connection before it hears of the old one.
        const back = this.#channel(other, one);
        if (back.isBroken && this.#random.chance(0.5)) this.#drop(back);
        if (other.machine.isAlive && other.isOpen) one.broke(other.id);
        else one.died(other.id);
      },
      this.#random.below(noticing),
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
    this.#tell(from, fails, patience);
  }

  #waitInVain(channel: Channel): void {
    const { from, to } = channel;
    const fails = () => {
      if (channel.isBroken || this.#cut(from, to) === undefined) return;
      this.#drop(channel);
      from.unreachable(to.id);
      if (this.#channels.has(`${to.id}>${from.id}`)) this.#noticed(to, from);
    };
    this.#tell(from, fails, patience);
  }

  #tell(end: Endpoint, task: () => void, delay: number): void {
    this.#agenda.after(delay, () => {
      if (end.isOpen) end.machine.perform(task);
    });
  }
}
