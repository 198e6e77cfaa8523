import { type Pid, tick } from '../../core/algorithm.ts';
import type { Adjustment, ClockReading } from '../../problems/clock-monitor.ts';
import type { ClockConfig } from '../scenario/clock-config.ts';

/** A correction of one clock, which may be in progress. */
export interface Correction {
  /** The adjustment to reach, and its time in ticks. */
  readonly last: Adjustment & { readonly at: number };
  /** The correction in effect when this one began, in nanoseconds. */
  readonly from: number;
}

/**
 * Returns what a hardware clock shows, in nanoseconds: a whole number, because a rate is one tick plus a whole number of millionths.
 * @param time in ticks.
 * @example
 * import { hardwareAt } from 'batonjs-lab/sim';
 *
 * const fast = { offsets: [0, 5], drifts: [0, 100], drift: 100, slew: 100_000, rounds: 1 };
 * hardwareAt(fast, 1, 1000); // → 1_005_100_000
 */
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

/**
 * Returns the reading of a clock with this last correction.
 * @param time in ticks.
 * @example
 * import { clockReadingAt, correctionAt } from 'batonjs-lab/sim';
 *
 * const clocks = { offsets: [0], drifts: [0], drift: 0, slew: 100_000, rounds: 1 };
 * const correction = correctionAt(clocks, 0, null, 10, { offset: 2_000_000, within: 0 });
 * const { shown, isSettled } = clockReadingAt(clocks, 0, correction, 20);
 * shown; // → 21_000_000
 * isSettled; // → false
 */
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

/**
 * Returns the correction that an adjustment begins. It replaces an earlier one, which may be incomplete.
 * @param before the earlier correction; null if there is none.
 * @param time in ticks.
 * @example
 * import { correctionAt } from 'batonjs-lab/sim';
 *
 * const clocks = { offsets: [0], drifts: [0], drift: 0, slew: 100_000, rounds: 1 };
 * const first = correctionAt(clocks, 0, null, 10, { offset: 2_000_000, within: 0 });
 * correctionAt(clocks, 0, first, 20, { offset: 0, within: 0 }).from; // → 1_000_000
 */
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

/**
 * Returns the time at which a correction will be complete, in ticks.
 * @example
 * import { correctionAt, correctionDoneAt } from 'batonjs-lab/sim';
 *
 * const clocks = { offsets: [0], drifts: [0], drift: 0, slew: 100_000, rounds: 1 };
 * const correction = correctionAt(clocks, 0, null, 10, { offset: 2_000_000, within: 0 });
 * correctionDoneAt(clocks, 0, correction); // → 30
 */
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
 * Times are in ticks, readings in nanoseconds.
 * @example
 * import { SimulatedClocks } from 'batonjs-lab/sim';
 *
 * const clocks = new SimulatedClocks({ offsets: [3], drifts: [0], drift: 0, slew: 100_000, rounds: 1 });
 * clocks.hardware(0, 10); // → 13_000_000
 * clocks.adjust(0, 10, { offset: -3_000_000, within: 0 }); // → 40
 * clocks.read(0, 40).shown; // → 40_000_000
 * clocks.reset(0);
 * clocks.read(0, 40).shown; // → 43_000_000
 */
export class SimulatedClocks {
  readonly #clockConfig: ClockConfig;
  readonly #corrections = new Map<Pid, Correction>();

  constructor(clockConfig: ClockConfig) {
    this.#clockConfig = clockConfig;
  }

  /** Returns what the hardware clock of process i shows. */
  hardware(i: Pid, time: number): number {
    return hardwareAt(this.#clockConfig, i, time);
  }

  /** Returns what the clock of process i shows, and how far its correction is. */
  read(i: Pid, time: number): ClockReading {
    return clockReadingAt(this.#clockConfig, i, this.#corrections.get(i) ?? null, time);
  }

  /** Begins a correction, which replaces an earlier one. Returns the time at which it will be complete. */
  adjust(i: Pid, time: number, adjustment: Adjustment): number {
    const before = this.#corrections.get(i) ?? null;
    const correction = correctionAt(this.#clockConfig, i, before, time, adjustment);
    this.#corrections.set(i, correction);
    return correctionDoneAt(this.#clockConfig, i, correction);
  }

  /** Forgets the corrections of process i, as a restart does. */
  reset(i: Pid): void {
    this.#corrections.delete(i);
  }
}
