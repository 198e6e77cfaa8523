// Takes one lock again and again, and logs every grant.
import { setTimeout as pause } from 'node:timers/promises';
import type { BatonError, Group } from 'batonjs/cluster';
import { now } from './crew.js';
import { columns } from './judge.js';

export interface Pace {
  readonly holdMs: number;
  readonly pauseMs: number; // between a release and the next request
}

const pauseAfterErrorMs = 10;

export class LockUse {
  readonly name: string;
  readonly errors: string[] = []; // that the leaving of this process does not explain
  readonly #group: Group;
  readonly #pace: Pace;
  readonly #number: number;
  #log: number[] = [];
  #isOn = true;
  readonly #ended: Promise<void>;

  /** `number` is that of the name in the log. */
  constructor(group: Group, name: string, pace: Pace, number = 0) {
    this.name = name;
    this.#group = group;
    this.#pace = pace;
    this.#number = number;
    this.#ended = this.#repeat();
  }

  /** The number of grants in the log. */
  get grants(): number {
    return this.#log.length / columns;
  }

  /** Returns the log since the last call. Its columns are those of judge.ts. */
  takeLog(): Float64Array {
    const log = new Float64Array(this.#log);
    this.#log = [];
    return log;
  }

  /** Resolves when the lock is released. */
  stop(): Promise<void> {
    this.#isOn = false;
    return this.#ended;
  }

  async #repeat(): Promise<void> {
    while (this.#isOn) {
      try {
        await this.#take();
      } catch (error) {
        const { code, message } = error as BatonError;
        if (this.#group.state === 'left' && code === 'left') return;
        this.errors.push(`${this.name}: ${message}`);
        await pause(pauseAfterErrorMs);
      }
      if (this.#pace.pauseMs > 0) await pause(this.#pace.pauseMs);
    }
  }

  async #take(): Promise<void> {
    const asked = now();
    const lock = await this.#group.lock(this.name);
    const entered = now();
    try {
      if (this.#pace.holdMs > 0) await pause(this.#pace.holdMs);
      const { fence } = lock; // throws if the lock is lost
      this.#log.push(asked, entered, now(), this.#number, fence);
    } finally {
      await lock.release();
    }
  }
}
