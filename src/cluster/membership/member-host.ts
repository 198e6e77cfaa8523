// Hosts one member, from its creation until it leaves the group. A process that rejoins creates a new host.
import { randomBytes, randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import {
  type DropReason,
  type ExitCause,
  electionOf,
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
import { findElectionAlgorithm } from '../group/election-algorithm.ts';
import type { GrantingMember, LockRequest } from '../group/lock.ts';
import type {
  AnswerFrame,
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

/** The parts of a membership that its hosts use. */
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
  granted(request: LockRequest): void;
  released(request: LockRequest): void;
  lost(request: LockRequest, cause: ExitCause): void;
  refused(why: RefusalReason | DropReason, address: string | null): void;
  onQuery(from: MemberId, query: QueryFrame, answer: (frame: AnswerFrame) => void): void;
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
  #closing: Promise<void> | undefined;
  #peers = new Map<MemberId, Peer>();
  #installed = -1;
  readonly #spinWait: SpinWait;
  #isLeaseChecked = false; // the lease was checked for the frame that is being handled
  #handledFrom: MemberId | null = null; // the sender of that frame

  constructor(context: MemberHostContext) {
    this.#context = context;
    this.lease = this.#newLease();
    this.#spinWait = new SpinWait(context.spansMachines);
    this.#leaderAnnouncer = new LeaderAnnouncer(this.id, (election, leader) =>
      context.leaderChanged(election, leader),
    );
    this.member = new Member<LockRequest>(
      {
        id: this.id,
        algorithm: context.algorithm,
        algorithmOf: context.algorithmOf,
        electionAlgorithmOf: findElectionAlgorithm,
        leaseMs: context.leaseMs,
        spansMachines: context.spansMachines,
      },
      this,
    );
  }

  async open(): Promise<string> {
    this.#transport ??= await this.#context.open(this.id, this.#listener()); // once, for all attempts to join
    return this.#transport.address;
  }

  /** For a member that is in no view yet: the next `open` listens again, with the key that the group has then. */
  async closeTransport(): Promise<void> {
    const transport = this.#transport;
    this.#transport = null;
    await transport?.close();
  }

  /** Returns null if this process reaches itself at its address, or the reason why not. */
  reachItself(timeoutMs: number): Promise<string | null> {
    return this.#transport!.reachItself(timeoutMs);
  }

  /** For a member that is in no view yet: joining may take longer than a lease, and nothing depends on the lease so far. */
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

  /** Whether locks could be granted at least once. */
  get wasInstalled(): boolean {
    return this.#installed >= 0;
  }

  peer(id: MemberId): Peer | undefined {
    return this.#peers.get(id);
  }

  leader(election: string): Leader {
    return this.#leaderAnnouncer.isWithheld(election) ? null : this.member.leaders.of(election);
  }

  /** Announces the term that this member has won, once no candidate of higher priority is left. */
  announceLeadership(election: string): void {
    const term = this.#leaderAnnouncer.confirm(election);
    if (term === null) return;
    for (const { id } of this.member.view?.members ?? [])
      if (id !== this.id) this.sendToMember(id, { type: 'leads', election, term, ends: false });
  }

  request(request: LockRequest): void {
    const { name, standing } = request;
    if (request.isTry) this.member.try(name, request, request.algorithm);
    else if (standing !== null) this.member.stand(electionOf(name), request, standing.algorithm);
    else this.member.request(name, request, request.algorithm);
    if (request.isPending) this.#spinWait.spinIfQuick();
  }

  release(request: LockRequest): void {
    this.#spinWait.released(request, this.lease.checkedAt);
    this.#context.released(request);
    this.member.release(request.name, request);
  }

  sendToMember(to: MemberId, frame: Frame): void {
    const peer = this.#peers.get(to);
    if (peer !== undefined) this.#transport?.send(peer, frame);
  }

  /** Sends to a peer that may not be in the view. */
  sendToPeer(to: Peer, frame: Frame): void {
    this.#transport?.send(to, frame);
  }

  query(to: Peer, type: 'ask' | 'ping' | 'reach', question: number): void {
    if (type === 'ping') this.clocks.pingSent(to.id, question);
    this.sendToPeer(
      to,
      type === 'reach' ? { type, question, address: this.#transport!.address } : { type, question },
    );
  }

  /** Lets the locks be forgotten that were not used since the last call. */
  sweep(): void {
    this.#act(() => this.member.sweep());
  }

  /** Pings the peer whose turn it is, if any. Each peer has one of `turns` turns. */
  pingNextPeer(question: number, turn: number, turns: number): void {
    const peer = this.member.view && nextPeerToPing(this.member.view, this.id, turn, turns);
    if (peer) this.query(peer, 'ping', question);
  }

  /** Locks are lost at once. Resolves when the transport is closed. */
  async end(cause: ExitCause): Promise<void> {
    this.member.end(cause);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#closing ??= this.#transport?.close();
    await this.#closing;
  }

  // Host.

  send(to: MemberId, message: MemberMessage): void {
    if (message.type !== 'leads' || message.ends || this.#isAnnounced(message))
      this.sendToMember(to, message);
    else this.#leaderAnnouncer.withhold(message.election, message.term);
  }

  /** Whether a term may be announced to this member: it was to others, or this member has the highest priority. */
  #isAnnounced({ election, term }: MemberMessage & { type: 'leads' }): boolean {
    const isRepeated = this.member.leaders.of(election)?.term === term;
    return isRepeated ? !this.#leaderAnnouncer.isWithheld(election) : !this.#isOutranked;
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

  choose(options: number): number {
    return randomInt(options);
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

  granted(request: LockRequest, fence: number, between: number): void {
    request.isHandover = between > 0;
    request.granted(this, fence);
    this.#spinWait.granted(request, between);
    this.#context.granted(request);
  }

  busy(request: LockRequest): void {
    request.busy();
  }

  refused(request: LockRequest, reason: string): void {
    request.failed(new BatonError('conflict', reason));
  }

  lost(request: LockRequest, cause: ExitCause): void {
    this.#context.lost(request, cause);
  }

  leaderChanged(election: string, leader: Leader): void {
    this.#leaderAnnouncer.leaderChanged(election, leader);
  }

  messageDropped(why: DropReason): void {
    this.#context.refused(why, this.#peers.get(this.#handledFrom ?? '')?.address ?? null);
  }

  get #isOutranked(): boolean {
    const own = this.#peers.get(this.id)?.priority ?? 0;
    return this.member.view?.members.some(({ priority }) => priority > own) ?? false;
  }

  #listener(): TransportListener {
    return {
      received: (from, frame, answer) => {
        if (frame.type === 'soon') this.#spinWait.spin();
        else if (this.isLeaseOver) this.#context.memberOut('lease over');
        else if ('question' in frame) this.#context.onQuery(from, frame, answer);
        else this.#handle(from, frame);
      },
      closed: (peer, why) => {
        if (!this.#peers.has(peer)) return; // not in the view: an observer, or a former member
        this.#act(() => this.#connectionClosed(peer, why));
      },
      refused: (why, address) => this.#context.refused(why, address),
    };
  }

  #handle(from: MemberId, message: MemberMessage): void {
    this.#isLeaseChecked = true;
    this.#handledFrom = from;
    try {
      this.member.received(from, message);
    } finally {
      this.#isLeaseChecked = false;
      this.#handledFrom = null;
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
