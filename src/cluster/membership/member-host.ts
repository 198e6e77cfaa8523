// Hosts one member: from when it has an address to when it is out of the group. Whoever comes back is another one.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import {
  type DropReason,
  type ExitCause,
  type Host,
  type Leader,
  Lease,
  Member,
  type MemberId,
  type MemberMessage,
  nextPeerToPing,
  type Peer,
  PeerClocks,
  type View,
} from '../../member/index.ts';
import { BatonError } from '../errors.ts';
import type { GrantingMember, LockRequest } from '../group/lock-request.ts';
import type {
  CloseReason,
  Frame,
  QueryFrame,
  RefusalReason,
  Transport,
  TransportListener,
} from '../transport/transport.ts';
import { LeaderAnnouncer } from './leader-announcer.ts';
import { localLeaseFraction } from './lease-margin.ts';
import { SpinWait } from './spin-wait.ts';

/** What an incarnation needs of the group it takes part in. */
export interface MemberHostContext {
  readonly algorithm: string;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
  readonly spansMachines: boolean;
  open(id: MemberId, listener: TransportListener): Promise<Transport>;
  proposeView(after: View, members: readonly Peer[]): void;
  readView(): void;
  memberOut(cause: ExitCause): void;
  contractBroken(reason: string): void;
  leaderChanged(election: string, leader: Leader): void;
  viewInstalled(view: View): void;
  granted(wait: LockRequest): void;
  released(wait: LockRequest): void;
  lost(wait: LockRequest, cause: ExitCause): void;
  refused(why: RefusalReason | DropReason): void;
  onQuery(from: MemberId, inquiry: QueryFrame): void;
}

const handoverHint = { type: 'soon' } as const;

const clocks = { monotonic: () => performance.now(), wall: () => Date.now() };

export class MemberHost implements Host<LockRequest>, GrantingMember {
  readonly id: MemberId = randomBytes(8).toString('hex');
  lease: Lease;
  readonly member: Member<LockRequest>;
  readonly clocks = new PeerClocks(clocks);
  readonly #context: MemberHostContext;
  readonly #leaderAnnouncer: LeaderAnnouncer;
  readonly #timers = new Set<NodeJS.Timeout>();
  #transport: Transport | null = null;
  #peers = new Map<MemberId, Peer>();
  #installed = -1;
  readonly #spinWait: SpinWait;
  #isLeaseChecked = false; // the clocks have been asked, for what is being done just now

  constructor(life: MemberHostContext) {
    this.#context = life;
    this.lease = this.#newLease();
    this.#spinWait = new SpinWait(life.spansMachines);
    this.#leaderAnnouncer = new LeaderAnnouncer(this.id, (election, leader) =>
      life.leaderChanged(election, leader),
    );
    this.member = new Member<LockRequest>(
      { id: this.id, algorithm: life.algorithm, algorithmOf: life.algorithmOf, leaseMs: life.leaseMs },
      this,
    );
  }

  async open(): Promise<string> {
    this.#transport ??= await this.#context.open(this.id, this.#listener()); // once, however often joining is tried
    return this.#transport.address;
  }

  /** Before it is in a view: joining may have taken longer than the lease lasts, and nothing depended on it yet. */
  renewExpiredLease(): void {
    if (this.lease.isOver) this.lease = this.#newLease();
  }

  get isLeaseOver(): boolean {
    return this.lease.isOver || this.member.out !== null;
  }

  get isDoubtful(): boolean {
    return this.lease.isDoubtful;
  }

  viewChanged(view: View): void {
    if (view.epoch <= (this.member.view?.epoch ?? -1)) return;
    for (const peer of view.members) this.#peers.set(peer.id, peer);
    this.#act(() => this.member.viewChanged(view));
    const members = new Set(view.members.map(({ id }) => id));
    for (const id of this.#peers.keys()) if (!members.has(id)) this.#peers.delete(id);
    this.clocks.keep(members);
    this.#transport?.keep(view.members);
  }

  peer(id: MemberId): Peer | undefined {
    return this.#peers.get(id);
  }

  leader(election: string): Leader {
    return this.#leaderAnnouncer.isWithheld(election) ? null : this.member.leaders.of(election);
  }

  /** Nobody of higher priority stands: who won it may say so. */
  announceLeadership(election: string): void {
    const term = this.#leaderAnnouncer.confirm(election);
    if (term === null) return;
    for (const { id } of this.member.view?.members ?? [])
      if (id !== this.id) this.sendToMember(id, { type: 'leads', election, term, ends: false });
  }

  request(wait: LockRequest): void {
    if (wait.isTry) this.member.try(wait.name, wait, wait.algorithm);
    else this.member.request(wait.name, wait, wait.algorithm);
    if (wait.isPending) this.#spinWait.spinIfQuick();
  }

  release(wait: LockRequest): void {
    this.#spinWait.released(wait, this.lease.checkedAt);
    this.#context.released(wait);
    this.member.release(wait.name, wait);
  }

  sendToMember(to: MemberId, frame: Frame): void {
    const peer = this.#peers.get(to);
    if (peer !== undefined) this.#transport?.send(peer, frame);
  }

  /** To somebody who may not be in the view. */
  sendToPeer(to: Peer, frame: Frame): void {
    this.#transport?.send(to, frame);
  }

  query(to: Peer, type: 'ask' | 'ping', question: number): void {
    if (type === 'ping') this.clocks.pingSent(to.id, question);
    this.sendToPeer(to, { type, question, address: this.#transport!.address });
  }

  /** One member in this turn, if it is anybody's; each has one of so many. */
  pingNextPeer(question: number, turn: number, turns: number): void {
    const peer = this.member.view && nextPeerToPing(this.member.view, this.id, turn, turns);
    if (peer) this.query(peer, 'ping', question);
  }

  /** Gives the waits that were not served. */
  async end(cause: ExitCause): Promise<LockRequest[]> {
    const unserved = this.member.end(cause).flatMap(({ requests }) => requests);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#transport?.close();
    return unserved;
  }

  // As the host of the member.

  send(to: MemberId, word: MemberMessage): void {
    if (word.type === 'leads' && !word.ends && this.#isOutranked)
      this.#leaderAnnouncer.withhold(word.election, word.term);
    else this.sendToMember(to, word);
  }

  proposeView(after: View, members: readonly Peer[]): void {
    this.#context.proposeView(after, members);
  }

  readView(): void {
    this.#context.readView();
  }

  after(milliseconds: number, task: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#act(task);
    }, milliseconds);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  holdsLease(): boolean {
    if (this.#isLeaseChecked ? this.member.out === null : !this.isLeaseOver) return true;
    this.#context.memberOut('lease over');
    return false;
  }

  memberOut(cause: ExitCause): void {
    this.#context.memberOut(cause);
  }

  contractBroken(reason: string): void {
    this.#context.contractBroken(reason);
  }

  hintHandover(to: MemberId): void {
    if (this.#spinWait.shouldSendHint) this.sendToMember(to, handoverHint);
  }

  granted(wait: LockRequest, fence: number, between: number): void {
    wait.isHandover = between > 0;
    wait.granted(this, fence);
    this.#spinWait.granted(wait, between);
    this.#context.granted(wait);
  }

  busy(wait: LockRequest): void {
    wait.busy();
  }

  refused(wait: LockRequest, reason: string): void {
    wait.failed(new BatonError('conflict', reason));
  }

  lost(wait: LockRequest, cause: ExitCause): void {
    this.#context.lost(wait, cause);
  }

  leaderChanged(election: string, leader: Leader): void {
    this.#leaderAnnouncer.leaderChanged(election, leader);
  }

  messageDropped(why: DropReason): void {
    this.#context.refused(why);
  }

  get #isOutranked(): boolean {
    const own = this.#peers.get(this.id)?.priority ?? 0;
    return this.member.view?.members.some(({ priority }) => priority > own) ?? false;
  }

  #listener(): TransportListener {
    return {
      received: (from, frame) => {
        if (frame.type === 'soon') this.#spinWait.spin();
        else if (this.isLeaseOver) this.#context.memberOut('lease over');
        else if ('question' in frame) this.#context.onQuery(from, frame);
        else this.#handle(from, frame);
      },
      closed: (peer, why) => {
        if (!this.#peers.has(peer)) return; // not in the view: somebody who looks from outside, or who left
        this.#act(() => this.#connectionClosed(peer, why));
      },
      refused: (why) => this.#context.refused(why),
    };
  }

  #handle(from: MemberId, word: MemberMessage): void {
    this.#isLeaseChecked = true;
    try {
      this.member.received(from, word);
    } finally {
      this.#isLeaseChecked = false;
    }
    this.#reportInstalledView();
  }

  #newLease(): Lease {
    return new Lease(clocks, localLeaseFraction * this.#context.leaseMs);
  }

  #connectionClosed(peer: MemberId, why: CloseReason): void {
    if (why === 'dead') this.member.peerDied(peer);
    else if (why === 'broken') this.member.channelBroke(peer);
    else this.member.peerUnreachable(peer);
  }

  #act(act: () => void): void {
    act();
    this.#reportInstalledView();
  }

  #reportInstalledView(): void {
    const { view, isInstalled } = this.member;
    if (!isInstalled || view === null || view.epoch === this.#installed) return;
    this.#installed = view.epoch;
    this.#context.viewInstalled(view);
  }
}
