import { type CaseVerdict, caseVerdict } from './case-verdict.ts';
import { claimsText } from './claim-text.ts';
import type { MeasureId } from './measure-list.ts';
import { formatFigure, formatInteger, formatNumber } from './number-format.ts';
import { figuresOf, type Row } from './row.ts';

/** The verdict over all sizes of a case, and the row of the largest. */
export interface Summary {
  readonly algorithm: string;
  readonly case: string;
  readonly largest: Row;
  readonly verdict: CaseVerdict;
}

/** Returns a summary for each case of each algorithm that has figures of the measure. */
export function summariesOf(rows: readonly Row[], measure: MeasureId = 'messages'): Summary[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    if (figuresOf(row, measure) === null) continue;
    const key = `${row.algorithm}, ${row.case}`;
    const group = groups.get(key) ?? [];
    group.push(row);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({
    algorithm: group[0]!.algorithm,
    case: group[0]!.case,
    largest: group.reduce((a, b) => (b.n > a.n ? b : a)),
    verdict: caseVerdict(group, measure),
  }));
}

/** The cells n, runs, least, mean, most, and the bounds of the papers. */
export function rowCells(row: Row, measure: MeasureId = 'messages'): string[] {
  const { least, mean, most } = figuresOf(row, measure)!;
  return [
    formatInteger(row.n),
    formatInteger(row.runs),
    ...[least, mean, most].map((figure) => formatFigure(figure, measure)),
    measure === 'messages' ? messageClaims(row) : claimsText(row.measures![measure]!.claims, measure),
  ];
}

function messageClaims({ bounds }: Row): string {
  const { atLeast, atMost } = bounds;
  const range =
    atLeast === atMost
      ? formatNumber(atLeast)
      : atMost === null
        ? `at least ${formatNumber(atLeast)}`
        : atLeast === 0
          ? `at most ${formatNumber(atMost)}`
          : `${formatNumber(atLeast)} .. ${formatNumber(atMost)}`;
  return bounds.mean === null ? range : `${range}, mean ${formatNumber(bounds.mean)}`;
}
