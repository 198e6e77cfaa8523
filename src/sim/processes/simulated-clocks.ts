import { type Pid, tick } from '../../core/algorithm.ts';
import type { Adjustment, ClockReading } from '../../problems/clock-monitor.ts';
import type { ClockConfig } from '../scenario/clock-config.ts';

export interface Correction {
  readonly last: Adjustment & { readonly at: number };
  readonly from: number; // the correction when it began to be worked off
}

/** Whole numbers: a rate is a tick plus so many millionths. */
export const hardwareAt = ({ offsets, drifts }: ClockConfig, i: Pid, time: number): number =>
  offsets[i]! * tick + time * (tick + drifts[i]!);

/** How much of a correction shows by then. */
function appliedCorrection(
  clockConfig: ClockConfig,
  i: Pid,
  correction: Correction | null,
  time: number,
): number {
  if (correction === null) return 0;
  const { last, from } = correction;
  const { slew, drifts } = clockConfig;
  const left = last.offset - from;
  const most = (slew / tick) * (time - last.at) * (tick + drifts[i]!);
  return slew === Infinity || Math.abs(left) <= most ? last.offset : from + Math.sign(left) * most;
}

/** What can be seen of a clock that was corrected last like this. */
export function clockReadingAt(
  clockConfig: ClockConfig,
  i: Pid,
  correction: Correction | null,
  time: number,
): ClockReading {
  const last = correction?.last ?? null;
  const done = appliedCorrection(clockConfig, i, correction, time);
  const hardware = hardwareAt(clockConfig, i, time);
  return { hardware, shown: hardware + done, isSettled: done === (last?.offset ?? 0), last };
}

/** A correction in place of an earlier one, as far as that is worked off. */
export const correctionAt = (
  clockConfig: ClockConfig,
  i: Pid,
  before: Correction | null,
  time: number,
  adjustment: Adjustment,
): Correction => ({
  last: { ...adjustment, at: time },
  from: appliedCorrection(clockConfig, i, before, time),
});

/** When a correction will be worked off. */
export function correctionDoneAt(clockConfig: ClockConfig, i: Pid, correction: Correction): number {
  const { last, from } = correction;
  const { slew, drifts } = clockConfig;
  const perTick = (slew / tick) * (tick + drifts[i]!);
  const done = last.at + Math.ceil(Math.abs(last.offset - from) / perTick);
  return clockReadingAt(clockConfig, i, correction, done).isSettled ? done : done + 1; // a rounding short
}

/**
 * The clocks of all processes: hardware that drifts, and what the application shows of it. A correction is worked off by running faster
 * or slower by a fraction, so that no clock ever runs backwards; or, if somebody wants to see what that is good for, set at once.
 */
export class SimulatedClocks {
  readonly #clockwork: ClockConfig;
  readonly #corrections = new Map<Pid, Correction>();

  constructor(clockConfig: ClockConfig) {
    this.#clockwork = clockConfig;
  }

  hardware(i: Pid, time: number): number {
    return hardwareAt(this.#clockwork, i, time);
  }

  read(i: Pid, time: number): ClockReading {
    return clockReadingAt(this.#clockwork, i, this.#corrections.get(i) ?? null, time);
  }

  /** Begins to work a correction off, in place of an earlier one. When it will be done. */
  adjust(i: Pid, time: number, adjustment: Adjustment): number {
    const before = this.#corrections.get(i) ?? null;
    const correction = correctionAt(this.#clockwork, i, before, time, adjustment);
    this.#corrections.set(i, correction);
    return correctionDoneAt(this.#clockwork, i, correction);
  }

  /** Whoever used the clock is gone. */
  reset(i: Pid): void {
    this.#corrections.delete(i);
  }
}
