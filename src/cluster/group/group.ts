/// <reference lib="esnext.disposable" preserve="true" />
import { EventEmitter } from 'node:events';
import type { Leader, View } from '../../member/index.ts';
import { BatonError } from '../errors.ts';
import { type ClockSkew, isSignificantSkew } from '../inspection/clock-skew.ts';
import { type Inspection, inspectionOf, skewsIn } from '../inspection/inspection.ts';
import { lockReportsOf, parseLockReports, peerClockReportsOf } from '../inspection/lock-reports.ts';
import { type GroupConfig, Membership, type MembershipObserver } from '../membership/membership.ts';
import { checkName, checkNames, checkOptions, checkWaitOptions, type LockOptions } from './arguments.ts';
import { Election, type LeaderNow } from './leader-election.ts';
import { type Lock, LockRequest, LockSet } from './lock.ts';
import { lockAlgorithm } from './lock-algorithm.ts';
import { Metrics } from './metrics.ts';
import { onAbort, setLongTimeout } from './timeouts.ts';
import { YieldBudget } from './yield-budget.ts';

/** The events of a group and their arguments. */
export interface GroupEvents {
  /** A view was installed: locks can be granted in it. */
  view: [view: View];
  /** Locks are maybe lost, because the engine was silent for half a lease; or no longer. */
  doubt: [isDoubtful: boolean];
  /** This process was removed from the group, with all locks lost. It rejoins unless its algorithm is broken. */
  out: [cause: string];
  /** This process is in the group, for the first time or again. */
  joined: [view: View];
  /** This process lost a lock. */
  lost: [lock: Lock, cause: string];
  /** An election has another leader; null: none that this process knows of. */
  leader: [election: string, leader: LeaderNow | null];
  /** A connection or a frame was refused. */
  refused: [why: string];
  /** An operation of the engine failed. It is retried. */
  failed: [error: unknown];
  /** All clock skews that reduce the safety margin of leases, whenever the pairs of members change. */
  skew: [skews: readonly ClockSkew[]];
}

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
  readonly #events = new EventEmitter<GroupEvents>();
  readonly #yieldBudget = new YieldBudget();
  readonly #metrics: Metrics;
  readonly #holding = new Set<LockRequest>();
  readonly #left = new AbortController();
  #reportedSkews = ''; // pairs of members in the last `skew` event

  /** @internal */
  constructor(config: GroupConfig) {
    this.name = config.group;
    this.#priority = config.priority;
    this.#metrics = new Metrics(config.group);
    this.#events.setMaxListeners(0);
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

  /**
   * Waits for a lock. Two calls with the same name also exclude each other within one process. A call that rejects never gets the lock.
   *
   * @throws {BatonError} `timeout` or `aborted` when the wait ends without the lock.
   * @throws {BatonError} `conflict` when other processes use another algorithm for this lock.
   * @throws {BatonError} `left` or `broken` when this process is not in the group any more.
   * @throws {BatonError} `input` when the name or an option is wrong.
   */
  lock(name: string, options: LockOptions = noOptions): Promise<Lock> {
    return this.#checkedLock(name, options, false) as Promise<Lock>;
  }

  /**
   * Returns the lock, or null if it is held. If the holder hangs, this call waits until the holder's lease expires.
   *
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
    checkOptions(options);
    checkWaitOptions(options);
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
   * @throws {BatonError} `input` when the name is wrong.
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
  election(name: string): Election {
    checkName(name);
    return new Election(name, {
      left: this.#left.signal,
      acquire: (lock, signal) => this.#acquire(lock, { signal }, false) as Promise<Lock>,
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
   * @throws {BatonError} `unavailable` when this process is not in the group at the moment, and is about to rejoin.
   */
  async inspect(): Promise<Inspection> {
    if (this.#membership.hasLeft) throw this.#leftError();
    const answers = await this.#membership.queryMembers(answerMs);
    if (this.#membership.hasLeft) throw this.#leftError();
    const { view } = this.#membership.current.member;
    if (view === null)
      throw new BatonError('unavailable', `this process is not in group '${this.name}' just now: try again`);
    return inspectionOf(this.name, view, this.id, answers);
  }

  /** Calls `listener` on every event of this kind. Returns an unsubscribe function. */
  on<E extends keyof GroupEvents>(event: E, listener: (...args: GroupEvents[E]) => void): () => void {
    const called = listener as (...args: unknown[]) => void;
    this.#events.on(event as string & keyof GroupEvents, called as never);
    return () => this.#events.off(event as string & keyof GroupEvents, called as never);
  }

  /** Releases all locks and leaves the group. Waiting calls reject. Afterwards the group does not keep the process alive. */
  async leave(): Promise<void> {
    const leaving = this.#membership.leave();
    this.#left.abort();
    await leaving;
  }

  /** Leaves the group at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  #leftError(): BatonError {
    return this.#membership.failure ?? new BatonError('left', `group '${this.name}' has been left`);
  }

  #acquire(
    name: string,
    { signal, timeoutMs, algorithm }: LockOptions,
    isTry: boolean,
  ): Promise<Lock | null> {
    if (this.#membership.hasLeft) return Promise.reject(this.#leftError());
    if (signal?.aborted) return Promise.reject(aborted(name, signal));
    const yielding = this.#yieldBudget.pendingYield;
    const request = new LockRequest(
      name,
      algorithm ?? this.#membership.algorithm,
      isTry,
      this.#yieldBudget.checkedAt,
    );
    if (yielding !== null) yielding.then(() => this.#request(request));
    else this.#request(request);
    if (request.lock !== null || (signal === undefined && timeoutMs === undefined)) return request.outcome();
    return this.#withDeadline(request, signal, timeoutMs);
  }

  #checkedLock(name: string, options: LockOptions, isTry: boolean): Promise<Lock | null> {
    try {
      checkName(name);
      checkOptions(options);
      checkWaitOptions(options);
      const { algorithm } = options;
      if (algorithm === undefined) return this.#acquire(name, options, isTry);
      const known = this.#membership.algorithmOf(algorithm) ?? lockAlgorithm(String(algorithm));
      return this.#acquire(name, { ...options, algorithm: known.name }, isTry);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #request(request: LockRequest): void {
    if (this.#membership.hasLeft) request.failed(this.#leftError());
    else if (request.isPending) this.#membership.current.request(request);
  }

  async #withDeadline(
    request: LockRequest,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
  ): Promise<Lock | null> {
    const giveUp = (error: BatonError) => {
      this.#membership.current.member.cancel(request.name, request);
      request.failed(error);
    };
    const timedOut = () =>
      giveUp(new BatonError('timeout', `lock '${request.name}' was not free within ${timeoutMs} ms`));
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
    return higher.flatMap(({ id }) =>
      parseLockReports(answers.get(id)?.report).some(
        ({ name, waiting }) => name === lock && waiting.length > 0,
      )
        ? [id]
        : [],
    );
  }

  #leaderNow(leader: Leader): LeaderNow | null {
    if (leader === null) return null;
    const { id, term } = leader;
    return { id, term, label: this.#membership.current.peer(id)?.label ?? '', isMe: id === this.id };
  }

  #reportSkews(): void {
    const { current } = this.#membership;
    const members = current.member.view?.members ?? [];
    const me = members.find((peer) => peer.id === current.id);
    const skews = me === undefined ? [] : skewsIn(me, peerClockReportsOf(current), members);
    this.#metrics.skewed(Math.max(0, ...skews.map(({ eaten }) => eaten)));
    const significant = skews.filter(isSignificantSkew);
    const skewed = significant.map(({ slower, faster }) => `${slower.id} ${faster.id}`).join();
    if (skewed === this.#reportedSkews) return;
    this.#reportedSkews = skewed;
    this.#events.emit('skew', significant);
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
      out: (cause) => emitSafely(() => events.emit('out', cause)),
      contractBroken: ({ message }) => {
        this.#left.abort();
        emitSafely(() => events.emit('out', message));
      },
      doubtful: (isDoubtful) => {
        for (const { lock } of this.#holding) lock!.doubt();
        events.emit('doubt', isDoubtful);
      },
      renewed: (lag) => metrics.renewed(lag),
      failed: (error) => events.emit('failed', error),
      leaderChanged: (election, leader) => events.emit('leader', election, this.#leaderNow(leader)),
      granted: (request) => {
        this.#holding.add(request);
        if (request.isHandover) this.#yieldBudget.reset(request.grantedAt);
        metrics.granted(request);
      },
      released: (request) => {
        this.#holding.delete(request);
        metrics.ended(request);
      },
      lost: (request, cause) => {
        this.#holding.delete(request);
        metrics.ended(request);
        metrics.lost(cause);
        emitSafely(() => events.emit('lost', request.lock!, cause));
      },
      refused: (why) => {
        metrics.refused(why);
        events.emit('refused', why);
      },
      clocksMeasured: () => this.#reportSkews(),
    };
  }
}

/** Rethrows an error of a listener later, so that it cannot prevent a membership from ending. */
function emitSafely(emit: () => void): void {
  try {
    emit();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

const noOptions: LockOptions = {};

const aborted = (name: string, { reason }: AbortSignal) =>
  new BatonError('aborted', `waiting for lock '${name}' was aborted`, { cause: reason });
