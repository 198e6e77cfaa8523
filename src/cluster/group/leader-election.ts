/// <reference lib="esnext.disposable" preserve="true" />
import { electionLock, type MemberId, type MemberRef } from '../../member/index.ts';
import { BatonError } from '../errors.ts';
import { checkOptions, checkWaitOptions, type SignalOptions } from './arguments.ts';
import type { Lock, LockState } from './lock.ts';
import { onAbort } from './timeouts.ts';

export interface LeaderNow extends MemberRef {
  readonly term: number; // higher than that of every earlier leader
  readonly isMe: boolean;
}

/** The parts of a group that its elections use. */
export interface ElectionContext {
  readonly left: AbortSignal; // aborts when this process leaves the group
  acquire(lock: string, signal: AbortSignal | undefined): Promise<Lock>;
  leader(election: string): LeaderNow | null;
  /** Returns an unsubscribe function. */
  onLeader(election: string, listener: (leader: LeaderNow | null) => void): () => void;
  /** Returns the members of higher priority that wait for the lock. */
  higherPriorityWaiters(lock: string): Promise<readonly MemberId[]>;
  /** Announces that this process leads, unless that was announced when it won. */
  announceLeadership(election: string): void;
}

/** One term of leadership of this process. */
export class Term implements AsyncDisposable {
  readonly #lock: Lock;

  /** @internal */
  constructor(lock: Lock) {
    this.#lock = lock;
  }

  /** A number higher than that of every earlier leader, for resources to check. Throws once this process may no longer lead. */
  get fence(): number {
    return this.#lock.fence;
  }

  /** Aborts when leadership is lost, with the reason. */
  get signal(): AbortSignal {
    return this.#lock.signal;
  }

  get state(): LockState {
    return this.#lock.state;
  }

  assertLeading(): void {
    this.#lock.assertHeld();
  }

  onChange(listener: (state: LockState) => void): () => void {
    return this.#lock.onChange(listener);
  }

  resign(): Promise<void> {
    return this.#lock.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.resign();
  }
}

const takeoverMs = 50; // time for a candidate of higher priority to take over

/** Elects at most one leader at a time: the candidate with the highest priority. */
export class Election {
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
   * resigns only. Ends when the signal aborts or this process leaves the group.
   */
  async *terms(options: SignalOptions = {}): AsyncGenerator<Term, void, void> {
    const signal = signalIn(options);
    while (!signal?.aborted) {
      let lock: Lock;
      try {
        lock = await this.#win(signal);
      } catch (error) {
        if (error instanceof BatonError && (error.code === 'aborted' || error.code === 'left')) return;
        throw error;
      }
      try {
        yield new Term(lock);
      } finally {
        await lock.release();
      }
    }
  }

  /**
   * Yields the current leader, then every change; null while this process knows of no leader. A slow consumer sees only the latest
   * value. Ends when the signal aborts or this process leaves the group.
   */
  async *observe(options: SignalOptions = {}): AsyncGenerator<LeaderNow | null, void, void> {
    const signals = [signalIn(options), this.#context.left].filter((signal) => signal !== undefined);
    const isOver = () => signals.some(({ aborted }) => aborted);
    let news: { leader: LeaderNow | null } | null = { leader: this.leader };
    let wake = () => {};
    const stopObserving = this.#context.onLeader(this.name, (leader) => {
      news = { leader };
      wake();
    });
    const stopListening = signals.map((signal) => onAbort(signal, () => wake()));
    try {
      while (!isOver()) {
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

  async #win(signal: AbortSignal | undefined): Promise<Lock> {
    for (;;) {
      const lock = await this.#context.acquire(electionLock(this.name), signal);
      if ((await this.#context.higherPriorityWaiters(electionLock(this.name))).length === 0) {
        this.#context.announceLeadership(this.name);
        return lock;
      }
      await lock.release();
      await new Promise((resolve) => setTimeout(resolve, takeoverMs));
    }
  }
}

function signalIn(options: SignalOptions): AbortSignal | undefined {
  checkOptions(options);
  checkWaitOptions(options);
  return options.signal;
}
