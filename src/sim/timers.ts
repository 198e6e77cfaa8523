import type { Message, Pid } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import type { Setup } from './scenario.ts';
import { never, type Wheel } from './wheel.ts';

/** The timers of all processes, by their local clocks. Events of timers re-armed or cancelled since stay in the wheel, void. */
export class Timers {
  readonly types: readonly string[];
  readonly #clocks: readonly number[] | null;
  readonly #wheel: Wheel;
  readonly #firstCode: number; // of the events of the first timer
  readonly #armed: Int32Array; // slot of each timer, by process and timer; -1 when off
  readonly #due: Float64Array;

  constructor({ algorithm, n, clocks }: Setup, wheel: Wheel, firstCode: number) {
    this.types = algorithm.timers ?? [];
    this.#clocks = clocks;
    this.#wheel = wheel;
    this.#firstCode = firstCode;
    this.#armed = new Int32Array(n * this.types.length).fill(-1);
    this.#due = new Float64Array(n * this.types.length);
    wheel.moved = (from, to) => this.#follow(from, to);
  }

  arm(process: Pid, ticks: number, message: Message): void {
    const index = this.#index(process, message.type);
    if (!(ticks >= 1)) fail(`it sets a timer of ${ticks} ticks; the least is 1`);
    const unit = this.#clocks?.[process] ?? 1;
    const due = (Math.floor(this.#wheel.now / unit) + ticks) * unit;
    this.#due[index] = due;
    const code = this.#firstCode + (index % this.types.length);
    this.#armed[index] = due < never ? this.#wheel.add(due, process, code, 0, message) : -1;
  }

  cancel(process: Pid, type: string): void {
    this.#armed[this.#index(process, type)] = -1;
  }

  cancelAll(process: Pid): void {
    this.#armed.fill(-1, process * this.types.length, (process + 1) * this.types.length);
  }

  /**
   * Whether the timer event in `slot` still counts. If another timer of the process is due at this same tick and was declared
   * before it, the two events change places, so that this one is the other's.
   */
  take(slot: number, process: Pid, event: { code: number; content: unknown }): boolean {
    const base = process * this.types.length;
    const timer = event.code - this.#firstCode;
    if (this.#armed[base + timer] !== slot) return false;
    this.#armed[base + timer] = -1;
    for (let first = 0; first < timer; first += 1) {
      const other = this.#armed[base + first]!;
      if (other < 0 || this.#due[base + first] !== this.#wheel.now) continue;
      const content = this.#wheel.content[other];
      this.#wheel.code[other] = event.code;
      this.#wheel.content[other] = event.content;
      this.#armed[base + timer] = other;
      this.#armed[base + first] = -1;
      event.code = this.#firstCode + first;
      event.content = content;
      break;
    }
    return true;
  }

  #index(process: Pid, type: string): number {
    const timer = this.types.indexOf(type);
    if (timer < 0) fail(`'${type}' is not one of its timers`);
    return process * this.types.length + timer;
  }

  #follow(from: number, to: number): void {
    const timer = this.#wheel.code[to]! - this.#firstCode;
    if (timer < 0 || timer >= this.types.length) return;
    const index = this.#wheel.process[to]! * this.types.length + timer;
    if (this.#armed[index] === from) this.#armed[index] = to;
  }
}
