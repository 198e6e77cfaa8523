/// <reference lib="esnext.disposable" preserve="true" />
import { setMaxListeners } from 'node:events';
import { BatonError } from '../errors.ts';

/** `maybe lost`: the engine or the group has been silent for half the lease. The lock is still ours until the lease ends. */
export type LockState = 'held' | 'maybe lost' | 'lost' | 'released';

/** What a lock asks of the process that holds it. */
export interface LockHolder {
  readonly isLeaseOver: boolean; // asks the clocks, now
  readonly isDoubtful: boolean;
  release(lock: Lock): void;
}

/** A lock that is held. Made by `group.lock`. */
export class Lock implements AsyncDisposable {
  readonly name: string;
  readonly #holder: LockHolder;
  readonly #fence: number;
  #state: 'held' | 'lost' | 'released' = 'held';
  #loss: BatonError | null = null;
  #controller: AbortController | null = null;
  #listeners: Set<(state: LockState) => void> | null = null;

  /** @internal */
  constructor(name: string, fence: number, keeper: LockHolder) {
    this.name = name;
    this.#fence = fence;
    this.#holder = keeper;
  }

  /**
   * A number larger than that of every earlier holder. Send it with every write: a resource that refuses numbers smaller than the largest
   * it has seen cannot be written by somebody who only believes to hold the lock. Throws once the lock may no longer be ours.
   */
  get fence(): number {
    this.assertHeld();
    return this.#fence;
  }

  get state(): LockState {
    if (this.#state === 'held' && this.#holder.isLeaseOver) return 'lost';
    return this.#state === 'held' && this.#holder.isDoubtful ? 'maybe lost' : this.#state;
  }

  /** Aborts when the lock is lost, with the reason. A stalled event loop cannot run its listeners in time: `fence` and `assertHeld` can. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      setMaxListeners(0, this.#controller.signal); // everything that is done under the lock may listen
      if (this.#loss !== null) this.#controller.abort(this.#loss);
    }
    return this.#controller.signal;
  }

  /** Throws unless the lock is ours at this moment, by the clocks and not by what the event loop has got round to. */
  assertHeld(): void {
    if (this.#state === 'held' && !this.#holder.isLeaseOver) return;
    if (this.#state === 'released') throw new BatonError('released', `lock '${this.name}' has been released`);
    throw this.#loss ?? lostError(this.name, 'lease over');
  }

  /** Calls back when the lock becomes maybe lost, held again, lost or released. Gives how to stop that. */
  onChange(listener: (state: LockState) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Idempotent; a lock that was lost is not released, and nobody is harmed. */
  release(): Promise<void> {
    if (this.#state === 'held' && this.#holder.isLeaseOver) this.lose('lease over');
    else if (this.#state === 'held') {
      this.#state = 'released';
      this.#holder.release(this);
      this.#tell('released');
    }
    return released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** @internal */
  lose(cause: string): void {
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#loss = lostError(this.name, cause);
    this.#controller?.abort(this.#loss);
    this.#tell('lost');
  }

  /** @internal The lease became doubtful, or is not any more. */
  doubt(): void {
    if (this.#state === 'held') this.#tell(this.state);
  }

  #tell(state: LockState): void {
    for (const listener of [...(this.#listeners ?? [])]) listener(state);
  }
}

const released = Promise.resolve();

const lostError = (name: string, cause: string) =>
  new BatonError('lost', `lock '${name}' is lost: ${cause}`, { definite: false });

/** Several locks held together; lost as soon as one of them is. */
export class LockSet implements AsyncDisposable {
  readonly locks: readonly Lock[]; // in the order in which they were taken
  readonly signal: AbortSignal;

  /** @internal */
  constructor(locks: readonly Lock[]) {
    this.locks = locks;
    this.signal = AbortSignal.any(locks.map(({ signal }) => signal));
    setMaxListeners(0, this.signal);
  }

  get(name: string): Lock {
    const found = this.locks.find((lock) => lock.name === name);
    if (found === undefined) throw new BatonError('input', `lock '${name}' is not among those taken`);
    return found;
  }

  assertHeld(): void {
    for (const lock of this.locks) lock.assertHeld();
  }

  async release(): Promise<void> {
    for (const lock of [...this.locks].reverse()) await lock.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}
