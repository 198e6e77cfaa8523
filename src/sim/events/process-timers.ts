import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import type { Input } from '../../machine/index.ts';
import { never } from '../scenario/number-checks.ts';
import type { Setup } from '../scenario/setup.ts';
import type { TimingWheel } from './timing-wheel.ts';

/** An event that a process has scheduled for itself. */
export type TimedInput = Input & { readonly kind: 'timer' | 'step' };

const off = -1;
const held = -2; // it fired while its process was paused

/** The timers of all processes, by their local clocks. The event of a timer that is re-armed or cancelled stays in the wheel, void. */
export class Timers {
  #isBeyond = false; // a timer was set beyond the end of virtual time
  readonly #types: number; // number of timers of each process
  readonly #clocks: readonly number[] | null;
  readonly #wheel: TimingWheel;
  readonly #firstCode: number; // of the events of the first timer
  readonly #armed: Int32Array; // slot of each timer, by process and timer; or `off`, or `held`
  readonly #due: Float64Array;

  constructor({ n, clocks }: Setup, types: readonly string[], wheel: TimingWheel, firstCode: number) {
    this.#types = types.length;
    this.#clocks = clocks;
    this.#wheel = wheel;
    this.#firstCode = firstCode;
    this.#armed = new Int32Array(n * this.#types).fill(off);
    this.#due = new Float64Array(n * this.#types);
    wheel.moved = (from, to) => this.#follow(from, to);
  }

  /** Throws if a timer lay beyond the end of virtual time: the violation may come only from that. */
  checkEnd(): void {
    if (!this.#isBeyond) return;
    throw new InputError(
      'virtual time ends at 2^53 ticks, before a timer that was set: use smaller ids or clock units',
    );
  }

  arm(process: Pid, ticks: number, timer: number, content: TimedInput): void {
    const index = process * this.#types + timer;
    this.#void(index);
    const unit = this.#clocks?.[process] ?? 1;
    const due = (Math.floor(this.#wheel.now / unit) + ticks) * unit;
    this.#due[index] = due;
    if (due < never) this.#armed[index] = this.#wheel.add(due, process, this.#firstCode + timer, 0, content);
    else this.#isBeyond = true;
  }

  cancel(process: Pid, timer: number): void {
    this.#void(process * this.#types + timer);
  }

  cancelAll(process: Pid): void {
    for (let timer = 0; timer < this.#types; timer += 1) this.cancel(process, timer);
  }

  /**
   * Whether the timer event in `slot` still counts. Timers due at the same tick fire in the order of their declaration:
   * if an earlier one is due now, the two events swap their contents.
   */
  take(slot: number, process: Pid, event: { code: number; content: unknown }): boolean {
    const base = process * this.#types;
    const timer = event.code - this.#firstCode;
    if (this.#armed[base + timer] !== slot) return false;
    this.#armed[base + timer] = off;
    for (let first = 0; first < timer; first += 1) {
      const other = this.#armed[base + first]!;
      if (other < 0 || this.#due[base + first] !== this.#wheel.now) continue;
      const content = this.#wheel.content[other];
      this.#wheel.code[other] = event.code;
      this.#wheel.content[other] = event.content;
      this.#armed[base + timer] = other;
      this.#armed[base + first] = off;
      event.code = this.#firstCode + first;
      event.content = content;
      break;
    }
    return true;
  }

  /** Holds the event of `code` for its paused process. It can still be cancelled or re-armed. */
  hold(process: Pid, code: number): void {
    this.#armed[process * this.#types + code - this.#firstCode] = held;
  }

  /** Whether a held timer event still counts. */
  takeHeld(process: Pid, code: number): boolean {
    const index = process * this.#types + code - this.#firstCode;
    if (this.#armed[index] !== held) return false;
    this.#armed[index] = off;
    return true;
  }

  #void(index: number): void {
    const slot = this.#armed[index]!;
    if (slot >= 0) this.#wheel.content[slot] = null;
    this.#armed[index] = off;
  }

  #follow(from: number, to: number): void {
    const timer = this.#wheel.code[to]! - this.#firstCode;
    if (timer < 0 || timer >= this.#types) return;
    const index = this.#wheel.process[to]! * this.#types + timer;
    if (this.#armed[index] === from) this.#armed[index] = to;
  }
}
