// The statistics of a comparison: the ratios of each round, their median, and the spread of a control, which shows the effect of noise.
import { median } from '../results.js';

/** The ratios of one round. A ratio above 1 is faster than before. */
export interface Ratios {
  readonly ratio: number; // old time to new time
  readonly control: number; // old time to old time of a second run
}

export type Verdict = 'ok' | 'ok, within the control' | 'SLOWER';

export interface Compared {
  readonly ratio: number; // medians
  readonly control: number;
  readonly spread: readonly [low: number, high: number]; // the spread of the control
  readonly verdict: Verdict;
}

/** Returns the lowest and the highest value, without a tenth of the values at each end. */
export function spreadOf(values: readonly number[]): [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 10);
  return [sorted[cut]!, sorted[sorted.length - 1 - cut]!];
}

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Combines workloads round by round, because the noise of one round is in all of them. */
export const combine = (workloads: readonly (readonly Ratios[])[]): Ratios[] =>
  workloads[0]!.map((_, round) => ({
    ratio: geometricMean(workloads.map((rounds) => rounds[round]!.ratio)),
    control: geometricMean(workloads.map((rounds) => rounds[round]!.control)),
  }));

export function compare(rounds: readonly Ratios[], floor: number): Compared {
  const ratio = median(rounds.map((round) => round.ratio));
  const controls = rounds.map(({ control }) => control);
  const spread = spreadOf(controls);
  const isWithin = ratio >= spread[0];
  const verdict = ratio >= floor ? 'ok' : isWithin ? 'ok, within the control' : 'SLOWER';
  return { ratio, control: median(controls), spread, verdict };
}
