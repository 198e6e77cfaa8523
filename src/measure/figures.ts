import {
  type Curve,
  drawFigure,
  fontSize,
  type Panel,
  type Series,
  type SeriesStyle,
  seriesStyle,
  textWidth,
} from '../chart/index.ts';
import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { casesOf, comparedCases } from './cases.ts';
import { formatInteger, formatNumber } from './number-format.ts';
import type { Row } from './row.ts';

const networks: readonly (readonly [string, RegExp])[] = [
  ['rings', /ring/],
  ['complete networks', /complete/],
  ['trees and other graphs', /tree|connected/],
];

interface Comparison {
  readonly title: string;
  readonly about: string;
  readonly scaled: (messages: number, n: number) => number;
  readonly guides: readonly (readonly [string, (n: number, log: number) => number])[]; // scaled
}

const comparisons: Readonly<Record<Problem, Comparison>> = {
  mutex: {
    title: 'Mutual exclusion: messages per entry',
    about:
      'Lines are means, shades reach from the least to the most of all runs; dotted, for comparison, known growths.',
    scaled: (messages) => messages,
    guides: [
      ['n', (n) => n],
      ['√n', (n) => Math.sqrt(n)],
      ['log n', (_n, log) => log],
    ],
  },
  election: {
    title: 'Elections: messages per process',
    about:
      'All messages of an election over n, so that what grows like n is flat. Lines are means, shades reach from the least to the most of all runs; dotted, known growths.',
    scaled: (messages, n) => messages / n,
    guides: [
      ['n²', (n) => n],
      ['n log n', (_n, log) => log],
      ['n', () => 1],
    ],
  },
  clocks: {
    title: 'Clocks: messages per synchronisation',
    about: 'Lines are means, shades reach from the least to the most of all runs; dotted, for comparison, n.',
    scaled: (messages) => messages,
    guides: [['n', (n) => n]],
  },
};

/** Compares all algorithms of a problem: a row for each kind of network, a column for each of two cases. */
export function comparisonFigure(
  problem: Problem,
  algorithms: readonly AnyAlgorithm[],
  rows: readonly Row[],
  width?: number,
): string {
  const { title, about, scaled, guides } = comparisons[problem];
  const compared = comparedCases[problem];
  const figureRows = networks.flatMap(([network, topology]) => {
    const names = algorithms.filter(({ assumes }) => topology.test(assumes.topology)).map(({ name }) => name);
    const shown = rows.filter((row) => compared.includes(row.case) && names.includes(row.algorithm));
    if (shown.length === 0) return [];
    const x = extent(shown.map(({ n }) => n));
    const y = extent(shown.flatMap(({ n, messages: { min, max } }) => [scaled(min, n), scaled(max, n)]));
    const panels = compared.map(
      (which): Panel => ({
        title: `${network}, ${which}`,
        xLabel: 'n, the number of processes',
        x,
        y: heights(y),
        series: names.map((name, k) => {
          const own = shown.filter((row) => row.algorithm === name && row.case === which);
          return seriesOf(name, seriesStyle(k), own, scaled, true);
        }),
        curves: guides.map(([label, growth]) => guide(label, growth, x)),
      }),
    );
    return [{ height: Math.max(250, names.length * 15 + 80), panels }];
  });
  const longest = Math.max(...algorithms.map(({ name }) => textWidth(name, fontSize)));
  const labels = 32 + longest;
  return drawFigure({ title, about, legend: [], columns: 2, labels, rows: figureRows }, width);
}

/** A panel for each algorithm, with the measured counts of each case and the bounds of the papers. */
export function boundsFigure(
  problem: Problem,
  algorithms: readonly AnyAlgorithm[],
  rows: readonly Row[],
  width?: number,
): string {
  const cases = [...new Set(algorithms.flatMap((algorithm) => casesOf(algorithm).map(({ name }) => name)))];
  const styles = new Map(cases.map((name, k) => [name, seriesStyle(k)]));
  const panels = algorithms
    .map(({ name }) => rows.filter((row) => row.algorithm === name))
    .filter((own) => own.length > 0)
    .map((own) => panelOf(own, styles));
  const title = {
    mutex: 'Mutual exclusion: messages per entry',
    election: 'Elections: messages per election',
    clocks: 'Clocks: messages per synchronisation',
  }[problem];
  const about =
    'What was measured, and what the papers say of it. Lines are means, shades reach from the least to the most of all runs.';
  const legend = cases.map((name) => ({ name, style: styles.get(name)! }));
  const figure = { title, about, legend, columns: 3, labels: 12, rows: [{ height: 220, panels }] };
  return drawFigure(figure, width);
}

function panelOf(rows: readonly Row[], styles: ReadonlyMap<string, SeriesStyle>): Panel {
  const curves = curvesOf(rows);
  const measured = extent(rows.flatMap(({ messages: { mean, max } }) => [mean, max]));
  const bounds = curves.flatMap(({ points }) => points.map(({ y }) => y));
  const [low, high] = extent([...measured, ...bounds]);
  return {
    title: rows[0]!.algorithm,
    xLabel: 'n',
    x: extent(rows.map(({ n }) => n)),
    y: heights([low, Math.min(high, measured[1] * 30)]), // a distant bound may leave the panel
    series: [...styles].map(([name, style]) =>
      seriesOf(
        name,
        style,
        rows.filter((row) => row.case === name),
        (messages) => messages,
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
  scaled: (messages: number, n: number) => number,
  label: boolean,
): Series {
  const points = rows
    .filter(({ messages }) => messages.mean > 0)
    .map(({ n, messages: { min, mean, max } }) => ({
      x: n,
      y: scaled(mean, n),
      low: scaled(min, n),
      high: scaled(max, n),
      title: `${name}, n = ${formatInteger(n)}: ${formatNumber(min)} to ${formatNumber(max)}, mean ${formatNumber(mean)}`,
    }));
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
function curvesOf(rows: readonly Row[]): Curve[] {
  const curves: Growing[] = [];
  const isExact = rows.every(({ bounds }) => bounds.atLeast === bounds.atMost);
  for (const which of new Set(rows.map((row) => row.case))) {
    const own = rows.filter((row) => row.case === which).sort((a, b) => a.n - b.n);
    for (const [kind, key] of kinds) {
      for (const piece of piecesOf(own, isExact ? 'exactly' : kind, key)) {
        const same = curves.find((curve) => agree(curve, piece));
        if (same === undefined) curves.push(piece);
        else same.points.push(...piece.points.filter(({ x }) => same.points.every((p) => p.x !== x)));
      }
    }
  }
  return curves.map((curve) => ({ ...curve, points: curve.points.sort((a, b) => a.x - b.x) }));
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

/** The range of the y axis, with a margin. A logarithmic axis has no zero. */
const heights = ([low, high]: readonly [number, number]): [number, number] => [
  Math.max(0.8, low / 1.3),
  Math.max(2, high * 1.4),
];

const extent = (values: readonly number[]): [number, number] => [
  values.reduce((a, b) => Math.min(a, b)),
  values.reduce((a, b) => Math.max(a, b)),
];
