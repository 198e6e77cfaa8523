import { type Pid, tick } from '../../core/algorithm.ts';
import type { Adjustment, ClockReading } from '../../problems/clock-monitor.ts';
import type { ClockConfig } from '../scenario/clock-config.ts';

export interface Correction {
  readonly last: Adjustment & { readonly at: number };
  readonly from: number; // the correction in effect when this one began
}

/** What a hardware clock shows: a whole number, because a rate is one tick plus a whole number of millionths. */
export const hardwareAt = ({ offsets, drifts }: ClockConfig, i: Pid, time: number): number =>
  offsets[i]! * tick + time * (tick + drifts[i]!);

/** How much of a correction is in effect at a time. */
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

/** The reading of a clock with this last correction. */
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

/** A correction that replaces an earlier one, which may be incomplete. */
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

/** When a correction will be complete. */
export function correctionDoneAt(clockConfig: ClockConfig, i: Pid, correction: Correction): number {
  const { last, from } = correction;
  const { slew, drifts } = clockConfig;
  const perTick = (slew / tick) * (tick + drifts[i]!);
  const done = last.at + Math.ceil(Math.abs(last.offset - from) / perTick);
  return clockReadingAt(clockConfig, i, correction, done).isSettled ? done : done + 1; // rounding fell short
}

/**
 * The clocks of all processes: hardware clocks that drift, and the corrected clocks that applications show. A correction makes the clock
 * run slightly faster or slower, so it never runs backwards; or it is set at once (`slew: step`), which shows why clocks are slewed.
 */
export class SimulatedClocks {
  readonly #clockConfig: ClockConfig;
  readonly #corrections = new Map<Pid, Correction>();

  constructor(clockConfig: ClockConfig) {
    this.#clockConfig = clockConfig;
  }

  hardware(i: Pid, time: number): number {
    return hardwareAt(this.#clockConfig, i, time);
  }

  read(i: Pid, time: number): ClockReading {
    return clockReadingAt(this.#clockConfig, i, this.#corrections.get(i) ?? null, time);
  }

  /** Begins a correction, which replaces an earlier one. Returns when it will be complete. */
  adjust(i: Pid, time: number, adjustment: Adjustment): number {
    const before = this.#corrections.get(i) ?? null;
    const correction = correctionAt(this.#clockConfig, i, before, time, adjustment);
    this.#corrections.set(i, correction);
    return correctionDoneAt(this.#clockConfig, i, correction);
  }

  /** Forgets all corrections, after a restart. */
  reset(i: Pid): void {
    this.#corrections.delete(i);
  }
}
