/// <reference lib="esnext.disposable" preserve="true" />
import { electionLock, type MemberId, type MemberRef } from '../../member/index.ts';
import { BatonError } from '../errors.ts';
import { checkOptions, checkWaitOptions, type SignalOptions } from './arguments.ts';
import type { Lock, LockState } from './lock.ts';
import { onAbort } from './timeouts.ts';

export interface LeaderNow extends MemberRef {
  readonly term: number; // larger than that of every leader before
  readonly isMe: boolean;
}

/** What an election needs of its group. */
export interface ElectionContext {
  readonly left: AbortSignal; // aborts when the group is left
  acquire(lock: string, signal: AbortSignal | undefined): Promise<Lock>;
  leader(election: string): LeaderNow | null;
  /** Gives how to stop it. */
  onLeader(election: string, listener: (leader: LeaderNow | null) => void): () => void;
  /** Who has a higher priority than this process and waits for the lock. */
  higherPriorityWaiters(lock: string): Promise<readonly MemberId[]>;
  /** Tells all that this process leads, if they were not told when it won. */
  announceLeadership(election: string): void;
}

/** The time for which this process leads. */
export class Term implements AsyncDisposable {
  readonly #lock: Lock;

  /** @internal */
  constructor(lock: Lock) {
    this.#lock = lock;
  }

  /** A number larger than that of every earlier leader, for resources to check. Throws once this process may no longer lead. */
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

const takeoverMs = 50; // for one of higher priority to take over

/** Who leads: at most one process of the group at a time, of those that stand the one with the highest priority. */
export class Election {
  readonly name: string;
  readonly #electorate: ElectionContext;

  /** @internal */
  constructor(name: string, electorate: ElectionContext) {
    this.name = name;
    this.#electorate = electorate;
  }

  /** Who leads, as far as this process has heard. */
  get leader(): LeaderNow | null {
    return this.#electorate.leader(this.name);
  }

  /**
   * Stands for election: one turn of the loop for each term won. The end of the turn resigns, and stands again; leaving the loop does not.
   * Ends when the signal aborts or the group is left.
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
   * Who leads now, and whenever that changes; null while nobody does, as far as this process has heard. Who is slow sees the newest.
   * Ends when the signal aborts or the group is left.
   */
  async *observe(options: SignalOptions = {}): AsyncGenerator<LeaderNow | null, void, void> {
    const signals = [signalIn(options), this.#electorate.left].filter((signal) => signal !== undefined);
    const isOver = () => signals.some(({ aborted }) => aborted);
    let news: { leader: LeaderNow | null } | null = { leader: this.leader };
    let wake = () => {};
    const stopHearing = this.#electorate.onLeader(this.name, (leader) => {
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
      stopHearing();
      for (const stop of stopListening) stop();
    }
  }

  async #win(signal: AbortSignal | undefined): Promise<Lock> {
    for (;;) {
      const lock = await this.#electorate.acquire(electionLock(this.name), signal);
      if ((await this.#electorate.higherPriorityWaiters(electionLock(this.name))).length === 0) {
        this.#electorate.announceLeadership(this.name);
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
