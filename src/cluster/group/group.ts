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
import { type Lock, LockSet } from './lock.ts';
import { lockAlgorithm } from './lock-algorithm.ts';
import { LockRequest } from './lock-request.ts';
import { Metrics } from './metrics.ts';
import { onAbort, setLongTimeout } from './timeouts.ts';
import { YieldBudget } from './yield-budget.ts';

/** What happens to the group as a whole. */
export interface GroupEvents {
  view: [view: View]; // installed: locks are handed on in it
  doubt: [isDoubtful: boolean]; // engine or group silent: what is held is maybe lost; or no longer
  out: [cause: string]; // of the group: what was held is lost; the process comes back by itself, unless its algorithm is broken
  joined: [view: View];
  lost: [lock: Lock, cause: string];
  leader: [election: string, leader: LeaderNow | null];
  refused: [why: string]; // something that came in
  failed: [error: unknown]; // the engine; it is tried again
  skew: [skews: readonly ClockSkew[]]; // with others' clocks, that eat into leases: all there are, when there are others than before
}

const answerMs = 500;

/** This process as a member of a group. Made by `join`. */
export class Group implements AsyncDisposable {
  readonly name: string;
  readonly #priority: number;
  readonly #membership: Membership;
  readonly #events = new EventEmitter<GroupEvents>();
  readonly #yieldBudget = new YieldBudget();
  readonly #metrics: Metrics;
  readonly #holding = new Set<LockRequest>();
  readonly #left = new AbortController();
  #reportedSkews = ''; // with whom, as was told

  /** @internal */
  constructor(setting: GroupConfig) {
    this.name = setting.group;
    this.#priority = setting.priority;
    this.#metrics = new Metrics(setting.group);
    this.#events.setMaxListeners(0);
    this.#membership = new Membership(setting, this.#observer());
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

  /** This process in the group, until it is out of it. */
  get id(): string {
    return this.#membership.current.id;
  }

  /** The view in which locks are handed on, or will be as soon as all have heard of it. */
  get view(): View | null {
    return this.#membership.current.member.view;
  }

  /**
   * Waits for its turn. Two calls for one name exclude each other within one process too.
   *
   * @throws BatonError `aborted`, `timeout`, `left`, `broken` or `conflict`; this call then never wins.
   */
  lock(name: string, options: LockOptions = noOptions): Promise<Lock> {
    return this.#checkedLock(name, options, false) as Promise<Lock>;
  }

  /** The lock, or null when somebody holds it. If the holder hangs, that is known when its lease is over. */
  tryLock(name: string, options: LockOptions = noOptions): Promise<Lock | null> {
    return this.#checkedLock(name, options, true);
  }

  /** All of them, taken in the order of their names, so that two who want the same do not wait for each other for ever. */
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

  /** Who is in the group, holds and waits, as the members tell it; those who do not answer soon are marked. */
  async inspect(): Promise<Inspection> {
    if (this.#membership.hasLeft) throw this.#leftError();
    const answers = await this.#membership.queryMembers(answerMs);
    if (this.#membership.hasLeft) throw this.#leftError();
    const { view } = this.#membership.current.member;
    if (view === null)
      throw new BatonError('unavailable', `this process is not in group '${this.name}' just now: try again`);
    return inspectionOf(this.name, view, this.id, answers);
  }

  /** Calls back when something happens to the group. Gives how to stop that. */
  on<E extends keyof GroupEvents>(event: E, listener: (...args: GroupEvents[E]) => void): () => void {
    const called = listener as (...args: unknown[]) => void;
    this.#events.on(event as string & keyof GroupEvents, called as never);
    return () => this.#events.off(event as string & keyof GroupEvents, called as never);
  }

  /** Releases everything; what is waited for fails. The process can exit by itself after this. */
  async leave(): Promise<void> {
    const leaving = this.#membership.leave();
    this.#left.abort();
    await leaving;
  }

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
    const turn = this.#yieldBudget.pendingYield;
    const wait = new LockRequest(
      name,
      algorithm ?? this.#membership.algorithm,
      isTry,
      this.#yieldBudget.checkedAt,
    );
    if (turn !== null) turn.then(() => this.#request(wait));
    else this.#request(wait);
    if (wait.lock !== null || (signal === undefined && timeoutMs === undefined)) return wait.outcome();
    return this.#withDeadline(wait, signal, timeoutMs);
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

  #request(wait: LockRequest): void {
    if (this.#membership.hasLeft) wait.failed(this.#leftError());
    else if (wait.isPending) this.#membership.current.request(wait);
  }

  async #withDeadline(
    wait: LockRequest,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
  ): Promise<Lock | null> {
    const giveUp = (error: BatonError) => {
      this.#membership.current.member.cancel(wait.name, wait);
      wait.failed(error);
    };
    const late = () =>
      giveUp(new BatonError('timeout', `lock '${wait.name}' was not free within ${timeoutMs} ms`));
    const stopListening = signal && onAbort(signal, () => giveUp(aborted(wait.name, signal)));
    const stopTimer = setLongTimeout(timeoutMs ?? Number.POSITIVE_INFINITY, late);
    try {
      return await wait.outcome();
    } finally {
      stopTimer();
      stopListening?.();
    }
  }

  /** Candidates of higher priority are asked only if there are any. */
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
    const told = skews.filter(isSignificantSkew);
    const skewed = told.map(({ slower, faster }) => `${slower.id} ${faster.id}`).join();
    if (skewed === this.#reportedSkews) return;
    this.#reportedSkews = skewed;
    this.#events.emit('skew', told);
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
      granted: (wait) => {
        this.#holding.add(wait);
        if (wait.isHandover) this.#yieldBudget.reset(wait.grantedAt);
        metrics.granted(wait);
      },
      released: (wait) => {
        this.#holding.delete(wait);
        metrics.ended(wait);
      },
      lost: (wait, cause) => {
        this.#holding.delete(wait);
        metrics.ended(wait);
        metrics.lost(cause);
        emitSafely(() => events.emit('lost', wait.lock!, cause));
      },
      refused: (why) => {
        metrics.refused(why);
        events.emit('refused', why);
      },
      clocksMeasured: () => this.#reportSkews(),
    };
  }
}

/** A listener that throws is the user's affair: it does not keep a membership from ending. */
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
