/// <reference lib="esnext.disposable" preserve="true" />

import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { electionOf, isElection } from '../../member/index.ts';
import { BatonError } from '../errors.ts';
import { checkListener, describeValue } from './arguments.ts';
import { Listeners } from './listeners.ts';

/**
 * The state of a lock or a term. `maybe lost`: the lease was not renewed for half its duration. This process still holds the lock until the
 * lease ends.
 */
export type LockState = 'held' | 'maybe lost' | 'lost' | 'released';

/** The parts of the holding process that a lock uses. */
export interface LockHolder {
  readonly isLeaseOver: boolean; // reads the clocks
  readonly isDoubtful: boolean;
  release(lock: Lock): void;
}

/**
 * A lock that this process holds. {@link Group.lock} returns it.
 *
 * @example
 * import { join } from 'batonjs';
 *
 * const group = await join('orders');
 * const lock = await group.lock('invoice-42');
 * const stop = lock.onChange((state) => console.log('the lock is', state));
 * lock.assertHeld(); // throws once this process may no longer hold it
 * await lock.release();
 * console.log(lock.state); // → 'released'
 * stop();
 * await group.leave();
 */
export class Lock implements AsyncDisposable {
  /** The name of the lock. */
  readonly name: string;
  readonly #holder: LockHolder;
  readonly #fence: number;
  #state: 'held' | 'lost' | 'released' = 'held';
  #loss: BatonError | null = null;
  #controller: AbortController | null = null;
  #listeners: Listeners<[state: LockState]> | null = null;

  /** @internal */
  constructor(name: string, fence: number, holder: LockHolder) {
    this.name = name;
    this.#fence = fence;
    this.#holder = holder;
  }

  /**
   * A number higher than that of every earlier holder. Send it with every write. A resource that refuses lower numbers than the highest it
   * has seen is safe from a process that wrongly believes it holds the lock. See [fences](docs/fences.md).
   *
   * @throws {BatonError} `lost`, `left` or `released` once this process may no longer hold the lock.
   */
  get fence(): number {
    this.assertHeld();
    return this.#fence;
  }

  /** The state of the lock now, read from the clocks. */
  get state(): LockState {
    if (this.#state === 'held' && this.#holder.isLeaseOver) return 'lost';
    return this.#state === 'held' && this.#holder.isDoubtful ? 'maybe lost' : this.#state;
  }

  /**
   * Aborts when the lock is lost, with the reason: a {@link BatonError} `lost`, or `left` when this process leaves the group. It aborts
   * before a process that leaves hands the lock on. A blocked event loop delays its listeners, but not `fence` and `assertHeld`.
   */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      setMaxListeners(0, this.#controller.signal); // any number of operations under the lock may listen
      if (this.#loss !== null) this.#controller.abort(this.#loss);
    }
    return this.#controller.signal;
  }

  /**
   * Throws unless this process holds the lock now. Reads the clocks, so that a blocked event loop does not matter.
   *
   * @throws {BatonError} `lost`, `left` or `released` when this process may no longer hold the lock.
   */
  assertHeld(): void {
    if (this.#state === 'held' && !this.#holder.isLeaseOver) return;
    if (this.#state === 'released')
      throw new BatonError('released', `${subject(this.name)} has been released`);
    this.#loss ??= lossOf(this.name, 'lease over');
    throw this.#loss;
  }

  /**
   * Calls `listener` when the lock becomes maybe lost, held again, lost or released. Returns an unsubscribe function.
   *
   * @throws {BatonError} `input` when the listener is not a function.
   */
  onChange(listener: (state: LockState) => void): () => void {
    checkListener(listener);
    this.#listeners ??= new Listeners();
    return this.#listeners.add(listener);
  }

  /** Releases the lock. Does nothing if the lock was released or lost before. */
  release(): Promise<void> {
    if (this.#state === 'held' && this.#holder.isLeaseOver) this.lose('lease over');
    else if (this.#state === 'held') {
      this.#state = 'released';
      this.#holder.release(this);
      this.#listeners?.notify('released');
    }
    return released;
  }

  /** Releases the lock at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** @internal */
  lose(cause: string): void {
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#loss ??= lossOf(this.name, cause);
    this.#controller?.abort(this.#loss);
    this.#listeners?.notify('lost');
  }

  /** @internal Why the lock is lost; null if it is not. */
  get loss(): BatonError | null {
    return this.#state === 'lost' ? this.#loss : null;
  }

  /** @internal Why the lock is lost, if work under it threw this error; null if it is not lost. */
  lossAfter(error: unknown): BatonError | null {
    const { loss } = this;
    if (loss === null || loss === error) return loss;
    return new BatonError(loss.code, loss.message, { definite: loss.definite, cause: error });
  }

  /** @internal Call when the lease becomes doubtful, and when it no longer is. */
  doubt(): void {
    if (this.#state === 'held') this.#listeners?.notify(this.state);
  }
}

const released = Promise.resolve();

const subject = (name: string) =>
  isElection(name) ? `the term of election '${electionOf(name)}'` : `lock '${name}'`;

const lossOf = (name: string, cause: string) =>
  cause === 'left'
    ? new BatonError('left', `${subject(name)} is lost: this process leaves the group`, { definite: false })
    : new BatonError('lost', `${subject(name)} is lost: ${cause}`, { definite: false });

/**
 * Several locks held together. {@link Group.lockAll} returns it.
 *
 * @example
 * import { join } from 'batonjs';
 *
 * const group = await join('bank');
 * const accounts = await group.lockAll(['account-7', 'account-3']);
 * accounts.assertHeld(); // throws once one of them may be lost
 * console.log('fence', accounts.get('account-7').fence);
 * await accounts.release();
 * await group.leave();
 */
export class LockSet implements AsyncDisposable {
  /** The locks, in the order of acquisition. */
  readonly locks: readonly Lock[];
  /** Aborts when one of the locks is lost, with the reason. */
  readonly signal: AbortSignal;

  /** @internal */
  constructor(locks: readonly Lock[]) {
    this.locks = locks;
    this.signal = AbortSignal.any(locks.map(({ signal }) => signal));
    setMaxListeners(0, this.signal);
  }

  /**
   * Returns the lock of this name.
   *
   * @throws {BatonError} `input` when the set has no such lock.
   */
  get(name: string): Lock {
    const found = this.locks.find((lock) => lock.name === name);
    if (found === undefined)
      throw new BatonError('input', `lock ${describeValue(name)} is not among those taken`);
    return found;
  }

  /**
   * Throws unless this process holds all the locks now.
   *
   * @throws {BatonError} `lost`, `left` or `released` when this process may no longer hold one of them.
   */
  assertHeld(): void {
    for (const lock of this.locks) lock.assertHeld();
  }

  /** Releases all the locks, the last acquired first. */
  async release(): Promise<void> {
    for (const lock of [...this.locks].reverse()) await lock.release();
  }

  /** Releases all the locks at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

/** @internal The member that granted a request. */
export interface GrantingMember {
  readonly isLeaseOver: boolean;
  readonly isDoubtful: boolean;
  release(request: LockRequest): void;
}

/** @internal A request to lead. */
export interface StandingRequest {
  readonly algorithm: string | null; // that elects the leader; null: none
}

/** @internal One call of `lock`, from the request to the end of the lock. The member identifies calls by it. */
export class LockRequest implements LockHolder {
  readonly name: string;
  readonly algorithm: string;
  readonly isTry: boolean;
  readonly since: number; // by performance.now
  readonly standing: StandingRequest | null; // null: requests a lock
  grantedAt = 0;
  isHandover = false; // the lock came from another process
  lock: Lock | null = null;
  #grantedBy: GrantingMember | null = null;
  #outcome: { resolve: (lock: Lock | null) => void; reject: (error: BatonError) => void } | null = null;
  #failure: 'busy' | BatonError | null = null;
  #waits: Set<LockRequest> | null = null; // contains this request while it waits

  constructor(
    name: string,
    algorithm: string,
    isTry: boolean,
    since: number,
    standing: StandingRequest | null = null,
  ) {
    this.since = since;
    this.standing = standing;
    this.name = name;
    this.algorithm = algorithm;
    this.isTry = isTry;
  }

  get isPending(): boolean {
    return this.lock === null && this.#failure === null;
  }

  /** Resolves with the lock, or with null if a try found it held. Call it once. */
  outcome(): Promise<Lock | null> {
    if (this.lock !== null) return Promise.resolve(this.lock);
    if (this.#failure !== null)
      return this.#failure === 'busy' ? Promise.resolve(null) : Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#outcome = { resolve, reject };
    });
  }

  /** Puts this request into the set until it is granted or fails. */
  waitAmong(waits: Set<LockRequest>): void {
    this.#waits = waits;
    waits.add(this);
  }

  granted(granter: GrantingMember, fence: number): void {
    this.#waits?.delete(this);
    this.#grantedBy = granter;
    this.grantedAt = this.#outcome === null ? this.since : performance.now();
    this.lock = new Lock(this.name, fence, this);
    this.#outcome?.resolve(this.lock);
  }

  busy(): void {
    if (!this.isPending) return;
    this.#waits?.delete(this);
    this.#failure = 'busy';
    this.#outcome?.resolve(null);
  }

  failed(error: BatonError): void {
    if (!this.isPending) return;
    this.#waits?.delete(this);
    this.#failure = error;
    this.#outcome?.reject(error);
  }

  // LockHolder.

  get isLeaseOver(): boolean {
    return this.#grantedBy!.isLeaseOver;
  }

  get isDoubtful(): boolean {
    return this.#grantedBy!.isDoubtful;
  }

  release(): void {
    this.#grantedBy!.release(this);
  }
}
