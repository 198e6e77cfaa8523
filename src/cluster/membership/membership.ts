// The membership of one process in one group. It joins, renews its lease, follows views and leaves. It rejoins as a new member when it
// was removed.
import { hostname } from 'node:os';
import {
  type DropReason,
  type ExitCause,
  type Leader,
  type MemberId,
  mostMembers,
  type Peer,
  protocolVersion,
  type View,
} from '../../member/index.ts';
import type { Engine } from '../engines/engine.ts';
import { labelOf } from '../engines/view-record.ts';
import { BatonError } from '../errors.ts';
import type { Drain } from '../group/drain.ts';
import type { LockRequest } from '../group/lock.ts';
import { pauseUnlessAborted } from '../group/timeouts.ts';
import type {
  AnswerFrame,
  MemberReport,
  QueryFrame,
  RefusalReason,
  Transport,
  TransportListener,
} from '../transport/transport.ts';
import type { GroupConfig, MembershipObserver } from './group-config.ts';
import type { GroupState } from './group-state.ts';
import { algorithmMismatch, groupFull } from './join-errors.ts';
import { MemberHost, type MemberHostContext } from './member-host.ts';
import { emptyReport, MemberQueries, type MemberQueriesContext } from './member-queries.ts';
import { PendingWaits } from './pending-waits.ts';
import { findUnreachable } from './reachability.ts';
import { Relapses } from './relapses.ts';

const ticksPerLease = 10; // each tick checks a lease of another member
const ticksPerRenewal = 2;
const rejoinsPerLease = ticksPerLease / ticksPerRenewal; // a process outside the group asks the engine as often as a member does
const ticksPerSweep = 2 * ticksPerLease;
const answerFraction = 0.4; // of a lease, for the answers to pings before joining
const leasesToReach = 2; // until joining fails; after one, members that hang have been removed

export class Membership implements MemberHostContext, MemberQueriesContext {
  readonly #config: GroupConfig;
  readonly #observer: MembershipObserver;
  readonly #queries: MemberQueries;
  readonly waits: PendingWaits;
  readonly #left = new AbortController();
  #reads: 'none' | 'one' | 'one and another' = 'none'; // of the view, in progress
  #current: MemberHost;
  #rejoining: Promise<void> | null = null;
  readonly #relapses: Relapses;
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #isDoubtReported = false;
  #refusedAt = -1; // when a connection was last refused, by either side
  engineError: unknown; // of the engine, since the last renewal of the lease
  hasLeft = false; // or is leaving: requests are refused
  #hasJoined = false; // once
  #isDeparting = false; // nothing is held any more
  #leaving: Promise<void> | null = null;
  failure: BatonError | null = null; // why it left, if not by `leave`
  /** Returns the answer to a query of another member. Set by the group. */
  report: () => MemberReport = () => emptyReport;

  constructor(config: GroupConfig, observer: MembershipObserver) {
    this.#config = config;
    this.#relapses = new Relapses(config.leaseMs);
    this.#observer = observer;
    this.#current = new MemberHost(this);
    this.waits = new PendingWaits(this);
    this.#queries = new MemberQueries(this);
  }

  get group(): string {
    return this.#config.group;
  }

  get algorithm(): string {
    return this.#config.algorithm;
  }

  get algorithmOf(): GroupConfig['algorithmOf'] {
    return this.#config.algorithmOf;
  }

  get spansMachines(): boolean {
    return this.#config.spansMachines;
  }

  get leaseMs(): number {
    return this.#config.leaseMs;
  }

  get current(): MemberHost {
    return this.#current;
  }

  /** Aborts when this process begins to leave. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  get state(): GroupState {
    const { member, isLeaseOver, isDoubtful, wasInstalled } = this.#current;
    if (this.hasLeft) return 'left';
    if (member.view === null) return this.#rejoining === null ? 'joining' : 'out';
    if (isLeaseOver) return 'out';
    if (!wasInstalled) return 'joining';
    return isDoubtful ? 'doubtful' : 'member';
  }

  /** Why requests are refused. */
  leftError(): BatonError {
    return this.failure ?? new BatonError('left', `group '${this.group}' has been left`);
  }

  // Joining and rejoining.

  async join(signal?: AbortSignal): Promise<void> {
    this.#config.engine.watch((view) => (view === null ? this.readView() : this.#viewChanged(view)));
    try {
      await this.#joinView(signal);
    } catch (error) {
      await this.#current.end('left');
      await this.#config.engine.close();
      throw error;
    }
    this.#hasJoined = true;
    this.#timer = setInterval(() => this.#tick(), this.leaseMs / ticksPerLease);
  }

  async #joinView(signal?: AbortSignal): Promise<void> {
    const host = this.#current;
    const { engine, algorithm, priority } = this.#config;
    const address = await host.open();
    const label = labelOf(hostname(), process.pid);
    const me: Peer = { id: host.id, address, label, priority, speaks: protocolVersion };
    const startedAt = performance.now();
    const reached = new Set<MemberId>();
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      host.renewExpiredLease();
      await this.#renew(host);
      const view = await engine.read();
      const dead = new Set(view === null ? [] : await engine.expired(view.members));
      const others = view?.members.filter(({ id }) => !dead.has(id) && id !== me.id) ?? [];
      if (view !== null && others.length > 0 && view.algorithm !== algorithm)
        throw algorithmMismatch(this.#config, view);
      if (others.length >= mostMembers) throw groupFull(this.#config);
      const failure = this.spansMachines
        ? await findUnreachable({
            ...this.#config,
            host,
            queries: this.#queries,
            others,
            reached,
            limitMs: answerFraction * this.leaseMs,
            left: this.left,
            wasRefused: () => this.#refusedAt >= startedAt,
          })
        : null;
      if (failure !== null) {
        if (performance.now() < startedAt + leasesToReach * this.leaseMs) continue;
        await host.closeTransport();
        throw failure;
      }
      const after = await engine.change(view, algorithm, [...others, me]);
      if (after.members.some(({ id }) => id === me.id)) {
        if (this.hasLeft) return;
        this.#viewChanged(after);
        this.waits.joined();
        this.#observer.joined(after);
        return;
      }
      await pauseUnlessAborted(Math.random() * Math.min(2 ** attempt, 64), signal ? [signal] : []); // another member was faster
    }
  }

  /** Rejoins as a new member, which repeats the waiting requests. A member that leaves does not rejoin, nor one that has not joined yet. */
  memberOut(cause: ExitCause): void {
    if (!this.#hasJoined || this.#rejoining !== null || this.#isDeparting) return;
    const before = this.#current;
    let closed: Promise<void> | null = null;
    if (this.hasLeft) this.#isDeparting = true;
    else {
      this.#current = new MemberHost(this);
      this.#rejoining = Promise.resolve()
        .then(() => closed)
        .then(() => this.#rejoin(before.id))
        .finally(() => {
          this.#rejoining = null;
        });
      this.waits.repeatAll();
    }
    this.#observer.out(cause);
    closed = before.end(cause);
  }

  async #rejoin(before: MemberId): Promise<void> {
    const { engine } = this.#config;
    let isForgotten = false; // until then, the other members wait for the end of its lease
    for (let attempt = 0; !this.hasLeft; attempt += 1) {
      if (!isForgotten)
        isForgotten = await engine.forget(before).then(
          () => true,
          () => false,
        );
      if (attempt === 0) await pauseUnlessAborted(this.#relapses.pauseMs(), [this.left]);
      if (this.hasLeft) return;
      try {
        await this.#joinView(this.left);
        this.#relapses.rejoined();
        return;
      } catch (error) {
        if (this.hasLeft) return;
        this.#failed(error);
        this.waits.failedToRejoin(error);
        await pauseUnlessAborted(Math.min(2 ** attempt * 10, this.leaseMs / rejoinsPerLease), [this.left]);
      }
    }
  }

  /** The algorithm broke its contract: the membership ends for good and all locks are lost, but the process continues. */
  contractBroken(reason: string): void {
    if (this.#isDeparting) return;
    this.#isDeparting = true;
    const failure = new BatonError('broken', `group '${this.group}' has been left: ${reason}`);
    const ended = this.#endBroken(failure);
    if (this.#leaving === null) {
      this.hasLeft = true;
      this.failure = failure;
      this.#leaving = ended.finally(() => this.#depart());
      this.#leaving.catch(() => {}); // `leave` rejects with it; without a caller it would be unhandled
    }
  }

  async #endBroken(failure: BatonError): Promise<void> {
    await null; // the member may be in the middle of a step
    this.#refuseRequests();
    const ended = this.#current.end('broken');
    this.#observer.contractBroken(failure);
    await ended;
  }

  /** Waiting requests fail at once. Locks that are still held when the drain is over are lost first, and handed on later. */
  leave(drain: Drain): Promise<void> {
    if (this.#leaving !== null) return this.#leaving;
    this.#refuseRequests();
    this.#leaving = this.#leave(drain);
    return this.#leaving;
  }

  #refuseRequests(): void {
    this.hasLeft = true;
    this.waits.failAll(() => this.leftError());
    this.#queries.end();
    this.#left.abort(this.leftError());
  }

  async #leave(drain: Drain): Promise<void> {
    if (!drain.isOver) await drain.over;
    this.#isDeparting = true;
    this.#loseHeldLocks();
    await turn(); // code that waits for the signals of the locks stops before others hold them
    this.#loseHeldLocks(); // a listener may have called `leave` in the middle of a grant
    const { member } = this.#current;
    for (const { name, holder } of [...member.locks]) if (holder !== null) member.release(name, holder);
    member.leaveAll();
    await this.#depart();
  }

  #loseHeldLocks(): void {
    for (const { holder } of [...this.#current.member.locks])
      if (holder !== null && holder.lock !== null) this.lost(holder, 'left');
  }

  async #depart(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#rejoining;
    const { engine } = this.#config;
    try {
      await this.#leaveView(engine);
    } catch (error) {
      this.#observer.failed(error); // the other members will notice a dead process or an expired lease
    }
    await this.#current.end('left');
    await engine.close();
  }

  async #leaveView(engine: Engine): Promise<void> {
    const { id } = this.#current;
    let view = await engine.read();
    while (view?.members.some((peer) => peer.id === id))
      view = await engine.change(
        view,
        view.algorithm,
        view.members.filter((peer) => peer.id !== id),
      );
    await engine.forget(id);
  }

  // The lease and the views.

  checkLease(): void {
    const { member, isLeaseOver } = this.#current;
    if (member.view !== null && isLeaseOver) this.memberOut('lease over');
  }

  #tick(): void {
    const host = this.#current;
    this.checkLease();
    if (this.#rejoining !== null || this.#isDeparting) return;
    if (this.#isDoubtReported !== host.isDoubtful) {
      this.#isDoubtReported = host.isDoubtful;
      this.#observer.doubtful(this.#isDoubtReported);
    }
    this.#ticks += 1;
    if (this.#ticks % ticksPerLease === 0) this.#queries.leasePassed();
    if (this.#ticks % ticksPerRenewal === 0) {
      this.#renew(host).catch(this.#failed);
      this.readView();
      const turnOf = this.#ticks / ticksPerRenewal;
      host.pingNextPeer(this.#queries.nextQuestion(), turnOf, ticksPerLease / ticksPerRenewal);
    }
    if (this.#ticks % ticksPerSweep === 0) host.sweep();
    this.#watchSuccessor(host);
  }

  async #renew(host: MemberHost): Promise<void> {
    const sent = host.lease.startRenewal();
    await this.#config.engine.renew(host.id);
    host.lease.renewed(sent);
    this.engineError = undefined;
    this.#observer.renewed(performance.now() - sent.monotonic);
  }

  /** Each member checks the lease of its successor in the view. If that lease has expired, it checks the leases of all members. */
  #watchSuccessor(host: MemberHost): void {
    const members = host.member.view?.members ?? [];
    const next = members[(members.findIndex(({ id }) => id === host.id) + 1) % members.length];
    if (next === undefined || next.id === host.id) return;
    const expired = async () => {
      if ((await this.#config.engine.expired([next])).length === 0) return;
      const others = members.filter(({ id }) => id !== host.id);
      for (const id of await this.#config.engine.expired(others)) host.member.peerDied(id);
    };
    expired().catch(this.#failed);
  }

  #viewChanged(view: View): void {
    if (!this.#isDeparting) this.#current.viewChanged(view);
  }

  open(id: MemberId, listener: TransportListener): Promise<Transport> {
    return this.#config.listen(id, listener);
  }

  proposeView(after: View, members: readonly Peer[]): void {
    const { engine, algorithm } = this.#config;
    engine.change(after, algorithm, members).then((view) => this.#viewChanged(view), this.#failed);
  }

  readView(): void {
    if (this.#reads !== 'none') this.#reads = 'one and another';
    else {
      this.#reads = 'one';
      this.#readView().finally(() => this.#readEnded());
    }
  }

  async #readView(): Promise<void> {
    const host = this.#current;
    const known = host.member.view?.epoch ?? -1;
    const view = await this.#config.engine.read().catch(this.#failed);
    if (view === undefined) return;
    if (view !== null && view.epoch >= known) this.#viewChanged(view);
    else if (known >= 0 && host === this.#current) this.memberOut('forgotten');
  }

  /** However many messages ask for the view, one read is in progress, and at most one follows it. */
  #readEnded(): void {
    const isAgain = this.#reads === 'one and another' && !this.#isDeparting;
    this.#reads = 'none';
    if (isAgain) this.readView();
  }

  viewInstalled(view: View): void {
    this.#observer.installed(view);
  }

  /** Errors of operations that were in progress during `leave` are ignored. */
  readonly #failed = (error: unknown): void => {
    if (this.#isDeparting) return;
    this.engineError = error;
    this.#observer.failed(error);
  };

  // Queries to other members.

  /** Returns the answers of all members. Members that do not answer in time are missing. */
  async queryMembers(timeoutMs: number): Promise<Map<MemberId, MemberReport>> {
    const host = this.#current;
    const others = (host.member.view?.members ?? []).filter(({ id }) => id !== host.id);
    const answers = await this.#queries.ask(host, others, 'ask', timeoutMs);
    return answers.set(host.id, this.report());
  }

  onQuery(from: MemberId, query: QueryFrame, answer: (frame: AnswerFrame) => void): void {
    this.#queries.received(from, query, answer);
  }

  clocksMeasured(): void {
    this.#observer.clocksMeasured();
  }

  // Events of the host, passed on to the observer.

  leaderChanged(election: string, leader: Leader): void {
    this.#observer.leaderChanged(election, leader);
  }

  granted(request: LockRequest): void {
    this.#observer.granted(request);
  }

  released(request: LockRequest): void {
    this.#observer.released(request);
  }

  lost(request: LockRequest, cause: ExitCause): void {
    request.lock!.lose(cause);
    this.#observer.lost(request, cause);
  }

  refused(why: RefusalReason | DropReason, address: string | null): void {
    this.#refusedAt = performance.now();
    this.#observer.refused(why, address);
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
