import type { Random } from '../../../src/core/random.ts';
import type { LocalClocks } from '../../../src/member/index.ts';
import type { EventQueue } from './event-queue.ts';

interface PendingTask {
  readonly isTimer: boolean;
  readonly task: () => void;
}

/** One process as seen by the operating system: running, stopped or dead. Its clocks run at their own rate. */
export class SimulatedProcess implements LocalClocks {
  readonly name: string;
  isAlive = true;
  isStopped = false;
  readonly rate: number;
  set = 0; // how far its wall clock was set
  readonly #queue: EventQueue;
  #slept = 0; // time that the monotonic clock missed
  #sleepsSince: number | null = null;
  #pending: PendingTask[] = [];

  constructor(name: string, queue: EventQueue, rate: number) {
    this.name = name;
    this.#queue = queue;
    this.rate = rate;
  }

  monotonic(): number {
    const slept = this.#slept + (this.#sleepsSince === null ? 0 : this.#queue.now - this.#sleepsSince);
    return (this.#queue.now - slept) * this.rate;
  }

  wall(): number {
    return 1e6 + this.#queue.now * this.rate + this.set;
  }

  /** As processes read them: the wall clock in whole milliseconds. */
  get clocks(): LocalClocks {
    return { monotonic: () => this.monotonic(), wall: () => Math.floor(this.wall()) };
  }

  stepWall(milliseconds: number): void {
    this.set += milliseconds;
  }

  after(milliseconds: number, task: () => void): () => void {
    let isWanted = true;
    const due = () => {
      if (isWanted) this.perform(task, true);
    };
    this.#queue.after(milliseconds / this.rate, due);
    return () => {
      isWanted = false;
    };
  }

  /** Runs a task now, or when the process resumes. */
  perform(task: () => void, isTimer = false): void {
    if (!this.isAlive) return;
    if (this.isStopped) this.#pending.push({ isTimer, task });
    else task();
  }

  /** `asleep`: the whole computer sleeps, so that the monotonic clock stops. */
  stop(asleep: boolean): void {
    this.isStopped = true;
    if (asleep) this.#sleepsSince = this.#queue.now;
  }

  /** Runs all pending tasks at once, timers perhaps before received messages. */
  resume(random: Random): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    if (this.#sleepsSince !== null) this.#slept += this.#queue.now - this.#sleepsSince;
    this.#sleepsSince = null;
    const pending = this.#pending;
    this.#pending = [];
    const ordered = random.chance(0.5)
      ? [...pending.filter(({ isTimer }) => isTimer), ...pending.filter(({ isTimer }) => !isTimer)]
      : pending;
    for (const { task } of ordered) this.perform(task);
  }

  kill(): void {
    this.isAlive = false;
    this.#pending = [];
  }
}
