import type { Bound, Circumstances } from '../core/algorithm.ts';
import { type Limits, limitsOf } from '../core/bounds.ts';
import { sumOf } from './formula.ts';

/** A claim of the papers about the total of messages: a formula, and its value per entry or election. */
export interface BoundClaim {
  readonly formula: string;
  readonly value: number;
}

/** A claim of a paper about the mean number of messages of some kinds. */
export interface MeanClaim extends BoundClaim {
  readonly counts: readonly string[];
}

type HasBounds = { readonly bounds: readonly Bound[] };

export interface Predictions {
  readonly atLeast: BoundClaim | null;
  readonly mean: BoundClaim | null; // null unless each group has a mean or an exact count
  readonly atMost: BoundClaim | null;
  readonly means: readonly MeanClaim[];
}

/** The claims that apply to a run. Claims about means apply only to `typical` runs. */
export function predictionsOf(
  algorithm: HasBounds,
  kinds: readonly string[], // of all messages, or accesses
  circumstances: Circumstances,
  typical: boolean,
): Predictions {
  const groups = limitsOf(algorithm, circumstances);
  const isCovered = kinds.every((kind) => groups.some(({ counts }) => counts.includes(kind)));
  const means = groups.map((group) => (typical ? meanOf(algorithm, group, circumstances) : null));
  const middle = groups.map((group, g) => means[g] ?? (group.atLeast === group.atMost ? upper(group) : null));
  return {
    atLeast: sum(groups.map(lower)),
    mean: isCovered && means.some((mean) => mean !== null) ? sum(middle) : null,
    atMost: isCovered ? sum(groups.map(upper)) : null,
    means: means.filter((mean) => mean !== null),
  };
}

const lower = ({ atLeast, lower }: Limits): BoundClaim => ({
  formula: lower?.formula ?? '0',
  value: atLeast,
});

const upper = ({ atMost, upper }: Limits): BoundClaim | null =>
  upper === null || atMost === Infinity ? null : { formula: upper.formula, value: atMost };

function meanOf(algorithm: HasBounds, { counts }: Limits, circumstances: Circumstances): MeanClaim | null {
  const found = algorithm.bounds.find(
    (bound: Bound) =>
      bound.case === 'mean' &&
      (bound.measures ?? 'messages') === 'messages' &&
      bound.counts.join(' ') === counts.join(' ') &&
      (bound.when === undefined || bound.when.holds(circumstances)),
  );
  return found ? { counts, formula: found.formula, value: found.value(circumstances) } : null;
}

/** The sum of claims; null if any of them is missing. */
function sum(claims: readonly (BoundClaim | null)[]): BoundClaim | null {
  const known = claims.filter((claim) => claim !== null);
  if (known.length < claims.length) return null;
  return {
    formula: sumOf(known.map(({ formula }) => formula)),
    value: known.reduce((total, { value }) => total + value, 0),
  };
}
