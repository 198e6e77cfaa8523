import {
  type Curve,
  drawFigure,
  fontSize,
  type Panel,
  panelColumns,
  type Series,
  type SeriesStyle,
  seriesStyle,
  textWidth,
} from '../chart/index.ts';
import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { casesOf, comparedCases } from './cases.ts';
import { claimLabel } from './claim-text.ts';
import { type Measure, type MeasureId, measureHeading, measureOf } from './measure-list.ts';
import { formatFigure, formatInteger } from './number-format.ts';
import { figuresOf, type Row } from './row.ts';

const networks: readonly (readonly [string, RegExp])[] = [
  ['rings', /ring/],
  ['complete networks', /complete/],
  ['trees and other graphs', /tree|connected/],
];

const problemTitles: Readonly<Record<Problem, string>> = {
  mutex: 'Mutual exclusion',
  election: 'Elections',
  clocks: 'Clocks',
};

type Growth = readonly [label: string, scaled: (n: number, log: number) => number];

interface Comparison {
  readonly title: string;
  readonly about: string;
  readonly scaled: (figure: number, n: number) => number;
  readonly guides: readonly Growth[]; // scaled
  readonly lowerBounds?: readonly Growth[]; // scaled; of asynchronous rings. They are shown, not judged
}

const growths: readonly Growth[] = [
  ['n', (n) => n],
  ['√n', (n) => Math.sqrt(n)],
  ['log n', (_n, log) => log],
];

/** How messages are compared. */
const messageComparisons: Readonly<Record<Problem, Comparison>> = {
  mutex: {
    title: 'Mutual exclusion: messages per entry',
    about:
      'Lines are means, shades reach from the least to the most of all runs; dotted, for comparison, known growths.',
    scaled: (messages) => messages,
    guides: growths,
  },
  election: {
    title: 'Elections: messages per process',
    about:
      'All messages of an election over n, so that what grows like n is flat. Lines are means, shades reach from the least to the most of all runs; dotted, known growths. On rings also the lower bound of Burns (1980), with the factor that Raynal prints (5.5.2): every asynchronous election takes that many at worst.',
    scaled: (messages, n) => messages / n,
    guides: [
      ['n²', (n) => n],
      ['n log n', (_n, log) => log],
      ['n', () => 1],
    ],
    lowerBounds: [['Burns: 0.15n log n', (_n, log) => 0.15 * log]],
  },
  clocks: {
    title: 'Clocks: messages per synchronisation',
    about: 'Lines are means, shades reach from the least to the most of all runs; dotted, for comparison, n.',
    scaled: (messages) => messages,
    guides: [['n', (n) => n]],
  },
};

/** Returns how a measure is compared. Shares are in percent. */
function comparisonOf(problem: Problem, id: MeasureId): Comparison {
  if (id === 'messages') return messageComparisons[problem];
  const measure = measureOf(id);
  const guides: readonly Growth[] =
    id === 'busiest' ? [['1/n', (n) => 100 / n]] : id === 'throughput' ? [] : growths;
  return {
    title: titleOfFigure(problem, measure),
    about: `${definition(measure)} Lines are means, shades reach from the least to the most of all runs${guides.length === 0 ? '' : '; dotted, for comparison, known growths'}.`,
    scaled: scaledBy(id),
    guides,
  };
}

const titleOfFigure = (problem: Problem, measure: Measure): string =>
  `${problemTitles[problem]}: ${measureHeading(measure, problem)}${measure.id === 'busiest' ? ' in %' : ''}`;

const scaledBy =
  (id: MeasureId): Comparison['scaled'] =>
  (figure) =>
    id === 'busiest' ? 100 * figure : figure;

function definition({ about, unit }: Measure): string {
  const sentence = `${about[0]!.toUpperCase()}${about.slice(1)}.`;
  return unit.endsWith('T') ? `${sentence} T is the longest time of a message.` : sentence;
}

/** Compares all algorithms of a problem in one measure: a row for each kind of network, a column for each of two cases. */
export function comparisonFigure(
  problem: Problem,
  measure: MeasureId,
  algorithms: readonly AnyAlgorithm[],
  rows: readonly Row[],
  width?: number,
): string {
  const groups = networks.map(([network, topology]) => ({
    title: (which: string) => `${network}, ${which}`,
    names: algorithms.filter(({ assumes }) => topology.test(assumes.topology)).map(({ name }) => name),
    cases: casesCompared(problem, measure),
    isRing: network === 'rings',
  }));
  return drawComparison(problem, measure, { columns: 2, groups, hasLegend: false }, rows, width);
}

/**
 * Compares algorithms in one measure on one axis, whatever their networks: a column for each of two cases.
 * Returns an empty text if there are no figures.
 */
export function oneAxisFigure(
  problem: Problem,
  measure: MeasureId,
  algorithms: readonly AnyAlgorithm[],
  rows: readonly Row[],
  width?: number,
): string {
  const cases = casesCompared(problem, measure).filter((which) =>
    rows.some((row) => row.case === which && figuresOf(row, measure) !== null),
  );
  if (cases.length === 0) return '';
  const group = {
    title: (which: string) => which,
    names: algorithms.map(({ name }) => name),
    cases,
    isRing: algorithms.every(({ assumes }) => assumes.topology.includes('ring')),
  };
  const { panelWidth } = panelColumns(cases.length, width);
  const hasLegend = labelsWidth(group.names) > mostLabels * panelWidth;
  const layout = { columns: cases.length, groups: [group], hasLegend };
  return drawComparison(problem, measure, layout, rows, width);
}

/** A row of a comparison: its panels have one axis. */
interface ComparedGroup {
  readonly title: (which: string) => string;
  readonly names: readonly string[];
  readonly cases: readonly string[];
  readonly isRing: boolean; // all of its networks are rings
}

interface ComparisonLayout {
  readonly columns: number;
  readonly groups: readonly ComparedGroup[];
  readonly hasLegend: boolean; // of the first group, above the panels; else names are beside the lines
}

const mostLabels = 0.35; // of the width of a panel, for names beside the lines

const labelsWidth = (names: readonly string[]): number =>
  32 + Math.max(...names.map((name) => textWidth(name, fontSize)));

function drawComparison(
  problem: Problem,
  measure: MeasureId,
  { columns, groups, hasLegend }: ComparisonLayout,
  rows: readonly Row[],
  width: number | undefined,
): string {
  const { title, about, scaled, guides, lowerBounds = [] } = comparisonOf(problem, measure);
  const figureRows = groups.flatMap((group) => {
    const { names, cases, isRing } = group;
    const shown = rows.filter(
      (row) => cases.includes(row.case) && names.includes(row.algorithm) && figuresOf(row, measure) !== null,
    );
    if (shown.length === 0) return [];
    const x = extent(shown.map(({ n }) => n));
    const y = extent(
      shown.flatMap((row) => {
        const { least, most } = figuresOf(row, measure)!;
        return [scaled(least, row.n), scaled(most, row.n)];
      }),
    );
    const panels = cases.map(
      (which): Panel => ({
        title: group.title(which),
        xLabel: 'n, the number of processes',
        x,
        y: heights(y, leastShown(shown, measure, scaled)),
        series: names.map((name, k) => {
          const own = shown.filter((row) => row.algorithm === name && row.case === which);
          return { ...seriesOf(name, seriesStyle(k), own, measure, scaled, !hasLegend), isThin: false };
        }),
        curves: [...guides, ...(isRing ? lowerBounds : [])].map(([label, growth]) => guide(label, growth, x)),
      }),
    );
    return [{ height: Math.max(250, names.length * 15 + 80), panels }];
  });
  const labels = hasLegend ? 12 : labelsWidth(groups.flatMap(({ names }) => names));
  const legend = hasLegend ? groups[0]!.names.map((name, k) => ({ name, style: seriesStyle(k) })) : [];
  return drawFigure({ title, about, legend, columns, labels, rows: figureRows }, width);
}

/** The cases that the figure compares. The chain of a lock grows with every entry, so it is compared for one entry. */
const casesCompared = (problem: Problem, measure: MeasureId): readonly string[] =>
  problem === 'mutex' && measure === 'chain' ? ['one asks'] : comparedCases[problem];

/** Whether a paper bounds this measure. */
export const hasClaims = (row: Row, measure: MeasureId): boolean =>
  measure === 'messages' || (row.measures?.[measure]?.claims.length ?? 0) > 0;

/**
 * A panel for each algorithm that has bounds on the measure, with the figures of each case and the bounds of the papers.
 * Returns an empty text if no algorithm has any.
 */
export function boundsFigure(
  problem: Problem,
  measure: MeasureId,
  algorithms: readonly AnyAlgorithm[],
  rows: readonly Row[],
  width?: number,
): string {
  const isShown = (which: string) =>
    measure === 'messages' || rows.some((row) => row.case === which && figuresOf(row, measure) !== null);
  const cases = [
    ...new Set(algorithms.flatMap((algorithm) => casesOf(algorithm).map(({ name }) => name))),
  ].filter(isShown);
  const styles = new Map(cases.map((name, k) => [name, seriesStyle(k)]));
  const panels = algorithms
    .map(({ name }) => rows.filter((row) => row.algorithm === name && figuresOf(row, measure) !== null))
    .filter((own) => own.some((row) => hasClaims(row, measure)))
    .map((own) => panelOf(own, measure, styles));
  if (panels.length === 0) return '';
  const title = titleOfFigure(problem, measureOf(measure));
  const about = `What was measured, and what the papers say of it. Lines are means, shades reach from the least to the most of all runs.${
    measureOf(measure).unit === 'T'
      ? ' T is the longest time of a message; in bounds from below, the shortest.'
      : ''
  }`;
  const legend = cases.map((name) => ({ name, style: styles.get(name)! }));
  const figure = { title, about, legend, columns: 3, labels: 12, rows: [{ height: 220, panels }] };
  return drawFigure(figure, width);
}

function panelOf(rows: readonly Row[], measure: MeasureId, styles: ReadonlyMap<string, SeriesStyle>): Panel {
  const scaled = scaledBy(measure);
  const curves = curvesOf(rows, measure, scaled);
  const measured = extent(
    rows.flatMap((row) => {
      const { mean, most } = figuresOf(row, measure)!;
      return [scaled(mean, row.n), scaled(most, row.n)];
    }),
  );
  const bounds = curves.flatMap(({ points }) => points.map(({ y }) => y));
  const [low, high] = extent([...measured, ...bounds]);
  return {
    title: rows[0]!.algorithm,
    xLabel: 'n',
    x: extent(rows.map(({ n }) => n)),
    y: heights([low, Math.min(high, measured[1] * 30)], leastShown(rows, measure, scaled)), // a distant bound may leave the panel
    series: [...styles].map(([name, style]) =>
      seriesOf(
        name,
        style,
        rows.filter((row) => row.case === name),
        measure,
        scaled,
        false,
      ),
    ),
    curves,
  };
}

function seriesOf(
  name: string,
  style: SeriesStyle,
  rows: readonly Row[],
  measure: MeasureId,
  scaled: Comparison['scaled'],
  label: boolean,
): Series {
  const points = rows.flatMap((row) => {
    const { least, mean, most } = figuresOf(row, measure)!;
    const [low, middle, high] = [least, mean, most].map((figure) => formatFigure(figure, measure));
    const point = {
      x: row.n,
      y: scaled(mean, row.n),
      low: scaled(least, row.n),
      high: scaled(most, row.n),
      title: `${name}, n = ${formatInteger(row.n)}: ${low} to ${high}, mean ${middle}`,
    };
    return mean > 0 ? [point] : [];
  });
  return { name, style, points, label };
}

/** A guide curve, computed at powers of two, where logarithms are whole. */
function guide(
  label: string,
  growth: (n: number, log: number) => number,
  [low, high]: [number, number],
): Curve {
  const points: { x: number; y: number }[] = [];
  for (let log = 1; 2 ** log <= high; log += 1)
    if (2 ** log >= low) points.push({ x: 2 ** log, y: growth(2 ** log, log) });
  return { label, style: 'guide', points };
}

const kinds = [
  ['at most', 'atMost'],
  ['mean', 'mean'],
  ['at least', 'atLeast'],
] as const;

type Growing = Curve & { readonly points: { x: number; y: number }[] };

/** The curves of all cases. A formula with equal values in several cases is one curve. */
function curvesOf(rows: readonly Row[], measure: MeasureId, scaled: Comparison['scaled']): Curve[] {
  const curves: Growing[] = [];
  const isExact = rows.every(({ bounds }) => bounds.atLeast === bounds.atMost);
  for (const which of new Set(rows.map((row) => row.case))) {
    const own = rows.filter((row) => row.case === which).sort((a, b) => a.n - b.n);
    const pieces =
      measure === 'messages'
        ? kinds.flatMap(([kind, key]) => piecesOf(own, isExact ? 'exactly' : kind, key))
        : claimCurves(own, measure, scaled);
    for (const piece of pieces) {
      const same = curves.find((curve) => agree(curve, piece));
      if (same === undefined) curves.push(piece);
      else same.points.push(...piece.points.filter(({ x }) => same.points.every((p) => p.x !== x)));
    }
  }
  return curves.map((curve) => ({ ...curve, points: curve.points.sort((a, b) => a.x - b.x) }));
}

/** The curves of one case for a measure other than messages: one for each claim. */
function claimCurves(
  rows: readonly Row[],
  measure: Exclude<MeasureId, 'messages'>,
  scaled: Comparison['scaled'],
): Growing[] {
  const curves = new Map<string, Growing>();
  for (const { n, measures } of rows) {
    for (const claim of measures?.[measure]?.claims ?? []) {
      const { atLeast, atMost } = claim;
      const label = claimLabel(claim);
      const sides: [Curve['style'], number | null][] =
        atLeast === atMost
          ? [['exactly', atMost]]
          : [
              ['at most', atMost],
              ['at least', atLeast],
            ];
      for (const [style, value] of sides) {
        if (value === null || value <= 0) continue;
        const curve = curves.get(`${style} ${label}`) ?? { label, style, points: [] };
        curve.points.push({ x: n, y: scaled(value, n) });
        curves.set(`${style} ${label}`, curve);
      }
    }
  }
  return [...curves.values()];
}

/** The curves of one case. Where the formula changes, the new curve begins at the end of the old one. */
function piecesOf(rows: readonly Row[], style: Curve['style'], key: (typeof kinds)[number][1]): Growing[] {
  const pieces: Growing[] = [];
  for (const { n, bounds, formulas } of rows) {
    const [value, label] = [bounds[key], formulas[key]];
    if (value === null || label === null || value <= 0) continue;
    const before = pieces.at(-1);
    if (before?.label !== label) pieces.push({ label, style, points: before?.points.slice(-1) ?? [] });
    pieces.at(-1)!.points.push({ x: n, y: value });
  }
  return pieces;
}

/** Whether two curves look the same. Random networks differ slightly in their number of links. */
const agree = (a: Curve, b: Curve): boolean =>
  a.style === b.style &&
  a.label === b.label &&
  a.points.every(({ x, y }) => b.points.every((p) => p.x !== x || Math.abs(p.y - y) <= 0.05 * y));

/** The range of the y axis, with a margin. A logarithmic axis has no zero: it begins at `floor`, or a little lower. */
const heights = ([low, high]: readonly [number, number], floor: number): [number, number] => [
  Math.max(floor * 0.8, low / 1.3),
  Math.max(floor * 2, high * 1.4),
];

/** Where the axis begins at the latest: one message; for other measures the least mean, if it is smaller than 1. */
function leastShown(rows: readonly Row[], measure: MeasureId, scaled: Comparison['scaled']): number {
  if (measure === 'messages') return 1;
  const means = rows.map((row) => scaled(figuresOf(row, measure)!.mean, row.n));
  return means.filter((mean) => mean > 0).reduce((a, b) => Math.min(a, b), 1);
}

const extent = (values: readonly number[]): [number, number] => [
  values.reduce((a, b) => Math.min(a, b)),
  values.reduce((a, b) => Math.max(a, b)),
];
