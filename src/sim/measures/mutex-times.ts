import type { Pid } from '../../core/algorithm.ts';
import { SpreadCounter } from './spread.ts';

/** The times of a lock: how long processes wait, in ticks and in hops of the token, and how long the lock is free while one waits. */
export class MutexTimes {
  waiting = new SpreadCounter();
  hops = new SpreadCounter();
  response = new SpreadCounter();
  delay = new SpreadCounter();
  readonly #requestedAt: Float64Array; // of each process; NaN unless it waits or is inside
  readonly #hopsAtRequest: Float64Array; // of each process: the hops of the token before its request
  readonly #isWaiting: Uint8Array;
  #waiters = 0;
  #hops = 0;
  #lastRelease: { readonly process: Pid; readonly at: number } | null = null; // while another process waited, and none has entered since
  #entries = 0;
  #firstRequest = Number.NaN;
  #lastExit = 0;

  constructor(n: number) {
    this.#requestedAt = new Float64Array(n).fill(Number.NaN);
    this.#hopsAtRequest = new Float64Array(n);
    this.#isWaiting = new Uint8Array(n);
  }

  copy(): MutexTimes {
    const copy = new MutexTimes(this.#isWaiting.length);
    copy.waiting = this.waiting.copy();
    copy.hops = this.hops.copy();
    copy.response = this.response.copy();
    copy.delay = this.delay.copy();
    copy.#requestedAt.set(this.#requestedAt);
    copy.#hopsAtRequest.set(this.#hopsAtRequest);
    copy.#isWaiting.set(this.#isWaiting);
    copy.#waiters = this.#waiters;
    copy.#hops = this.#hops;
    copy.#lastRelease = this.#lastRelease;
    copy.#entries = this.#entries;
    copy.#firstRequest = this.#firstRequest;
    copy.#lastExit = this.#lastExit;
    return copy;
  }

  requested(process: Pid, now: number): void {
    if (Number.isNaN(this.#firstRequest)) this.#firstRequest = now;
    this.#requestedAt[process] = now;
    this.#hopsAtRequest[process] = this.#hops;
    this.#isWaiting[process] = 1;
    this.#waiters += 1;
  }

  /** A message with the token arrives. */
  tokenArrived(): void {
    this.#hops += 1;
  }

  entered(process: Pid, now: number): void {
    this.#entries += 1;
    this.#lastExit = now;
    this.waiting.add(now - this.#requestedAt[process]!);
    this.hops.add(this.#hops - this.#hopsAtRequest[process]!);
    this.#stopWaiting(process);
    if (this.#lastRelease !== null && this.#lastRelease.process !== process)
      this.delay.add(now - this.#lastRelease.at);
    this.#lastRelease = null;
  }

  released(process: Pid, now: number): void {
    this.#lastExit = now;
    this.response.add(now - this.#requestedAt[process]!);
    this.#requestedAt[process] = Number.NaN;
    this.#lastRelease = this.#waiters > 0 ? { process, at: now } : null;
  }

  /** What the process asked for, or held, has no end. */
  crashed(process: Pid): void {
    this.#stopWaiting(process);
    this.#requestedAt[process] = Number.NaN;
  }

  /** Entries per tick, from the first request to the last exit. Null unless time has passed. */
  get throughput(): number | null {
    const ticks = this.#lastExit - this.#firstRequest;
    return this.#entries > 0 && ticks > 0 ? this.#entries / ticks : null;
  }

  #stopWaiting(process: Pid): void {
    this.#waiters -= this.#isWaiting[process]!;
    this.#isWaiting[process] = 0;
  }
}
