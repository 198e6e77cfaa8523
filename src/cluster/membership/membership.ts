// The life of one process in one group: joins, keeps its lease, follows views, comes back as another incarnation when it was out,
// and leaves.
import { hostname } from 'node:os';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import type { DropReason, ExitCause, Leader, MemberId, Peer, View } from '../../member/index.ts';
import type { Engine } from '../engines/engine.ts';
import { BatonError } from '../errors.ts';
import type { LockRequest } from '../group/lock-request.ts';
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
  /** Over machines, of which not all may reach all: whoever joins first makes sure that it and all members do. */
  readonly spansMachines: boolean;
  readonly listen: (id: MemberId, listener: TransportListener) => Promise<Transport>;
}

/** What the group's user is told, and what is measured. */
export interface MembershipObserver {
  joined(view: View): void;
  installed(view: View): void;
  out(cause: ExitCause): void;
  contractBroken(failure: BatonError): void;
  doubtful(isDoubtful: boolean): void;
  renewed(lag: number): void;
  failed(error: unknown): void; // the engine did
  leaderChanged(election: string, leader: Leader): void;
  granted(wait: LockRequest): void;
  released(wait: LockRequest): void;
  lost(wait: LockRequest, cause: ExitCause): void;
  refused(why: RefusalReason | DropReason): void;
  clocksMeasured(): void; // more is known of the clocks of others
}

const emptyReport: MemberReport = { report: null, clocks: [] };
export const snapshotMs = 2000; // within which all members have to do their part
const ticksPerLease = 10; // to look whether others' leases are over
const ticksPerRenewal = 2;
const ticksPerSweep = 2 * ticksPerLease;
const answerFraction = 0.4; // of a lease, for an answer of who we should reach
const leasesToReach = 2; // after one, who only hangs is out
const staleLocksToKeep = 1000; // while others are used

export class Membership implements MemberHostContext {
  readonly #config: GroupConfig;
  readonly #observer: MembershipObserver;
  readonly #questions = new Map<number, (from: MemberId, told: MemberReport) => void>();
  #lastQuestion = 0;
  #current: MemberHost;
  #rejoining: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #isDoubtReported = false;
  #refusedAt = -1; // somebody, or by somebody
  hasLeft = false; // or is leaving
  #leaving: Promise<void> | null = null;
  failure: BatonError | null = null; // why it left, if nobody asked for it
  /** What this process answers when another member asks; set by the group. */
  report: () => MemberReport = () => emptyReport;

  constructor(setting: GroupConfig, observer: MembershipObserver) {
    this.#config = setting;
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

  // Joining, and coming back.

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
    const incarnation = this.#current;
    const { engine, algorithm, priority } = this.#config;
    const address = await incarnation.open();
    const label = `${hostname()}:${process.pid}`;
    const me: Peer = { id: incarnation.id, address, label, priority };
    const begun = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      incarnation.renewExpiredLease();
      await this.#renew(incarnation);
      const view = await engine.read();
      const dead = new Set(view === null ? [] : await engine.expired(view.members));
      const others = view?.members.filter(({ id }) => !dead.has(id) && id !== me.id) ?? [];
      if (view !== null && others.length > 0 && view.algorithm !== algorithm)
        throw algorithmMismatch(this.#config, view);
      const silent = await this.#findUnreachable(incarnation, others);
      if (silent !== undefined) {
        if (performance.now() > begun + leasesToReach * this.leaseMs)
          throw memberUnreachable(silent, address, this.#config, this.#refusedAt >= begun);
        continue;
      }
      const after = await engine.change(view, algorithm, [...others, me]);
      if (after.members.some(({ id }) => id === me.id)) {
        this.#viewChanged(after);
        this.#observer.joined(after);
        return;
      }
      await pause(Math.random() * Math.min(2 ** attempt, 64)); // somebody else was faster
    }
  }

  async #findUnreachable(incarnation: MemberHost, others: readonly Peer[]): Promise<Peer | undefined> {
    if (!this.#config.spansMachines) return undefined;
    const answers = await this.#query(incarnation, others, 'ping', answerFraction * this.leaseMs);
    return others.find(({ id }) => !answers.has(id));
  }

  /** Out of the group, for whatever cause: back as another, who asks again for what was waited for. */
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
    const incarnation = this.#current;
    for (const wait of await before.end(cause)) if (wait.isPending) incarnation.request(wait);
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

  /** The algorithm broke its contract: the membership ends for good, what is held is lost, and the process lives on. */
  contractBroken(reason: string): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    const { group } = this.#config;
    this.failure = new BatonError('broken', `group '${group}' has been left: ${reason}`);
    this.#leaving = this.#leaveAfterBreach(this.failure);
    this.#leaving.catch(() => {}); // `leave` tells; nobody else may be waiting
  }

  async #leaveAfterBreach(failure: BatonError): Promise<void> {
    await null; // the member may be in the middle of a step
    try {
      for (const wait of await this.#current.end('broken')) wait.failed(failure);
      this.#observer.contractBroken(failure);
    } finally {
      await this.#depart();
    }
  }

  /** What is waited for fails, what is held is released. */
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
      this.#observer.failed(error); // the others will find our process gone, or our lease over
    }
    await this.#current.end('left');
    await engine.close();
  }

  #releaseAll(): void {
    const { member } = this.#current;
    for (const lock of [...member.locks])
      for (const wait of [...lock.waiting]) {
        member.cancel(lock.name, wait);
        wait.failed(new BatonError('left', `group '${this.#config.group}' has been left`));
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
    const incarnation = this.#current;
    if (this.#rejoining !== null) return;
    if (incarnation.isLeaseOver) {
      this.memberOut('lease over');
      return;
    }
    if (this.#isDoubtReported !== incarnation.isDoubtful) {
      this.#isDoubtReported = incarnation.isDoubtful;
      this.#observer.doubtful(this.#isDoubtReported);
    }
    this.#ticks += 1;
    if (this.#ticks % ticksPerRenewal === 0) {
      this.#renew(incarnation).catch(this.#failed);
      this.readView();
      this.#lastQuestion += 1;
      incarnation.pingNextPeer(
        this.#lastQuestion,
        this.#ticks / ticksPerRenewal,
        ticksPerLease / ticksPerRenewal,
      );
    }
    this.#watchSuccessor(incarnation);
    this.#forgetStaleLocks(incarnation);
  }

  async #renew(incarnation: MemberHost): Promise<void> {
    const sent = incarnation.lease.startRenewal();
    await this.#config.engine.renew(incarnation.id);
    incarnation.lease.renewed(sent);
    this.#observer.renewed(performance.now() - sent.monotonic);
  }

  /** Everybody watches the next one in the view: whoever hangs is watched by somebody who does not, and then all are looked at. */
  #watchSuccessor(incarnation: MemberHost): void {
    const members = incarnation.member.view?.members ?? [];
    const next = members[(members.findIndex(({ id }) => id === incarnation.id) + 1) % members.length];
    if (next === undefined || next.id === incarnation.id) return;
    const expired = async () => {
      if ((await this.#config.engine.expired([next])).length === 0) return;
      const others = members.filter(({ id }) => id !== incarnation.id);
      for (const id of await this.#config.engine.expired(others)) incarnation.member.peerDied(id);
    };
    expired().catch(this.#failed);
  }

  #forgetStaleLocks(incarnation: MemberHost): void {
    if (this.#ticks % ticksPerSweep !== 0) return;
    const { stale, used } = incarnation.member.locks.countStale();
    if (stale > staleLocksToKeep || (stale > 0 && used === 0)) incarnation.member.requestNewEpoch();
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
    const incarnation = this.#current;
    const known = incarnation.member.view?.epoch ?? -1;
    this.#config.engine.read().then((view) => {
      if (view !== null && view.epoch >= known) this.#viewChanged(view);
      else if (known >= 0 && incarnation === this.#current) this.memberOut('forgotten');
    }, this.#failed);
  }

  viewInstalled(view: View): void {
    this.#observer.installed(view);
  }

  /** What was under way when we left may fail. */
  readonly #failed = (error: unknown): void => {
    if (!this.hasLeft) this.#observer.failed(error);
  };

  // Questions to all members.

  /** What each member answers; those who do not answer in time are missing. */
  async queryMembers(timeoutMs: number): Promise<Map<MemberId, MemberReport>> {
    const incarnation = this.#current;
    const others = (incarnation.member.view?.members ?? []).filter(({ id }) => id !== incarnation.id);
    const answers = await this.#query(incarnation, others, 'ask', timeoutMs);
    return answers.set(incarnation.id, this.report());
  }

  #query(
    incarnation: MemberHost,
    peers: readonly Peer[],
    type: 'ask' | 'ping',
    timeoutMs: number,
  ): Promise<Map<MemberId, MemberReport>> {
    const answers = new Map<MemberId, MemberReport>();
    if (peers.length === 0) return Promise.resolve(answers);
    this.#lastQuestion += 1;
    const question = this.#lastQuestion;
    for (const peer of peers) incarnation.query(peer, type, question);
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#questions.delete(question);
        resolve(answers);
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#questions.set(question, (from, told) => {
        answers.set(from, told);
        if (answers.size === peers.length) finish();
      });
    });
  }

  onQuery(from: MemberId, inquiry: QueryFrame): void {
    const { question } = inquiry;
    const answer = (frame: QueryFrame, address: string) =>
      this.#current.sendToPeer({ id: from, address, label: '', priority: 0 }, frame);
    switch (inquiry.type) {
      case 'ask':
        answer({ type: 'answer', question, ...this.report() }, inquiry.address);
        break;
      case 'ping':
        answer({ type: 'pong', question, clocks: this.#current.clocks.reading() }, inquiry.address);
        break;
      case 'snapshot': {
        const { member } = this.#current;
        member.snapshot(snapshotMs, (snapshot) =>
          answer(
            { type: 'answer', question, report: consistentReport(snapshot, member.view), clocks: [] },
            inquiry.address,
          ),
        );
        break;
      }
      case 'answer':
        this.#questions.get(question)?.(from, inquiry);
        break;
      case 'pong':
        this.#questions.get(question)?.(from, emptyReport);
        if (this.#current.clocks.pongReceived(from, question, inquiry.clocks))
          this.#observer.clocksMeasured();
    }
  }

  // What the incarnation tells is passed on.

  leaderChanged(election: string, leader: Leader): void {
    this.#observer.leaderChanged(election, leader);
  }

  granted(wait: LockRequest): void {
    this.#observer.granted(wait);
  }

  released(wait: LockRequest): void {
    this.#observer.released(wait);
  }

  lost(wait: LockRequest, cause: ExitCause): void {
    wait.lock!.lose(cause);
    this.#observer.lost(wait, cause);
  }

  refused(why: RefusalReason | DropReason): void {
    this.#refusedAt = performance.now();
    this.#observer.refused(why);
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
