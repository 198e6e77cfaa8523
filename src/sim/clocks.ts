import { type Pid, tick } from '../core/algorithm.ts';
import type { Adjustment, ClockFace } from '../problems/clocks.ts';
import type { Clockwork } from './clockwork.ts';

interface Correction {
  readonly last: Adjustment & { readonly at: number };
  readonly from: number; // the correction when it began to be worked off
}

/**
 * The clocks of all processes: hardware that drifts, and what the application shows of it. A correction is worked off by running faster
 * or slower by a fraction, so that no clock ever runs backwards; or, if somebody wants to see what that is good for, set at once.
 */
export class Clocks {
  readonly #clockwork: Clockwork;
  readonly #corrections = new Map<Pid, Correction>();

  constructor(clockwork: Clockwork) {
    this.#clockwork = clockwork;
  }

  /** Whole numbers: a rate is a tick plus so many millionths. */
  hardware(i: Pid, time: number): number {
    const { offsets, drifts } = this.#clockwork;
    return offsets[i]! * tick + time * (tick + drifts[i]!);
  }

  shown(i: Pid, time: number): number {
    return this.hardware(i, time) + this.#worked(i, time);
  }

  face(i: Pid, time: number): ClockFace {
    const last = this.#corrections.get(i)?.last ?? null;
    const worked = this.#worked(i, time);
    const hardware = this.hardware(i, time);
    return { hardware, shown: hardware + worked, isSettled: worked === (last?.offset ?? 0), last };
  }

  /** Begins to work a correction off, in place of an earlier one. When it will be done. */
  adjust(i: Pid, time: number, adjustment: Adjustment): number {
    const from = this.#worked(i, time);
    this.#corrections.set(i, { last: { ...adjustment, at: time }, from });
    const { slew, drifts } = this.#clockwork;
    const perTick = (slew / tick) * (tick + drifts[i]!);
    const done = time + Math.ceil(Math.abs(adjustment.offset - from) / perTick);
    return this.face(i, done).isSettled ? done : done + 1; // a rounding short
  }

  /** Whoever used the clock is gone. */
  reset(i: Pid): void {
    this.#corrections.delete(i);
  }

  #worked(i: Pid, time: number): number {
    const correction = this.#corrections.get(i);
    if (correction === undefined) return 0;
    const { last, from } = correction;
    const { slew, drifts } = this.#clockwork;
    const left = last.offset - from;
    const most = (slew / tick) * (time - last.at) * (tick + drifts[i]!);
    return slew === Infinity || Math.abs(left) <= most ? last.offset : from + Math.sign(left) * most;
  }
}
