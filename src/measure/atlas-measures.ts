// The parts of the atlas about times, sizes and load.
import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { boundsFigure, comparisonFigure, hasClaims } from './figures.ts';
import { type Measure, measureHeading, measuresOf } from './measure-list.ts';
import { formatFigure, formatInteger } from './number-format.ts';
import type { Block } from './report-block.ts';
import { figuresOf, type Row } from './row.ts';
import { rowCells, summariesOf } from './summary.ts';

/** The measures, besides messages, that have a figure in some row. */
const shownMeasures = (problem: Problem, rows: readonly Row[]): Measure[] =>
  measuresOf(problem).filter(
    ({ id }) => id !== 'messages' && rows.some((row) => figuresOf(row, id) !== null),
  );

/** Returns a figure for each measure that compares the algorithms, and one against the papers if they bound it. */
export function measureFigures(
  problem: Problem,
  title: string,
  file: string,
  algorithms: readonly AnyAlgorithm[],
  rows: readonly Row[],
): Block[] {
  return shownMeasures(problem, rows).flatMap(({ id, title: what }): Block[] => {
    const bounds = boundsFigure(problem, id, algorithms, rows);
    const comparison: Block = {
      type: 'figure',
      name: `${file}-${id}`,
      title: `${title}, ${what}`,
      svg: comparisonFigure(problem, id, algorithms, rows),
    };
    if (bounds === '') return [comparison];
    const name = `${file}-${id}-bounds`;
    return [
      comparison,
      { type: 'figure', name, title: `${title}, ${what}, against what the papers say`, svg: bounds },
    ];
  });
}

/** Returns the columns of all measures but messages: the mean at each size. */
export function measureColumns(
  problem: Problem,
  rows: readonly Row[],
): { readonly heads: string[]; readonly cells: (row: Row) => string[] } {
  const measures = shownMeasures(problem, rows);
  return {
    heads: measures.map((measure) => measureHeading(measure, problem)),
    cells: (row) => measures.map(({ id }) => meanCell(row, id)),
  };
}

function meanCell(row: Row, id: Measure['id']): string {
  const figures = figuresOf(row, id);
  return figures === null ? '' : formatFigure(figures.mean, id);
}

/** Returns a table of the means of all measures, at the largest size of each case that has them. */
export function measureTable(problem: Problem, rows: readonly Row[]): Block[] {
  const measured = rows.filter(({ measures }) => measures !== null);
  if (measured.length === 0) return [];
  const { heads, cells } = measureColumns(problem, measured);
  return [
    {
      type: 'table',
      head: ['case, means', 'n', ...heads],
      rows: summariesOf(measured).map(({ case: which, largest }) => [
        which,
        formatInteger(largest.n),
        ...cells(largest),
      ]),
    },
  ];
}

/** Returns a table of the measures that the paper bounds, beside its bounds. */
export function claimTables(problem: Problem, rows: readonly Row[]): Block[] {
  const bounded = shownMeasures(problem, rows).flatMap((measure) => {
    const own = rows.filter((row) => hasClaims(row, measure.id));
    return summariesOf(own, measure.id).map(({ case: which, largest, verdict }) => [
      measureHeading(measure, problem),
      which,
      ...rowCells(largest, measure.id),
      verdict.holds ? verdict.sentence : `**${verdict.sentence}**`,
    ]);
  });
  if (bounded.length === 0) return [];
  const head = [
    'measure',
    'case',
    'n',
    'runs',
    'least',
    'mean',
    'most',
    'claimed',
    'verdict, over all sizes',
  ];
  return [{ type: 'table', head, rows: bounded }];
}
