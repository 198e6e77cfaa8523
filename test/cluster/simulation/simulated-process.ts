import type { Random } from '../../../src/core/random.ts';
import type { LocalClocks } from '../../../src/member/index.ts';
import type { EventQueue } from './event-queue.ts';

interface PendingTask {
  readonly isTimer: boolean;
  readonly task: () => void;
}

/** What the operating system makes of one process: it runs, it is stopped, it is dead; its clocks go on at their own rate. */
export class SimulatedProcess implements LocalClocks {
  readonly name: string;
  isAlive = true;
  isStopped = false;
  readonly rate: number;
  set = 0; // by how much its wall clock was
  readonly #agenda: EventQueue;
  #slept = 0; // time that the monotonic clock has not seen
  #sleepsSince: number | null = null;
  #piled: PendingTask[] = [];

  constructor(name: string, agenda: EventQueue, rate: number) {
    this.name = name;
    this.#agenda = agenda;
    this.rate = rate;
  }

  monotonic(): number {
    const slept = this.#slept + (this.#sleepsSince === null ? 0 : this.#agenda.now - this.#sleepsSince);
    return (this.#agenda.now - slept) * this.rate;
  }

  wall(): number {
    return 1e6 + this.#agenda.now * this.rate + this.set;
  }

  /** As they are read: the wall clock in whole milliseconds. */
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
    this.#agenda.after(milliseconds / this.rate, due);
    return () => {
      isWanted = false;
    };
  }

  /** Now, or when it runs again. */
  perform(task: () => void, isTimer = false): void {
    if (!this.isAlive) return;
    if (this.isStopped) this.#piled.push({ isTimer, task });
    else task();
  }

  /** `asleep`: with the whole computer, so that the monotonic clock stands still. */
  stop(asleep: boolean): void {
    this.isStopped = true;
    if (asleep) this.#sleepsSince = this.#agenda.now;
  }

  /** Whatever piled up happens at once, timers perhaps before what was received. */
  goOn(random: Random): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    if (this.#sleepsSince !== null) this.#slept += this.#agenda.now - this.#sleepsSince;
    this.#sleepsSince = null;
    const piled = this.#piled;
    this.#piled = [];
    const ordered = random.chance(0.5)
      ? [...piled.filter(({ isTimer }) => isTimer), ...piled.filter(({ isTimer }) => !isTimer)]
      : piled;
    for (const { task } of ordered) this.perform(task);
  }

  kill(): void {
    this.isAlive = false;
    this.#piled = [];
  }
}
