// The error of every clock against time.
import { type Pid, tick } from '../../core/algorithm.ts';
import type { Palette } from '../../diagram/index.ts';
import type { OffsetPoint } from '../../timeline/index.ts';
import { type CanvasArea, fontFamily } from './primitives.ts';

export interface ClockErrorView {
  readonly curves: readonly (readonly OffsetPoint[])[]; // by process
  readonly names: (process: Pid) => string;
  readonly palette: Palette;
  readonly now: number; // virtual time
  readonly end: number;
  readonly selected: Pid | null;
}

const margins = { left: 38, right: 30, top: 8, bottom: 18 };

/** Scales errors by their square root: early errors are large, late ones small, and both must be visible. */
const signedRoot = (value: number): number => Math.sign(value) * Math.sqrt(Math.abs(value));

/** Draws the error of each clock against time, with its promised bound as a band. */
export function drawClockErrors(area: CanvasArea, view: ClockErrorView): void {
  const { context, width, height } = area;
  const { curves, palette, now, end } = view;
  const limit = curves.flat().reduce((a, { ahead }) => Math.max(a, Math.abs(ahead) / tick), 1) * 1.08;
  const middle = (height - margins.bottom + margins.top) / 2;
  const x = (time: number) =>
    margins.left + (time / Math.max(1, end)) * (width - margins.left - margins.right);
  const y = (ahead: number) =>
    middle - (signedRoot(ahead / tick) / signedRoot(limit)) * ((height - margins.top - margins.bottom) / 2);
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  drawGrid(area, view, limit, x, y);
  for (const isPast of [true, false]) {
    context.save();
    context.beginPath();
    if (isPast) context.rect(margins.left, 0, Math.max(0, x(now) - margins.left), height);
    else context.rect(x(now), 0, width, height);
    context.clip();
    context.globalAlpha = isPast ? 1 : 0.25;
    curves.forEach((curve, i) => {
      drawCurve(area, view, curve, i, x, y);
    });
    context.restore();
  }
  context.strokeStyle = palette.phases.leader;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x(now), margins.top - 4);
  context.lineTo(x(now), height - margins.bottom);
  context.stroke();
}

type Axis = (value: number) => number;

function drawGrid(
  { context, width, height }: CanvasArea,
  view: ClockErrorView,
  limit: number,
  x: Axis,
  y: Axis,
): void {
  const { palette, end, curves, names } = view;
  const [large = 1] = [1000, 500, 200, 100, 50, 20, 10, 5, 2].filter((value) => value <= limit);
  const marks = [0, large, -large, ...(large >= 10 ? [large / 10, -large / 10] : [])];
  context.font = `11px ${fontFamily}`;
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  context.strokeStyle = palette.line;
  for (const mark of marks) {
    const at = y(mark * tick);
    context.globalAlpha = mark === 0 ? 1 : 0.45;
    context.beginPath();
    context.moveTo(margins.left, at);
    context.lineTo(width - margins.right, at);
    context.stroke();
    context.globalAlpha = 1;
    context.textAlign = 'right';
    context.fillStyle = palette.muted;
    context.fillText(`${mark < 0 ? '−' : ''}${Math.abs(mark)}`, margins.left - 5, at);
  }
  context.textAlign = 'left';
  context.fillText('0', margins.left, height - 8);
  context.textAlign = 'right';
  context.fillText(`${Math.round(end)} ms`, x(end), height - 8);
  drawNames(
    context,
    view,
    curves.map((curve) => y(curve.at(-1)?.ahead ?? 0)),
    width - margins.right + 5,
    names,
  );
}

/** Writes the name of each clock at the end of its curve, far enough apart to be legible. */
function drawNames(
  context: CanvasRenderingContext2D,
  { palette }: ClockErrorView,
  ends: readonly number[],
  x: number,
  names: ClockErrorView['names'],
): void {
  if (ends.length > 8) return;
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]! - ends[b]!);
  const middle = ends.reduce((sum, end) => sum + end, 0) / ends.length;
  const first = middle - ((order.length - 1) / 2) * 12;
  context.textAlign = 'left';
  order.forEach((i, k) => {
    context.fillStyle = clockColour(palette, i);
    context.fillText(names(i), x, Math.max(first + k * 12, 8 + k * 12));
  });
}

export const clockColour = ({ kinds }: Palette, process: Pid): string => kinds[process % kinds.length]!;

function drawCurve(
  { context }: CanvasArea,
  { palette, selected }: ClockErrorView,
  curve: readonly OffsetPoint[],
  i: Pid,
  x: Axis,
  y: Axis,
): void {
  const alpha = context.globalAlpha;
  const smooth = interpolated(curve);
  context.fillStyle = clockColour(palette, i);
  context.globalAlpha = alpha * 0.2;
  for (const segment of boundedSegments(smooth)) {
    context.beginPath();
    for (const { time, ahead, promised } of segment) context.lineTo(x(time), y(ahead + promised!));
    for (const { time, ahead, promised } of segment.toReversed())
      context.lineTo(x(time), y(ahead - promised!));
    context.fill();
  }
  context.globalAlpha = alpha;
  context.strokeStyle = clockColour(palette, i);
  context.lineWidth = i === selected ? 3 : 1.6;
  context.beginPath();
  for (const { time, ahead } of smooth) context.lineTo(x(time), y(ahead));
  context.stroke();
}

/** Returns the segments of a curve that have a promised bound. */
function boundedSegments(curve: readonly OffsetPoint[]): OffsetPoint[][] {
  const segments: OffsetPoint[][] = [];
  curve.forEach((point, k) => {
    if (point.promised === null) return;
    if (k > 0 && curve[k - 1]!.promised !== null) segments.at(-1)!.push(point);
    else segments.push([point]);
  });
  return segments;
}

/** Adds points between those of a curve: a straight line is bent on a square-root scale. */
const interpolated = (curve: readonly OffsetPoint[]): OffsetPoint[] =>
  curve.flatMap((point, k) => {
    const next = curve[k + 1];
    if (next === undefined || next.time === point.time) return [point];
    return Array.from({ length: 8 }, (_, step) => {
      const at = (a: number, b: number) => a + ((b - a) * step) / 8;
      const promised = point.promised === null ? null : at(point.promised, next.promised ?? point.promised);
      return { time: at(point.time, next.time), ahead: at(point.ahead, next.ahead), promised };
    });
  });
