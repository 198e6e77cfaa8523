import type { Problem } from '../../core/algorithm.ts';
import {
  claimLabel,
  figuresOf,
  type Measure,
  type MeasureId,
  measureOf,
  measureUnit,
  type Row,
} from '../../measure/index.ts';

const heads = [
  ...['algorithm', 'case', 'n', 'runs', 'measure', 'unit', 'least', 'mean', 'most'],
  ...['claim_at_least', 'claim_mean', 'claim_at_most', 'claim'],
];

/** A claim of a paper: `exactly`, `at most`, a value and its formula. */
interface ClaimedValue {
  readonly side: 'exactly' | 'at least' | 'mean' | 'at most';
  readonly value: number;
  readonly formula: string;
}

/** Returns the figures of a measure as CSV: a line for each size of each case of each algorithm that has any. */
export function sweepCsv(problem: Problem, id: MeasureId, rows: readonly Row[]): string {
  const measure = measureOf(id);
  const lines = rows.flatMap((row) => {
    const figures = figuresOf(row, id);
    return figures === null ? [] : [lineOf(problem, measure, row, figures)];
  });
  return [heads, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
}

function lineOf(
  problem: Problem,
  measure: Measure,
  row: Row,
  { least, mean, most }: NonNullable<ReturnType<typeof figuresOf>>,
): string[] {
  const plain = (value: number) => plainNumber(measure.unit === '%' ? 100 * value : value);
  const claims = measure.id === 'messages' ? messageClaims(row) : measureClaims(row, measure.id);
  const claimed = (...sides: readonly ClaimedValue['side'][]): string => {
    const values = claims.filter(({ side }) => sides.includes(side)).map(({ value }) => plain(value));
    return new Set(values).size === 1 ? values[0]! : ''; // several, for kinds of messages: the last column has them
  };
  return [
    ...[row.algorithm, row.case, `${row.n}`, `${row.runs}`, measure.title, measureUnit(measure, problem)],
    ...[least, mean, most].map(plain),
    ...[claimed('exactly', 'at least'), claimed('mean'), claimed('exactly', 'at most')],
    claims.map(({ side, value, formula }) => `${side} ${equation(plain(value), formula)}`).join('; '),
  ];
}

const equation = (value: string, formula: string): string =>
  value === formula ? value : `${value} = ${formula}`;

function messageClaims({ bounds, formulas }: Row): ClaimedValue[] {
  const { atLeast, mean, atMost } = bounds;
  if (atLeast === atMost) return [{ side: 'exactly', value: atMost, formula: formulas.atMost! }];
  const sides = [
    ['at least', atLeast === 0 ? null : atLeast, formulas.atLeast],
    ['mean', mean, formulas.mean],
    ['at most', atMost, formulas.atMost],
  ] as const;
  return sides.flatMap(([side, value, formula]) =>
    value === null ? [] : [{ side, value, formula: formula! }],
  );
}

const measureClaims = ({ measures }: Row, id: Exclude<MeasureId, 'messages'>): ClaimedValue[] =>
  (measures?.[id]?.claims ?? []).flatMap((claim): ClaimedValue[] => {
    const { atLeast, atMost } = claim;
    const formula = claimLabel(claim);
    if (atLeast !== null && atLeast === atMost) return [{ side: 'exactly', value: atMost, formula }];
    const sides = [
      ['at least', atLeast],
      ['at most', atMost],
    ] as const;
    return sides.flatMap(([side, value]) => (value === null ? [] : [{ side, value, formula }]));
  });

/** Formats a number without groups of digits and without the noise of floating-point arithmetic. */
const plainNumber = (value: number): string => `${Number(value.toPrecision(10))}`;

const csvCell = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
