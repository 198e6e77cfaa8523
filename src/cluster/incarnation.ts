// Hosts one member: from when it has an address to when it is out of the group. Whoever comes back is another one.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import {
  type Cause,
  type Host,
  type Leader,
  Lease,
  Member,
  type MemberId,
  type Peer,
  PeerClocks,
  peerToAsk,
  type Unheard,
  type View,
  type Word,
} from '../member/index.ts';
import { Awake } from './awake.ts';
import { BatonError } from './errors.ts';
import { Leadership } from './leadership.ts';
import type { Closing, Frame, Inquiry, Listener, Refusal, Transport } from './transport/transport.ts';
import type { Granter, Wait } from './wait.ts';

/** What an incarnation needs of the group it takes part in. */
export interface Life {
  readonly algorithm: string;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
  readonly isSpread: boolean;
  open(id: MemberId, listener: Listener): Promise<Transport>;
  propose(after: View, members: readonly Peer[]): void;
  look(): void;
  over(cause: Cause): void;
  broken(reason: string): void;
  led(election: string, leader: Leader): void;
  viewInstalled(view: View): void;
  granted(wait: Wait): void;
  released(wait: Wait): void;
  lost(wait: Wait, cause: Cause): void;
  refused(why: Refusal | Unheard): void;
  inquired(from: MemberId, inquiry: Inquiry): void;
}

// Of the lease that the user states. It ends here before it ends at the engine, and whoever looks there finds out in what is left.
export const endsHere = 0.7;
export const endsAtEngine = 0.8;

const hint = { type: 'soon' } as const;

const clocks = { monotonic: () => performance.now(), wall: () => Date.now() };

export class Incarnation implements Host<Wait>, Granter {
  readonly id: MemberId = randomBytes(8).toString('hex');
  lease: Lease;
  readonly member: Member<Wait>;
  readonly clocks = new PeerClocks(clocks);
  readonly #life: Life;
  readonly #leadership: Leadership;
  readonly #timers = new Set<NodeJS.Timeout>();
  #transport: Transport | null = null;
  #peers = new Map<MemberId, Peer>();
  #installed = -1;
  readonly #awake: Awake;
  #mayAct = false; // the clocks have been asked, for what is being done just now

  constructor(life: Life) {
    this.#life = life;
    this.lease = this.#newLease();
    this.#awake = new Awake(life.isSpread);
    this.#leadership = new Leadership(this.id, (election, leader) => life.led(election, leader));
    this.member = new Member<Wait>(
      { id: this.id, algorithm: life.algorithm, algorithmOf: life.algorithmOf, leaseMs: life.leaseMs },
      this,
    );
  }

  async open(): Promise<string> {
    this.#transport ??= await this.#life.open(this.id, this.#listener()); // once, however often joining is tried
    return this.#transport.address;
  }

  /** Before it is in a view: joining may have taken longer than the lease lasts, and nothing depended on it yet. */
  beginLease(): void {
    if (this.lease.isOver) this.lease = this.#newLease();
  }

  get isLeaseOver(): boolean {
    return this.lease.isOver || this.member.out !== null;
  }

  get isDoubtful(): boolean {
    return this.lease.isDoubtful;
  }

  viewed(view: View): void {
    if (view.epoch <= (this.member.view?.epoch ?? -1)) return;
    for (const peer of view.members) this.#peers.set(peer.id, peer);
    this.#acted(() => this.member.viewed(view));
    const members = new Set(view.members.map(({ id }) => id));
    for (const id of this.#peers.keys()) if (!members.has(id)) this.#peers.delete(id);
    this.clocks.keep(members);
    this.#transport?.keep(view.members);
  }

  peer(id: MemberId): Peer | undefined {
    return this.#peers.get(id);
  }

  leader(election: string): Leader {
    return this.#leadership.isUnsure(election) ? null : this.member.leaders.of(election);
  }

  /** Nobody of higher priority stands: who won it may say so. */
  leads(election: string): void {
    const term = this.#leadership.confirm(election);
    if (term === null) return;
    for (const { id } of this.member.view?.members ?? [])
      if (id !== this.id) this.say(id, { type: 'leads', election, term, ends: false });
  }

  request(wait: Wait): void {
    if (wait.isTry) this.member.try(wait.name, wait, wait.algorithm);
    else this.member.request(wait.name, wait, wait.algorithm);
    if (wait.isPending) this.#awake.waiting();
  }

  release(wait: Wait): void {
    this.#awake.released(wait, this.lease.asked);
    this.#life.released(wait);
    this.member.release(wait.name, wait);
  }

  say(to: MemberId, frame: Frame): void {
    const peer = this.#peers.get(to);
    if (peer !== undefined) this.#transport?.send(peer, frame);
  }

  /** To somebody who may not be in the view. */
  speak(to: Peer, frame: Frame): void {
    this.#transport?.send(to, frame);
  }

  ask(to: Peer, type: 'ask' | 'ping', question: number): void {
    if (type === 'ping') this.clocks.asking(to.id, question);
    this.speak(to, { type, question, address: this.#transport!.address });
  }

  /** One member in this turn, if it is anybody's; each has one of so many. */
  askTheTime(question: number, turn: number, turns: number): void {
    const peer = this.member.view && peerToAsk(this.member.view, this.id, turn, turns);
    if (peer) this.ask(peer, 'ping', question);
  }

  /** Gives the waits that were not served. */
  async end(cause: Cause): Promise<Wait[]> {
    const unserved = this.member.end(cause).flatMap(({ waits }) => waits);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#transport?.close();
    return unserved;
  }

  // As the host of the member.

  send(to: MemberId, word: Word): void {
    if (word.type === 'leads' && !word.ends && this.#isOutranked)
      this.#leadership.doubt(word.election, word.term);
    else this.say(to, word);
  }

  propose(after: View, members: readonly Peer[]): void {
    this.#life.propose(after, members);
  }

  look(): void {
    this.#life.look();
  }

  after(milliseconds: number, task: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#acted(task);
    }, milliseconds);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  mayAct(): boolean {
    if (this.#mayAct ? this.member.out === null : !this.isLeaseOver) return true;
    this.#life.over('lease over');
    return false;
  }

  over(cause: Cause): void {
    this.#life.over(cause);
  }

  broken(reason: string): void {
    this.#life.broken(reason);
  }

  soon(to: MemberId): void {
    if (this.#awake.isWorthTelling) this.say(to, hint);
  }

  granted(wait: Wait, fence: number, between: number): void {
    wait.isHandover = between > 0;
    wait.granted(this, fence);
    this.#awake.granted(wait, between);
    this.#life.granted(wait);
  }

  busy(wait: Wait): void {
    wait.busy();
  }

  refused(wait: Wait, reason: string): void {
    wait.failed(new BatonError('conflict', reason));
  }

  lost(wait: Wait, cause: Cause): void {
    this.#life.lost(wait, cause);
  }

  led(election: string, leader: Leader): void {
    this.#leadership.heard(election, leader);
  }

  unheard(why: Unheard): void {
    this.#life.refused(why);
  }

  get #isOutranked(): boolean {
    const own = this.#peers.get(this.id)?.priority ?? 0;
    return this.member.view?.members.some(({ priority }) => priority > own) ?? false;
  }

  #listener(): Listener {
    return {
      received: (from, frame) => {
        if (frame.type === 'soon') this.#awake.stay();
        else if (this.isLeaseOver) this.#life.over('lease over');
        else if ('question' in frame) this.#life.inquired(from, frame);
        else this.#hear(from, frame);
      },
      closed: (peer, why) => {
        if (!this.#peers.has(peer)) return; // not in the view: somebody who looks from outside, or who left
        this.#acted(() => this.#closed(peer, why));
      },
      refused: (why) => this.#life.refused(why),
    };
  }

  #hear(from: MemberId, word: Word): void {
    this.#mayAct = true;
    try {
      this.member.received(from, word);
    } finally {
      this.#mayAct = false;
    }
    this.#settled();
  }

  #newLease(): Lease {
    return new Lease(clocks, endsHere * this.#life.leaseMs);
  }

  #closed(peer: MemberId, why: Closing): void {
    if (why === 'dead') this.member.gone(peer);
    else if (why === 'broken') this.member.broke(peer);
    else this.member.unreachable(peer);
  }

  #acted(act: () => void): void {
    act();
    this.#settled();
  }

  #settled(): void {
    const { view, isInstalled } = this.member;
    if (!isInstalled || view === null || view.epoch === this.#installed) return;
    this.#installed = view.epoch;
    this.#life.viewInstalled(view);
  }
}
