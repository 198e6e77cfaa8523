import type { Problem } from '../core/algorithm.ts';
import type { SweepPoint } from './plan.ts';
import type { BoundClaim, MeanClaim } from './predictions.ts';
import type { RunSample } from './run-sample.ts';

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
}

/** A mean that a paper gives, and the measured one. */
export interface MeanTest extends MeanClaim {
  readonly measured: number;
  readonly standardError: number;
  readonly agrees: boolean | null; // null if there are too few runs
}

const enough = 20; // runs needed to test a mean
const tolerance = 5; // standard errors: by chance, less than once in ten thousand sweeps

export function rowOf({ algorithm, case: which, n }: SweepPoint, samples: readonly RunSample[]): Row {
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
  };
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
