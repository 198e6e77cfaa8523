import type { MeasureId } from './measure-list.ts';
import { formatFigure } from './number-format.ts';
import type { MeasureClaim } from './run-sample.ts';

/** Returns the formula of a claim, with the message kind whose size it is about: `n+1 (privilege)`. */
export const claimLabel = ({ kind, formula }: Pick<MeasureClaim, 'kind' | 'formula'>): string =>
  kind === null ? formula : `${formula} (${kind})`;

/** Returns the value and the formula of each claim: `at most 2 = 2T`. */
export const claimsText = (claims: readonly MeasureClaim[], measure: MeasureId): string =>
  claims.map((claim) => claimText(claim, measure)).join('; ');

function claimText(claim: MeasureClaim, measure: MeasureId): string {
  const { atLeast, atMost } = claim;
  const equals = (value: number) => {
    const [figure, label] = [formatFigure(value, measure), claimLabel(claim)];
    return figure === claim.formula ? label : `${figure} = ${label}`;
  };
  if (atLeast !== null && atMost !== null)
    return atLeast === atMost
      ? `exactly ${equals(atMost)}`
      : `${formatFigure(atLeast, measure)} .. ${equals(atMost)}`;
  return atMost === null ? `at least ${equals(atLeast!)}` : `at most ${equals(atMost)}`;
}
