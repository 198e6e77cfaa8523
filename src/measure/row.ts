import type { Problem } from '../core/algorithm.ts';
import type { Spread } from '../sim/index.ts';
import { type MeasureId, measureList } from './measure-list.ts';
import type { SweepPoint } from './plan.ts';
import type { BoundClaim, MeanClaim } from './predictions.ts';
import type { MeasureClaim, MeasuredFigures, MeasureFigures, RunSample } from './run-sample.ts';

/** The results of all runs at one size of one case, per entry, election or synchronisation. */
export interface Row {
  readonly algorithm: string;
  readonly problem: Problem;
  readonly case: string;
  readonly n: number;
  readonly runs: number;
  readonly messages: { readonly min: number; readonly mean: number; readonly max: number };
  readonly bounds: { readonly atLeast: number; readonly mean: number | null; readonly atMost: number | null };
  readonly formulas: {
    readonly atLeast: string;
    readonly mean: string | null;
    readonly atMost: string | null;
  };
  readonly reached: { readonly atLeast: boolean; readonly atMost: boolean };
  readonly means: readonly MeanTest[];
  readonly withinBounds: boolean;
  readonly violation: string | null; // the first one, with its seed
  readonly T: number; // the longest time of a message, in ticks
  readonly measures: MeasuredFigures | null; // null if only messages were counted
}

/** A mean that a paper gives, and the measured one. */
export interface MeanTest extends MeanClaim {
  readonly measured: number;
  readonly standardError: number;
  readonly agrees: boolean | null; // null if there are too few runs
}

const enough = 20; // runs needed to test a mean
const tolerance = 5; // standard errors: by chance, less than once in ten thousand sweeps

/** What the runs of a row have in common. */
interface RowPoint extends Pick<SweepPoint, 'n'> {
  readonly algorithm: Pick<SweepPoint['algorithm'], 'name' | 'problem'>;
  readonly case: Pick<SweepPoint['case'], 'name'>;
}

export function rowOf({ algorithm, case: which, n }: RowPoint, samples: readonly RunSample[]): Row {
  const counts = samples.map(({ messages }) => messages);
  const predictions = samples.map((sample) => sample.predictions);
  const atLeast = extreme(
    predictions.map((prediction) => prediction.atLeast),
    Math.min,
  )!;
  const atMost = extreme(
    predictions.map((prediction) => prediction.atMost),
    Math.max,
  );
  const mean = extreme(
    predictions.map((prediction) => prediction.mean),
    Math.max,
  );
  const bad = samples.findIndex(({ violation }) => violation !== null);
  return {
    algorithm: algorithm.name,
    problem: algorithm.problem,
    case: which.name,
    n,
    runs: samples.length,
    messages: { min: least(counts), mean: average(counts), max: most(counts) },
    bounds: { atLeast: atLeast.value, mean: mean?.value ?? null, atMost: atMost?.value ?? null },
    formulas: { atLeast: atLeast.formula, mean: mean?.formula ?? null, atMost: atMost?.formula ?? null },
    reached: {
      atLeast: samples.some(({ reachesLeast }) => reachesLeast),
      atMost: samples.some(({ reachesMost }) => reachesMost),
    },
    means: predictions[0]!.means.map((claim, k) =>
      testMean(
        claim,
        samples.map(({ means }) => means[k]!),
      ),
    ),
    withinBounds: samples.every(({ withinBounds }) => withinBounds),
    violation: bad < 0 ? null : `${samples[bad]!.violation} (n = ${n}, seed ${bad + 1})`,
    T: most(samples.map(({ T }) => T)),
    measures: measuresOfAll(samples.map(({ measures }) => measures)),
  };
}

/** Returns the figures of a measure at one size of one case, or null if there are none. */
export function figuresOf({ messages, measures }: Row, id: MeasureId): Spread | null {
  if (id === 'messages') return { least: messages.min, mean: messages.mean, most: messages.max };
  return measures?.[id] ?? null;
}

/** Combines the measures of all runs: the least of all, the mean of the means, and the most of all. */
function measuresOfAll(samples: readonly (MeasuredFigures | null)[]): MeasuredFigures | null {
  const measured = samples.filter((sample) => sample !== null);
  if (measured.length < samples.length) return null;
  const found = measureList.flatMap(({ id }) => {
    const figures = measured.flatMap((sample) => (id === 'messages' ? [] : (sample[id] ?? [])));
    return figures.length === 0 ? [] : [[id, combined(figures)]];
  });
  return Object.fromEntries(found);
}

const combined = (figures: readonly MeasureFigures[]): MeasureFigures => ({
  ...spreadOfAll(figures),
  claims: combinedClaims(figures.flatMap(({ claims }) => claims)),
});

const spreadOfAll = (spreads: readonly Spread[]): Spread => ({
  least: least(spreads.map((spread) => spread.least)),
  mean: average(spreads.map((spread) => spread.mean)),
  most: most(spreads.map((spread) => spread.most)),
});

/** Combines equal claims of several runs. Their values may differ if the network is random. */
function combinedClaims(claims: readonly MeasureClaim[]): MeasureClaim[] {
  const groups = new Map<string, MeasureClaim[]>();
  for (const claim of claims) {
    const sides = [claim.atLeast !== null, claim.atMost !== null]; // a formula may bound from below here, from above there
    const key = JSON.stringify([claim.kind, claim.formula, claim.source, ...sides]);
    groups.set(key, [...(groups.get(key) ?? []), claim]);
  }
  return [...groups.values()].map((group) => ({
    ...group[0]!,
    atLeast: group[0]!.atLeast === null ? null : least(group.map(({ atLeast }) => atLeast!)),
    atMost: group[0]!.atMost === null ? null : most(group.map(({ atMost }) => atMost!)),
    reached: {
      atLeast: group.some(({ reached }) => reached.atLeast),
      atMost: group.some(({ reached }) => reached.atMost),
    },
    measured: spreadOfAll(group.map(({ measured }) => measured)),
  }));
}

function testMean(claim: MeanClaim, counts: readonly number[]): MeanTest {
  const measured = average(counts);
  const squares = counts.reduce((sum, count) => sum + (count - measured) ** 2, 0);
  const runs = counts.length;
  const standardError = runs > 1 ? Math.sqrt(squares / (runs - 1) / runs) : 0;
  const isNear = Math.abs(measured - claim.value) <= tolerance * standardError + 1e-9 * claim.value;
  return { ...claim, measured, standardError, agrees: runs >= enough ? isNear : null };
}

/** The extreme claim. Claims may differ between runs if the network is random. */
function extreme(
  claims: readonly (BoundClaim | null)[],
  pick: (a: number, b: number) => number,
): BoundClaim | null {
  const known = claims.filter((claim) => claim !== null);
  if (known.length < claims.length) return null;
  const value = known.map((claim) => claim.value).reduce((a, b) => pick(a, b));
  return known.find((claim) => claim.value === value)!;
}

const average = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));
