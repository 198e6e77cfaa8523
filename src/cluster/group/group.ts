/// <reference lib="esnext.disposable" preserve="true" />
import type { Meter } from '@opentelemetry/api';
import type { Leader, View } from '../../member/index.ts';
import { BatonError, toBatonError } from '../errors.ts';
import { SignificantSkews } from '../inspection/clock-skew.ts';
import { type Inspection, inspectionOf, skewsSeenBy } from '../inspection/inspection.ts';
import { isWaitingFor, lockReportsOf, peerClockReportsOf } from '../inspection/lock-reports.ts';
import type { GroupConfig, MembershipObserver } from '../membership/group-config.ts';
import type { GroupState } from '../membership/group-state.ts';
import { Membership } from '../membership/membership.ts';
import {
  checkEvent,
  checkLeaveOptions,
  checkListener,
  checkLockOptions,
  checkName,
  checkNames,
  checkWork,
  type ElectionOptions,
  type LeaveOptions,
  type LockOptions,
} from './arguments.ts';
import { Drain } from './drain.ts';
import { electionAlgorithmIn } from './election-algorithm.ts';
import { type GroupEvents, GroupListeners, groupEventNames, LimitedEvents } from './group-events.ts';
import { Election, type LeaderNow } from './leader-election.ts';
import { type Lock, LockRequest, LockSet, type StandingRequest } from './lock.ts';
import { lockAlgorithm } from './lock-algorithm.ts';
import { Metrics } from './metrics.ts';
import { onAbort, setLongTimeout } from './timeouts.ts';
import { YieldBudget } from './yield-budget.ts';

const answerMs = 500;

/**
 * This process as a member of a group. {@link join} creates it.
 *
 * @example
 * import { join } from 'batonjs';
 *
 * const group = await join('orders');
 * const stop = group.on('lost', (lock, cause) => console.error(lock.name, 'is lost:', cause));
 * const lock = await group.lock('invoice-42', { timeoutMs: 2000 });
 * const { locks } = await group.inspect();
 * console.log(locks[0]?.holder?.id === group.id); // → true
 * await lock.release();
 * stop();
 * await group.leave();
 */
export class Group implements AsyncDisposable {
  /** The name of the group. */
  readonly name: string;
  readonly #priority: number;
  readonly #membership: Membership;
  readonly #events = new GroupListeners();
  readonly #yieldBudget = new YieldBudget();
  readonly #metrics: Metrics;
  readonly #holding = new Set<LockRequest>();
  readonly #limitedEvents: LimitedEvents;
  #drain: Drain | null = null; // while this process leaves
  readonly #skews = new SignificantSkews();

  /** @internal */
  constructor(config: GroupConfig, engineAddress: string | null = null, meter: Meter | null = null) {
    this.#limitedEvents = new LimitedEvents(
      {
        refused: (...event) => this.#events.emit('refused', ...event),
        failed: (...event) => this.#events.emit('failed', ...event),
      },
      engineAddress,
    );
    this.name = config.group;
    this.#priority = config.priority;
    this.#metrics = new Metrics(config.group, meter);
    this.#membership = new Membership(config, this.#observer());
    this.#membership.report = () => ({
      report: lockReportsOf(this.#membership.current),
      clocks: peerClockReportsOf(this.#membership.current),
    });
  }

  /** @internal */
  async join(signal: AbortSignal | undefined): Promise<this> {
    await this.#membership.join(signal);
    return this;
  }

  /** The id of this process in the group. It changes when the process rejoins. */
  get id(): string {
    return this.#membership.current.id;
  }

  /** The current view. Locks are granted in it once all its members know it. */
  get view(): View | null {
    return this.#membership.current.member.view;
  }

  /** Whether this process is in the group now, read from the clocks. */
  get state(): GroupState {
    return this.#membership.state;
  }

  /**
   * Waits for a lock. Two calls with the same name also exclude each other within one process. A call that rejects never gets the lock.
   *
   * @throws {BatonError} `timeout` or `aborted` when the wait ends without the lock.
   * @throws {BatonError} `unavailable` instead of `timeout` when this process is outside the group by then.
   * @throws {BatonError} `conflict` when other processes use another algorithm for this lock.
   * @throws {BatonError} `left` or `broken` when this process is not in the group any more.
   * @throws {BatonError} `input` when the name or an option is wrong.
   */
  lock(name: string, options: LockOptions = noOptions): Promise<Lock> {
    return this.#checkedLock(name, options, false) as Promise<Lock>;
  }

  /**
   * Runs `work` while this process holds the lock, and returns its result. Releases the lock in every case.
   *
   * @throws {BatonError} `lost` or `left` when the lock was lost before `work` ended. If `work` threw too, its error is the `cause`.
   * @throws {BatonError} `conflict`, `left`, `broken` or `input`, as {@link Group.lock} does.
   *
   * @example
   * import { join } from 'batonjs';
   *
   * await using group = await join('orders');
   * const fence = await group.withLock('invoice-42', async (lock) => {
   *   await fetch('data:,paid', { signal: lock.signal }); // stops when the lock is lost
   *   return lock.fence;
   * });
   * console.log(fence > 0); // → true
   */
  withLock<T>(name: string, work: (lock: Lock) => T | PromiseLike<T>): Promise<T>;
  /**
   * Does the same with options of the wait.
   *
   * @throws {BatonError} `timeout`, `aborted` or `unavailable` as well, as {@link Group.lock} does.
   *
   * @example
   * import { join } from 'batonjs';
   *
   * await using group = await join('orders');
   * const name = await group.withLock('invoice-42', { timeoutMs: 2000 }, (lock) => lock.name);
   * console.log(name); // → 'invoice-42'
   */
  withLock<T>(name: string, options: LockOptions, work: (lock: Lock) => T | PromiseLike<T>): Promise<T>;
  async withLock<T>(
    name: string,
    ...rest: [(lock: Lock) => T | PromiseLike<T>] | [LockOptions, (lock: Lock) => T | PromiseLike<T>]
  ): Promise<T> {
    const [options, work] = rest.length === 1 ? [noOptions, rest[0]] : rest;
    checkWork(work);
    if (options !== noOptions) checkLockOptions('withLock', options);
    const lock = await this.lock(name, options);
    let result: T;
    try {
      result = await work(lock);
    } catch (error) {
      await lock.release();
      throw lock.lossAfter(error) ?? error;
    }
    await lock.release();
    if (lock.loss !== null) throw lock.loss;
    return result;
  }

  /**
   * Returns the lock, or null if it is held. If the holder hangs, this call waits until the holder's lease expires. Outside the group, it
   * waits for the attempt to rejoin.
   *
   * @throws {BatonError} `unavailable` when the attempt to rejoin fails. The error of the engine is the `cause`.
   * @throws {BatonError} `timeout`, `aborted`, `conflict`, `left`, `broken` or `input`, as {@link Group.lock} does.
   *
   * @example
   * import { join } from 'batonjs';
   *
   * await using group = await join('orders');
   * await using lock = await group.tryLock('nightly');
   * if (lock === null) console.log('another process does it');
   * else console.log('fence', lock.fence);
   */
  tryLock(name: string, options: LockOptions = noOptions): Promise<Lock | null> {
    return this.#checkedLock(name, options, true);
  }

  /**
   * Acquires several locks in the order of their names, which prevents deadlocks. `timeoutMs` is the limit for all of them together. A call
   * that rejects holds none of them.
   *
   * @throws {BatonError} `lost` when a lock is lost while the call waits for the others.
   * @throws {BatonError} `timeout`, `aborted`, `conflict`, `left`, `broken` or `input`, as {@link Group.lock} does.
   *
   * @example
   * import { join } from 'batonjs';
   *
   * await using group = await join('bank');
   * await using accounts = await group.lockAll(['account-7', 'account-3'], { timeoutMs: 2000 });
   * accounts.locks.map(({ name }) => name); // → ['account-3', 'account-7']
   */
  async lockAll(names: readonly string[], options: LockOptions = noOptions): Promise<LockSet> {
    checkNames(names);
    checkLockOptions('lockAll', options);
    const { timeoutMs = Number.POSITIVE_INFINITY } = options;
    const until = performance.now() + timeoutMs;
    const locks: Lock[] = [];
    try {
      for (const name of [...new Set(names)].sort())
        locks.push(await this.lock(name, { ...options, timeoutMs: Math.max(0, until - performance.now()) }));
      const all = new LockSet(locks);
      all.assertHeld();
      return all;
    } catch (error) {
      for (const lock of locks.reverse()) await lock.release();
      throw error;
    }
  }

  /**
   * Returns an election of this group. That alone does not make this process a candidate: {@link Election.terms} does.
   *
   * @throws {BatonError} `input` when the name or an option is wrong.
   *
   * @example
   * import { join } from 'batonjs';
   *
   * await using group = await join('reports');
   * for await (const term of group.election('scheduler').terms()) {
   *   console.log('leading, fence', term.fence);
   *   break; // resigns
   * }
   */
  election(name: string, options: ElectionOptions = {}): Election {
    checkName(name);
    const algorithm = electionAlgorithmIn(options);
    return new Election(name, {
      left: this.#membership.left,
      algorithm,
      acquire: (lock, signal) => this.#acquire(lock, { signal }, false, { algorithm }) as Promise<Lock>,
      leader: (election) => this.#leaderNow(this.#membership.current.leader(election)),
      onLeader: (election, listener) =>
        this.on('leader', (changed, leader) => {
          if (changed === election) listener(leader);
        }),
      higherPriorityWaiters: (lock) => this.#higherPriorityWaiters(lock),
      announceLeadership: (election) => this.#membership.current.announceLeadership(election),
    });
  }

  /**
   * Asks all members for their locks, waiting requests and clocks. Members that do not answer within 500 ms are marked.
   *
   * @throws {BatonError} `left` or `broken` when this process has left the group.
   * @throws {BatonError} `unavailable` when this process is outside the group, and its attempt to rejoin fails.
   */
  async inspect(): Promise<Inspection> {
    for (;;) {
      if (this.#membership.hasLeft) throw this.#membership.leftError();
      await this.#membership.waits.untilInView();
      const answers = await this.#membership.queryMembers(answerMs);
      if (this.#membership.hasLeft) throw this.#membership.leftError();
      const { view } = this.#membership.current.member;
      if (view !== null) return inspectionOf(this.name, view, this.id, answers);
    }
  }

  /**
   * Calls `listener` on every event of this kind. Returns an unsubscribe function.
   *
   * @throws {BatonError} `input` when there is no such event, or the listener is not a function.
   */
  on<E extends keyof GroupEvents>(event: E, listener: (...args: GroupEvents[E]) => void): () => void {
    checkEvent(event, groupEventNames);
    checkListener(listener);
    return this.#events.on(event, listener);
  }

  /**
   * Leaves the group. Afterwards the group does not keep the process alive.
   *
   * 1. Waiting calls and new ones reject with `left` at once.
   * 2. Locks and terms that are held may finish within `drainMs`. Their lease is still renewed.
   * 3. The rest is lost: `lock.signal` and `term.signal` abort with a {@link BatonError} `left`.
   * 4. Only then are the locks handed on.
   *
   * A second call can shorten the drain. Both calls resolve at the same time.
   *
   * @throws {BatonError} `input` when an option is wrong.
   *
   * @example
   * import { join } from 'batonjs';
   *
   * const group = await join('orders');
   * const lock = await group.lock('invoice-42');
   * setTimeout(() => lock.release(), 20); // the work takes this long
   * await group.leave({ drainMs: 10_000 });
   * console.log(lock.state); // → 'released'
   */
  async leave(options: LeaveOptions = {}): Promise<void> {
    checkLeaveOptions(options);
    const { drainMs = 0, signal } = options;
    if (!this.#membership.hasLeft) this.#drain = new Drain(() => this.#holding.size === 0);
    this.#drain?.limit(drainMs, signal);
    try {
      await this.#membership.leave(this.#drain!);
    } catch (error) {
      throw toBatonError(error, `leaving group '${this.name}'`);
    } finally {
      this.#limitedEvents.flush();
    }
  }

  /** Leaves the group at the end of a block with `await using`, without a drain. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  #acquire(
    name: string,
    { signal, timeoutMs, algorithm }: LockOptions,
    isTry: boolean,
    standing: StandingRequest | null = null,
  ): Promise<Lock | null> {
    if (this.#membership.hasLeft) return Promise.reject(this.#membership.leftError());
    if (signal?.aborted) return Promise.reject(aborted(name, signal));
    const yielding = this.#yieldBudget.pendingYield;
    const handedOnBy = algorithm ?? this.#membership.algorithm;
    const request = new LockRequest(name, handedOnBy, isTry, this.#yieldBudget.checkedAt, standing);
    if (yielding !== null) yielding.then(() => this.#request(request));
    else this.#request(request);
    if (request.lock !== null || (signal === undefined && timeoutMs === undefined)) return request.outcome();
    return this.#withDeadline(request, signal, timeoutMs);
  }

  #checkedLock(name: string, options: LockOptions, isTry: boolean): Promise<Lock | null> {
    try {
      checkName(name);
      if (options !== noOptions) checkLockOptions(isTry ? 'tryLock' : 'lock', options);
      const { algorithm } = options;
      if (algorithm === undefined) return this.#acquire(name, options, isTry);
      const known = this.#membership.algorithmOf(algorithm) ?? lockAlgorithm(algorithm);
      return this.#acquire(name, { ...options, algorithm: known.name }, isTry);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #request(request: LockRequest): void {
    if (this.#membership.hasLeft) request.failed(this.#membership.leftError());
    else if (request.isPending) this.#membership.waits.request(request);
  }

  async #withDeadline(
    request: LockRequest,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
  ): Promise<Lock | null> {
    const { waits } = this.#membership;
    const giveUp = (error: BatonError) => waits.fail(request, error);
    const timedOut = () => {
      this.#metrics.timedOut();
      giveUp(
        this.state === 'out'
          ? waits.outsideError(`lock '${request.name}' was not acquired within ${timeoutMs} ms`)
          : new BatonError('timeout', `lock '${request.name}' was not free within ${timeoutMs} ms`),
      );
    };
    const stopListening = signal && onAbort(signal, () => giveUp(aborted(request.name, signal)));
    const stopTimer = setLongTimeout(timeoutMs ?? Number.POSITIVE_INFINITY, timedOut);
    try {
      return await request.outcome();
    } finally {
      stopTimer();
      stopListening?.();
    }
  }

  /** Queries the members only if one of them has a higher priority. */
  async #higherPriorityWaiters(lock: string): Promise<string[]> {
    const higher = this.view?.members.filter(({ priority }) => priority > this.#priority) ?? [];
    if (higher.length === 0) return [];
    const answers = await this.#membership.queryMembers(answerMs);
    return higher.map(({ id }) => id).filter((id) => isWaitingFor(lock, answers.get(id)?.report));
  }

  #leaderNow(leader: Leader): LeaderNow | null {
    if (leader === null) return null;
    const { id, term } = leader;
    return { id, term, label: this.#membership.current.peer(id)?.label ?? '', isMe: id === this.id };
  }

  #reportSkews(): void {
    const { current } = this.#membership;
    const skews = skewsSeenBy(current.id, current.member.view?.members ?? [], peerClockReportsOf(current));
    this.#metrics.skewed(Math.max(0, ...skews.map(({ eaten }) => eaten)));
    const news = this.#skews.changed(skews);
    if (news !== null) this.#events.emit('skew', news);
  }

  #observer(): MembershipObserver {
    const metrics = this.#metrics;
    const events = this.#events;
    return {
      joined: (view) => events.emit('joined', view),
      installed: (view) => {
        metrics.viewInstalled();
        events.emit('view', view);
        this.#reportSkews();
      },
      out: (cause) => events.emit('out', cause),
      contractBroken: ({ message }) => events.emit('out', message),
      doubtful: (isDoubtful) => {
        for (const { lock } of this.#holding) lock!.doubt();
        events.emit('doubt', isDoubtful);
      },
      renewed: (lag) => metrics.renewed(lag),
      failed: (error) => this.#limitedEvents.failed(error),
      leaderChanged: (election, leader) => events.emit('leader', election, this.#leaderNow(leader)),
      granted: (request) => {
        this.#holding.add(request);
        if (request.isHandover) this.#yieldBudget.reset(request.grantedAt);
        metrics.granted(request);
      },
      released: (request) => {
        this.#holding.delete(request);
        metrics.ended(request);
        this.#drain?.check();
      },
      lost: (request, cause) => {
        if (!this.#holding.delete(request)) return; // it was lost when this process began to leave
        metrics.ended(request);
        metrics.lost(cause);
        events.emit('lost', request.lock!, cause);
        this.#drain?.check();
      },
      refused: (why, address) => {
        metrics.refused(why);
        this.#limitedEvents.refused(why, address);
      },
      clocksMeasured: () => this.#reportSkews(),
    };
  }
}

const noOptions: LockOptions = {};

const aborted = (name: string, { reason }: AbortSignal) =>
  new BatonError('aborted', `waiting for lock '${name}' was aborted`, { cause: reason });
