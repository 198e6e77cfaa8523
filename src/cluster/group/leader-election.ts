/// <reference lib="esnext.disposable" preserve="true" />
import { setMaxListeners } from 'node:events';
import { electionLock, type MemberId, type MemberRef } from '../../member/index.ts';
import { BatonError } from '../errors.ts';
import { checkSignalOptions, type SignalOptions } from './arguments.ts';
import type { Lock, LockState } from './lock.ts';
import { onAbort, pauseUnlessAborted } from './timeouts.ts';

/** The leader of an election, as far as this process knows. */
export interface LeaderNow extends MemberRef {
  /** The fence of the leader's term: higher than that of every earlier leader. */
  readonly term: number;
  /** True if this process leads. */
  readonly isMe: boolean;
}

/** The parts of a group that its elections use. */
export interface ElectionContext {
  readonly left: AbortSignal; // aborts when this process leaves the group
  readonly algorithm: string | null; // that elects the leader; null: none
  acquire(lock: string, signal: AbortSignal | undefined): Promise<Lock>;
  leader(election: string): LeaderNow | null;
  /** Returns an unsubscribe function. */
  onLeader(election: string, listener: (leader: LeaderNow | null) => void): () => void;
  /** Returns the members of higher priority that wait for the lock. */
  higherPriorityWaiters(lock: string): Promise<readonly MemberId[]>;
  /** Announces that this process leads, unless that was announced when it won. */
  announceLeadership(election: string): void;
}

/**
 * One term of leadership of this process. {@link Election.terms} yields it.
 *
 * @example
 * import { join } from 'batonjs';
 *
 * const group = await join('reports');
 * for await (const term of group.election('scheduler').terms()) {
 *   const stop = term.onChange((state) => console.log('the term is', state));
 *   term.assertLeading(); // throws once this process may no longer lead
 *   await term.resign();
 *   console.log(term.state); // → 'released'
 *   stop();
 *   break;
 * }
 * await group.leave();
 */
export class Term implements AsyncDisposable {
  readonly #lock: Lock;
  readonly #stop: AbortSignal | undefined; // of the loop
  #controller: AbortController | null = null; // follows the lock and the loop
  #stopFollowing: (() => void)[] = [];

  /** @internal */
  constructor(lock: Lock, stop: AbortSignal | undefined) {
    this.#lock = lock;
    this.#stop = stop;
  }

  /**
   * A number higher than that of every earlier leader, for resources to check.
   *
   * @throws {BatonError} `lost`, `left` or `released` once this process may no longer lead.
   */
  get fence(): number {
    return this.#lock.fence;
  }

  /**
   * Aborts when leadership is lost, with the reason: a {@link BatonError} `lost`, or `left` when this process leaves the group. Also aborts
   * when the signal given to {@link Election.terms} does, with the reason of that signal. This process still leads then, until it resigns.
   */
  get signal(): AbortSignal {
    if (this.#stop === undefined) return this.#lock.signal;
    if (this.#controller === null) {
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      this.#controller = controller;
      for (const followed of [this.#lock.signal, this.#stop]) {
        const abort = () => controller.abort(followed.reason);
        if (followed.aborted) abort();
        else this.#stopFollowing.push(onAbort(followed, abort)); // AbortSignal.any would leak in Node 20
      }
    }
    return this.#controller.signal;
  }

  /** The state of the term now, read from the clocks. */
  get state(): LockState {
    return this.#lock.state;
  }

  /**
   * Throws unless this process leads now. Reads the clocks, so that a blocked event loop does not matter.
   *
   * @throws {BatonError} `lost`, `left` or `released` when this process may no longer lead.
   */
  assertLeading(): void {
    this.#lock.assertHeld();
  }

  /**
   * Calls `listener` when the term becomes maybe lost, held again, lost or released. Returns an unsubscribe function.
   *
   * @throws {BatonError} `input` when the listener is not a function.
   */
  onChange(listener: (state: LockState) => void): () => void {
    return this.#lock.onChange(listener);
  }

  /** Ends the term. Does nothing if it has ended. */
  resign(): Promise<void> {
    for (const stop of this.#stopFollowing.splice(0)) stop();
    return this.#lock.release();
  }

  /** Resigns at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.resign();
  }
}

const takeoverMs = 50; // time for a candidate of higher priority to take over

/**
 * Elects at most one leader at a time: the candidate with the highest priority, or the one that an election algorithm chooses.
 * {@link Group.election} returns it.
 *
 * @example
 * import { join } from 'batonjs';
 *
 * const group = await join('reports');
 * const election = group.election('scheduler');
 * for await (const term of election.terms()) {
 *   console.log(election.leader?.isMe, term.state); // → true
 *   break; // resigns
 * }
 * for await (const leader of election.observe()) {
 *   console.log(leader?.label ?? 'no leader');
 *   break;
 * }
 * await group.leave();
 */
export class Election {
  /** The name of the election. */
  readonly name: string;
  readonly #context: ElectionContext;

  /** @internal */
  constructor(name: string, context: ElectionContext) {
    this.name = name;
    this.#context = context;
  }

  /** The current leader; null while this process knows of none. */
  get leader(): LeaderNow | null {
    return this.#context.leader(this.name);
  }

  /**
   * Stands for election, and yields every term that this process wins. The next iteration resigns and stands again. Leaving the loop
   * resigns only. Ends when the signal aborts or this process leaves the group: `term.signal` aborts then, and the loop ends when the work
   * of its last iteration does.
   *
   * @throws {BatonError} `broken` when the algorithm of the group broke its contract.
   * @throws {BatonError} `conflict` when other processes name another election algorithm, or only some of them name one.
   * @throws {BatonError} `input` when an option is wrong.
   */
  async *terms(options: SignalOptions = {}): AsyncGenerator<Term, void, void> {
    checkSignalOptions('terms', options);
    const { signal } = options;
    while (!signal?.aborted) {
      let lock: Lock;
      try {
        lock = await this.#win(signal);
      } catch (error) {
        if (error instanceof BatonError && (error.code === 'aborted' || error.code === 'left')) return;
        throw error;
      }
      const term = new Term(lock, signal);
      try {
        yield term;
      } finally {
        await term.resign();
      }
    }
  }

  /**
   * Yields the current leader, then every change; null while this process knows of no leader. A slow consumer sees only the latest
   * value. Ends when the signal aborts or this process leaves the group.
   *
   * @throws {BatonError} `input` when an option is wrong.
   */
  async *observe(options: SignalOptions = {}): AsyncGenerator<LeaderNow | null, void, void> {
    checkSignalOptions('observe', options);
    const signals = this.#signals(options.signal);
    let news: { leader: LeaderNow | null } | null = { leader: this.leader };
    let wake = () => {};
    const stopObserving = this.#context.onLeader(this.name, (leader) => {
      news = { leader };
      wake();
    });
    const stopListening = signals.map((signal) => onAbort(signal, () => wake()));
    try {
      while (!isAborted(signals)) {
        const { leader } = news ?? {};
        news = null;
        if (leader !== undefined) yield leader;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      stopObserving();
      for (const stop of stopListening) stop();
    }
  }

  /** Returns the candidates that a winner makes way for. An algorithm has already compared all of them. */
  async #rivals(): Promise<readonly MemberId[]> {
    if (this.#context.algorithm !== null) return [];
    return this.#context.higherPriorityWaiters(electionLock(this.name));
  }

  /** The signals that end a loop. */
  #signals(signal: AbortSignal | undefined): readonly AbortSignal[] {
    return signal === undefined ? [this.#context.left] : [signal, this.#context.left];
  }

  async #win(signal: AbortSignal | undefined): Promise<Lock> {
    const signals = this.#signals(signal);
    for (;;) {
      const lock = await this.#context.acquire(electionLock(this.name), signal);
      const higher = await this.#rivals();
      if (higher.length === 0 && !isAborted(signals)) {
        this.#context.announceLeadership(this.name);
        return lock;
      }
      await lock.release();
      await pauseUnlessAborted(takeoverMs, signals); // `acquire` then rejects with the reason
    }
  }
}

const isAborted = (signals: readonly AbortSignal[]) => signals.some(({ aborted }) => aborted);
