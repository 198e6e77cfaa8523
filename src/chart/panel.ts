import { type ScaleLogarithmic, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { freestPlace, type PixelPoint, type Rectangle, spreadLabels } from './label-placement.ts';
import type { SeriesStyle } from './series-styles.ts';
import { element, escapeXml, text, textWidth } from './svg-elements.ts';

export interface DataPoint {
  readonly x: number;
  readonly y: number;
}

/** A measured mean, with the least and the most of single runs. */
export interface MeasuredPoint extends DataPoint {
  readonly low: number;
  readonly high: number;
  readonly title: string; // shown on hover
}

export interface Series {
  readonly name: string;
  readonly style: SeriesStyle;
  readonly points: readonly MeasuredPoint[];
  readonly label: boolean; // show its name at its end
  readonly isThin?: boolean; // defaults to that of a line without a name
}

/** A bound, or a guide that shows a known growth; the label of a guide is placed beside it if there is room. */
export interface Curve {
  readonly label: string;
  readonly points: readonly DataPoint[];
  readonly style: 'exactly' | 'at least' | 'mean' | 'at most' | 'guide';
}

export interface Panel {
  readonly title: string;
  readonly xLabel: string;
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly series: readonly Series[];
  readonly curves: readonly Curve[];
}

export interface PanelBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Scale = ScaleLogarithmic<number, number>;

export const fontSize = 11;
const margin = { left: 40, top: 26, bottom: 36 };
const inset = 6; // keeps the first markers off the axis
const lineHeight = 14;
const legendHeight = 13; // of a line

/** Each formula once, even if it has a curve for each case. */
const formulasOf = (curves: readonly Curve[]): Curve[] => [
  ...new Map(
    curves.filter(({ style }) => style !== 'guide').map((curve) => [`${curve.style} ${curve.label}`, curve]),
  ).values(),
];

export const legendLines = ({ curves }: Panel): number => formulasOf(curves).length;

/** Draws a panel with logarithmic axes. `labels` is the width reserved for names on the right, `legendRows` the height of the legend in lines. */
export function drawPanel(panel: Panel, box: PanelBox, labels: number, legendRows: number): string {
  const plot = {
    left: box.left + margin.left,
    right: box.left + box.width - labels,
    top: box.top + margin.top + legendRows * legendHeight,
    bottom: box.top + box.height - margin.bottom,
  };
  const x = scaleLog(panel.x, [plot.left + inset, plot.right - inset]).base(2);
  const y = scaleLog(panel.y, [plot.bottom, plot.top]);
  const at = (p: DataPoint): PixelPoint => [x(p.x), y(p.y)];
  const names = placeNames(panel.series, at, plot);
  const lines = [
    ...panel.series.map(({ points }) => points.map(at)),
    ...names.map(({ thread }) => thread),
    ...panel.curves.map(({ points }) => points.map(at)),
  ];
  return element(
    'g',
    { class: 'panel' },
    text(panel.title, { class: 'title', x: plot.left, y: box.top + 14 }),
    legend(panel.curves, { left: plot.left, top: box.top + 21 }),
    axes(panel, x, y, plot),
    inside(plot, ...panel.curves.filter(isBehind).map((curve) => drawCurve(curve, x, y))),
    ...panel.series.map((series, k) => drawSeries(series, x, y, names[k]!.drawn)),
    inside(plot, ...panel.curves.filter((curve) => !isBehind(curve)).map((curve) => drawCurve(curve, x, y))),
    guideLabels(panel.curves, at, lines, plot),
  );
}

const isBehind = ({ style }: Curve): boolean => style === 'guide' || style === 'exactly';

/** A nested SVG element, which clips its contents to the plot. */
function inside({ left, right, top, bottom }: Rectangle, ...children: readonly string[]): string {
  const [width, height] = [right - left, bottom - top];
  const viewBox = [left, top, width, height].map(tenth).join(' ');
  return element('svg', { x: left, y: top, width, height, viewBox }, ...children);
}

function axes(panel: Panel, x: Scale, y: Scale, plot: Rectangle): string {
  const lines: string[] = [];
  const step = panel.x[1] / panel.x[0] > 2 ** 12 ? 4 : 2;
  for (const power of powers(2, panel.x)) {
    const at = x(2 ** power);
    const kind = power % step === 0 ? 'grid' : 'fine';
    lines.push(element('line', { class: kind, x1: at, x2: at, y1: plot.top, y2: plot.bottom }));
    if (kind === 'grid')
      lines.push(text(`2${superscript(power)}`, { class: 'tick middle', x: at, y: plot.bottom + 14 }));
  }
  for (const value of ticks(panel.y)) {
    const at = y(value);
    lines.push(element('line', { class: 'grid', x1: plot.left, x2: plot.right, y1: at, y2: at }));
    lines.push(text(short(value), { class: 'tick end', x: plot.left - 6, y: at + 3.5 }));
  }
  const middle = (plot.left + plot.right) / 2;
  lines.push(text(panel.xLabel, { class: 'axis middle', x: middle, y: plot.bottom + 28 }));
  return lines.join('');
}

/** Powers of ten, with twos and fives between them if the range is small. */
function ticks(range: readonly [number, number]): number[] {
  const [low, high] = range;
  const factors = high / low < 300 ? [1, 2, 5] : [1];
  const below: number[] = [];
  for (let power = -1; 10 ** (power + 1) > low; power -= 1) below.unshift(power);
  const found = [...below, ...powers(10, [1, high])].flatMap((power) =>
    factors.map((factor) => (power < 0 ? factor / 10 ** -power : factor * 10 ** power)),
  );
  return found.filter((value) => value >= low && value <= high);
}

function drawCurve({ points, style }: Curve, x: Scale, y: Scale): string {
  const path = line<DataPoint>(
    (p) => x(p.x),
    (p) => y(p.y),
  ).digits(1)(points);
  return element('path', { class: `curve ${styleClass(style)}`, d: path ?? '' });
}

const styleClass = (style: Curve['style']): string => style.replace(' ', '-');

const ascent = 9;
const descent = 3;
const clear = 3; // pixels around a label
const pace = 6; // pixels between two candidate places

/** Places each label beside its guide, as near to the end as lines and other labels allow. */
function guideLabels(
  curves: readonly Curve[],
  at: (p: DataPoint) => PixelPoint,
  lines: readonly (readonly PixelPoint[])[],
  plot: Rectangle,
): string {
  const taken: Rectangle[] = [];
  return curves
    .filter(({ style }) => style === 'guide')
    .map(({ label, points }) => {
      const size = { width: textWidth(label, fontSize) + 2 * clear, height: ascent + descent + 2 * clear };
      const place = freestPlace(beside(points.map(at), size, plot), lines, taken);
      if (place === undefined) return '';
      taken.push(place);
      const baseline = place.bottom - clear - descent;
      return text(label, { class: 'guide-label middle', x: (place.left + place.right) / 2, y: baseline });
    })
    .join('');
}

/** Candidate places on both sides of a line, from its end to its beginning: left above and right below one that rises. */
function beside(
  line: readonly PixelPoint[],
  size: { width: number; height: number },
  plot: Rectangle,
): Rectangle[] {
  const places: Rectangle[] = [];
  for (let k = line.length - 1; k > 0; k -= 1) {
    const [[x0, y0], [x1, y1]] = [line[k - 1]!, line[k]!];
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) / pace));
    for (let step = steps; step >= 0; step -= 1) {
      const [x, y] = [x0 + ((x1 - x0) * step) / steps, y0 + ((y1 - y0) * step) / steps];
      const [above, below] = y1 > y0 ? [x + size.width, x] : [x, x + size.width]; // the right edge
      for (const [right, bottom] of [
        [above, y],
        [below, y + size.height],
      ] as const)
        places.push({ left: right - size.width, top: bottom - size.height, right, bottom });
    }
  }
  return places.filter(
    ({ left, top, right, bottom }) =>
      left >= plot.left && right <= plot.right && top >= plot.top && bottom <= plot.bottom,
  );
}

function drawSeries(
  { style, points, label, isThin = !label }: Series,
  x: Scale,
  y: Scale,
  name: string,
): string {
  const [floor] = y.domain() as [number, number];
  const path = line<MeasuredPoint>(
    (p) => x(p.x),
    (p) => y(p.y),
  ).digits(1)(points);
  const range = area<MeasuredPoint>(
    (p) => x(p.x),
    (p) => y(Math.max(floor, p.low)),
    (p) => y(p.high),
  ).digits(1)(points);
  return element(
    'g',
    { class: 'series' },
    element('path', { class: 'range', d: range ?? '', fill: style.colour }),
    element('path', {
      class: isThin ? 'thin line' : 'line',
      d: path ?? '',
      stroke: style.colour,
      'stroke-dasharray': style.dashes,
    }),
    ...points.map((p) => marker(style, x(p.x), y(p.y), element('title', {}, escapeXml(p.title)))),
    name,
  );
}

/** Places names at the ends of the lines, moved apart, each with a thread to its line. */
function placeNames(
  all: readonly Series[],
  at: (p: DataPoint) => PixelPoint,
  plot: Rectangle,
): { readonly drawn: string; readonly thread: readonly PixelPoint[] }[] {
  const named = all.filter(({ label, points }) => label && points.length > 0);
  const ends = named.map(({ points }) => at(points.at(-1)!));
  const heights = spreadLabels(
    ends.map(([, y]) => y),
    lineHeight,
    plot.top + 4,
    plot.bottom,
  );
  const left = plot.right + 22;
  return all.map((series) => {
    const k = named.indexOf(series);
    if (k < 0) return { drawn: '', thread: [] };
    const [{ name, style }, [x, y], height] = [series, ends[k]!, heights[k]!];
    const thread: PixelPoint[] = [
      [x + 4, y],
      [plot.right + 4, y],
      [left - 8, height],
    ];
    const path = line().digits(1)(thread.map(([x, y]) => [x, y]));
    const drawn =
      element('path', { class: 'thread', d: path ?? '', stroke: style.colour }) +
      marker(style, left - 3, height) +
      text(name, { x: left + 5, y: height + 3.5 });
    return { drawn, thread };
  });
}

/** The legend of the curves, under the title. */
function legend(curves: readonly Curve[], { left, top }: { left: number; top: number }): string {
  return formulasOf(curves)
    .map(({ label, style }, k) => {
      const at = top + legendHeight * k;
      return (
        element('path', { class: `curve ${styleClass(style)}`, d: `M${tenth(left)},${tenth(at + 4)}h20` }) +
        text(`${style} ${label}`, { class: 'formula', x: left + 26, y: at + 7.5 })
      );
    })
    .join('');
}

export const marker = (style: SeriesStyle, x: number, y: number, ...children: readonly string[]): string =>
  element(
    'path',
    { d: style.marker, fill: style.colour, transform: `translate(${tenth(x)},${tenth(y)})` },
    ...children,
  );

function powers(base: number, [low, high]: readonly [number, number]): number[] {
  const found: number[] = [];
  for (let power = 0; base ** power <= high; power += 1) if (base ** power >= low) found.push(power);
  return found;
}

const superscript = (power: number): string =>
  [...`${power}`].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');

/** Abbreviates a number: 0.2, 500, 1k, 10k, .. */
function short(value: number): string {
  if (value < 1) return `${value}`;
  const thousands = powers(1000, [1, value]).length - 1;
  return `${value / 1000 ** thousands}${['', 'k', 'M', 'G', 'T', 'P', 'E'][thousands]}`;
}

const tenth = (value: number): string => `${Math.round(value * 10) / 10}`;
