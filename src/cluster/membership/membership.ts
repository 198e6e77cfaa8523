// The membership of one process in one group. It joins, renews its lease, follows views and leaves. It rejoins as a new member when it
// was removed.
import { hostname } from 'node:os';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import type { DropReason, ExitCause, Leader, MemberId, Peer, View } from '../../member/index.ts';
import type { Engine } from '../engines/engine.ts';
import { BatonError } from '../errors.ts';
import type { LockRequest } from '../group/lock.ts';
import { consistentReport } from '../inspection/consistent-inspection.ts';
import type {
  MemberReport,
  QueryFrame,
  RefusalReason,
  Transport,
  TransportListener,
} from '../transport/transport.ts';
import { algorithmMismatch, memberUnreachable } from './join-errors.ts';
import { MemberHost, type MemberHostContext } from './member-host.ts';

export interface GroupConfig {
  readonly group: string;
  readonly algorithm: string;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
  readonly priority: number;
  readonly engine: Engine;
  /** Some members may not reach each other: a process pings all members before it joins. */
  readonly spansMachines: boolean;
  readonly listen: (id: MemberId, listener: TransportListener) => Promise<Transport>;
}

/** Receives events, for the user of the group and for metrics. */
export interface MembershipObserver {
  joined(view: View): void;
  installed(view: View): void;
  out(cause: ExitCause): void;
  contractBroken(failure: BatonError): void;
  doubtful(isDoubtful: boolean): void;
  renewed(lagMs: number): void;
  failed(error: unknown): void; // of the engine
  leaderChanged(election: string, leader: Leader): void;
  granted(request: LockRequest): void;
  released(request: LockRequest): void;
  lost(request: LockRequest, cause: ExitCause): void;
  refused(why: RefusalReason | DropReason): void;
  clocksMeasured(): void; // a peer has answered a ping with its clocks
}

const emptyReport: MemberReport = { report: null, clocks: [] };
export const snapshotMs = 2000; // time limit of a snapshot
const ticksPerLease = 10; // each tick checks a lease of another member
const ticksPerRenewal = 2;
const ticksPerSweep = 2 * ticksPerLease;
const answerFraction = 0.4; // of a lease, for the answers to pings before joining
const leasesToReach = 2; // until joining fails; after one, members that hang have been removed
const staleLocksToKeep = 1000; // while other locks are used

export class Membership implements MemberHostContext {
  readonly #config: GroupConfig;
  readonly #observer: MembershipObserver;
  readonly #questions = new Map<number, (from: MemberId, report: MemberReport) => void>();
  #lastQuestion = 0;
  #current: MemberHost;
  #rejoining: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #isDoubtReported = false;
  #refusedAt = -1; // when a connection was last refused, by either side
  hasLeft = false; // or is leaving
  #leaving: Promise<void> | null = null;
  failure: BatonError | null = null; // why it left, if not by `leave`
  /** Returns the answer to a query of another member. Set by the group. */
  report: () => MemberReport = () => emptyReport;

  constructor(config: GroupConfig, observer: MembershipObserver) {
    this.#config = config;
    this.#observer = observer;
    this.#current = new MemberHost(this);
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

  // Joining and rejoining.

  async join(signal?: AbortSignal): Promise<void> {
    this.#config.engine.watch((view) => this.#viewChanged(view));
    try {
      await this.#joinView(signal);
    } catch (error) {
      await this.#current.end('left');
      await this.#config.engine.close();
      throw error;
    }
    this.#timer = setInterval(() => this.#tick(), this.leaseMs / ticksPerLease);
  }

  async #joinView(signal?: AbortSignal): Promise<void> {
    const host = this.#current;
    const { engine, algorithm, priority } = this.#config;
    const address = await host.open();
    const label = `${hostname()}:${process.pid}`;
    const me: Peer = { id: host.id, address, label, priority };
    const startedAt = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      host.renewExpiredLease();
      await this.#renew(host);
      const view = await engine.read();
      const dead = new Set(view === null ? [] : await engine.expired(view.members));
      const others = view?.members.filter(({ id }) => !dead.has(id) && id !== me.id) ?? [];
      if (view !== null && others.length > 0 && view.algorithm !== algorithm)
        throw algorithmMismatch(this.#config, view);
      const silent = await this.#findUnreachable(host, others);
      if (silent !== undefined) {
        if (performance.now() > startedAt + leasesToReach * this.leaseMs)
          throw memberUnreachable(silent, address, this.#config, this.#refusedAt >= startedAt);
        continue;
      }
      const after = await engine.change(view, algorithm, [...others, me]);
      if (after.members.some(({ id }) => id === me.id)) {
        this.#viewChanged(after);
        this.#observer.joined(after);
        return;
      }
      await pause(Math.random() * Math.min(2 ** attempt, 64)); // another member changed the view first
    }
  }

  async #findUnreachable(host: MemberHost, others: readonly Peer[]): Promise<Peer | undefined> {
    if (!this.#config.spansMachines) return undefined;
    const answers = await this.#query(host, others, 'ping', answerFraction * this.leaseMs);
    return others.find(({ id }) => !answers.has(id));
  }

  /** Rejoins as a new member, which repeats the pending requests. */
  memberOut(cause: ExitCause): void {
    if (this.#rejoining !== null || this.hasLeft) return;
    const before = this.#current;
    this.#observer.out(cause);
    this.#current = new MemberHost(this);
    this.#rejoining = this.#rejoin(before, cause).finally(() => {
      this.#rejoining = null;
    });
  }

  async #rejoin(before: MemberHost, cause: ExitCause): Promise<void> {
    const host = this.#current;
    for (const request of await before.end(cause)) if (request.isPending) host.request(request);
    await this.#config.engine.forget(before.id).catch(() => {});
    for (let attempt = 0; !this.hasLeft; attempt += 1) {
      try {
        await this.#joinView();
        return;
      } catch (error) {
        this.#observer.failed(error);
        await pause(Math.min(2 ** attempt * 10, this.leaseMs));
      }
    }
  }

  /** The algorithm broke its contract: the membership ends for good and all locks are lost, but the process continues. */
  contractBroken(reason: string): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    const { group } = this.#config;
    this.failure = new BatonError('broken', `group '${group}' has been left: ${reason}`);
    this.#leaving = this.#leaveAfterBreach(this.failure);
    this.#leaving.catch(() => {}); // `leave` rejects with it; without a caller it would be unhandled
  }

  async #leaveAfterBreach(failure: BatonError): Promise<void> {
    await null; // the member may be in the middle of a step
    try {
      for (const request of await this.#current.end('broken')) request.failed(failure);
      this.#observer.contractBroken(failure);
    } finally {
      await this.#depart();
    }
  }

  /** Pending requests fail, and held locks are released. */
  leave(): Promise<void> {
    this.hasLeft = true;
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#releaseAll();
    await this.#depart();
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

  #releaseAll(): void {
    const { member } = this.#current;
    for (const lock of [...member.locks])
      for (const request of [...lock.waiting]) {
        member.cancel(lock.name, request);
        request.failed(new BatonError('left', `group '${this.#config.group}' has been left`));
      }
    for (const { holder } of [...member.locks]) holder?.lock?.release();
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

  #tick(): void {
    const host = this.#current;
    if (this.#rejoining !== null) return;
    if (host.isLeaseOver) {
      this.memberOut('lease over');
      return;
    }
    if (this.#isDoubtReported !== host.isDoubtful) {
      this.#isDoubtReported = host.isDoubtful;
      this.#observer.doubtful(this.#isDoubtReported);
    }
    this.#ticks += 1;
    if (this.#ticks % ticksPerRenewal === 0) {
      this.#renew(host).catch(this.#failed);
      this.readView();
      this.#lastQuestion += 1;
      host.pingNextPeer(this.#lastQuestion, this.#ticks / ticksPerRenewal, ticksPerLease / ticksPerRenewal);
    }
    this.#watchSuccessor(host);
    this.#forgetStaleLocks(host);
  }

  async #renew(host: MemberHost): Promise<void> {
    const sent = host.lease.startRenewal();
    await this.#config.engine.renew(host.id);
    host.lease.renewed(sent);
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

  #forgetStaleLocks(host: MemberHost): void {
    if (this.#ticks % ticksPerSweep !== 0) return;
    const { stale, used } = host.member.locks.countStale();
    if (stale > staleLocksToKeep || (stale > 0 && used === 0)) host.member.requestNewEpoch();
  }

  #viewChanged(view: View): void {
    if (!this.hasLeft) this.#current.viewChanged(view);
  }

  open(id: MemberId, listener: TransportListener): Promise<Transport> {
    return this.#config.listen(id, listener);
  }

  proposeView(after: View, members: readonly Peer[]): void {
    const { engine, algorithm } = this.#config;
    engine.change(after, algorithm, members).then((view) => this.#viewChanged(view), this.#failed);
  }

  readView(): void {
    const host = this.#current;
    const known = host.member.view?.epoch ?? -1;
    this.#config.engine.read().then((view) => {
      if (view !== null && view.epoch >= known) this.#viewChanged(view);
      else if (known >= 0 && host === this.#current) this.memberOut('forgotten');
    }, this.#failed);
  }

  viewInstalled(view: View): void {
    this.#observer.installed(view);
  }

  /** Errors of operations that were in progress during `leave` are ignored. */
  readonly #failed = (error: unknown): void => {
    if (!this.hasLeft) this.#observer.failed(error);
  };

  // Queries to other members.

  /** Returns the answers of all members. Members that do not answer in time are missing. */
  async queryMembers(timeoutMs: number): Promise<Map<MemberId, MemberReport>> {
    const host = this.#current;
    const others = (host.member.view?.members ?? []).filter(({ id }) => id !== host.id);
    const answers = await this.#query(host, others, 'ask', timeoutMs);
    return answers.set(host.id, this.report());
  }

  #query(
    host: MemberHost,
    peers: readonly Peer[],
    type: 'ask' | 'ping',
    timeoutMs: number,
  ): Promise<Map<MemberId, MemberReport>> {
    const answers = new Map<MemberId, MemberReport>();
    if (peers.length === 0) return Promise.resolve(answers);
    this.#lastQuestion += 1;
    const question = this.#lastQuestion;
    for (const peer of peers) host.query(peer, type, question);
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#questions.delete(question);
        resolve(answers);
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#questions.set(question, (from, report) => {
        answers.set(from, report);
        if (answers.size === peers.length) finish();
      });
    });
  }

  onQuery(from: MemberId, query: QueryFrame): void {
    const { question } = query;
    const answer = (frame: QueryFrame, address: string) =>
      this.#current.sendToPeer({ id: from, address, label: '', priority: 0 }, frame);
    switch (query.type) {
      case 'ask':
        answer({ type: 'answer', question, ...this.report() }, query.address);
        break;
      case 'ping':
        answer({ type: 'pong', question, clocks: this.#current.clocks.reading() }, query.address);
        break;
      case 'snapshot': {
        const { member } = this.#current;
        member.snapshot(snapshotMs, (snapshot) =>
          answer(
            { type: 'answer', question, report: consistentReport(snapshot, member.view), clocks: [] },
            query.address,
          ),
        );
        break;
      }
      case 'answer':
        this.#questions.get(question)?.(from, query);
        break;
      case 'pong':
        this.#questions.get(question)?.(from, emptyReport);
        if (this.#current.clocks.pongReceived(from, question, query.clocks)) this.#observer.clocksMeasured();
    }
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

  refused(why: RefusalReason | DropReason): void {
    this.#refusedAt = performance.now();
    this.#observer.refused(why);
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
