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

const side = { left: 38, right: 30, top: 8, bottom: 18 };

/** Small distances are what matters in the end, large ones in the beginning: the root shows both. */
const signedRoot = (value: number): number => Math.sign(value) * Math.sqrt(Math.abs(value));

/** How far each clock is from the truth, against time, with what is promised around it. */
export function drawClockErrors(area: CanvasArea, strip: ClockErrorView): void {
  const { context, width, height } = area;
  const { curves, palette, now, end } = strip;
  const most = curves.flat().reduce((a, { ahead }) => Math.max(a, Math.abs(ahead) / tick), 1) * 1.08;
  const middle = (height - side.bottom + side.top) / 2;
  const x = (time: number) => side.left + (time / Math.max(1, end)) * (width - side.left - side.right);
  const y = (ahead: number) =>
    middle - (signedRoot(ahead / tick) / signedRoot(most)) * ((height - side.top - side.bottom) / 2);
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  drawGrid(area, strip, most, x, y);
  for (const isPast of [true, false]) {
    context.save();
    context.beginPath();
    if (isPast) context.rect(side.left, 0, Math.max(0, x(now) - side.left), height);
    else context.rect(x(now), 0, width, height);
    context.clip();
    context.globalAlpha = isPast ? 1 : 0.25;
    curves.forEach((curve, i) => {
      drawCurve(area, strip, curve, i, x, y);
    });
    context.restore();
  }
  context.strokeStyle = palette.phases.leader;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x(now), side.top - 4);
  context.lineTo(x(now), height - side.bottom);
  context.stroke();
}

type Axis = (value: number) => number;

function drawGrid(
  { context, width, height }: CanvasArea,
  strip: ClockErrorView,
  most: number,
  x: Axis,
  y: Axis,
): void {
  const { palette, end, curves, names } = strip;
  const [large = 1] = [1000, 500, 200, 100, 50, 20, 10, 5, 2].filter((value) => value <= most);
  const marks = [0, large, -large, ...(large >= 10 ? [large / 10, -large / 10] : [])];
  context.font = `11px ${fontFamily}`;
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  context.strokeStyle = palette.line;
  for (const mark of marks) {
    const at = y(mark * tick);
    context.globalAlpha = mark === 0 ? 1 : 0.45;
    context.beginPath();
    context.moveTo(side.left, at);
    context.lineTo(width - side.right, at);
    context.stroke();
    context.globalAlpha = 1;
    context.textAlign = 'right';
    context.fillStyle = palette.muted;
    context.fillText(`${mark < 0 ? '−' : ''}${Math.abs(mark)}`, side.left - 5, at);
  }
  context.textAlign = 'left';
  context.fillText('0', side.left, height - 8);
  context.textAlign = 'right';
  context.fillText(`${Math.round(end)} ms`, x(end), height - 8);
  drawNames(
    context,
    strip,
    curves.map((curve) => y(curve.at(-1)?.ahead ?? 0)),
    width - side.right + 5,
    names,
  );
}

/** At the end of each curve, as far apart as they can be read. */
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

/** Of a clock. */
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
  for (const stretch of promisedIn(smooth)) {
    context.beginPath();
    for (const { time, ahead, promised } of stretch) context.lineTo(x(time), y(ahead + promised!));
    for (const { time, ahead, promised } of stretch.toReversed())
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

/** The stretches for which something is promised. */
function promisedIn(curve: readonly OffsetPoint[]): OffsetPoint[][] {
  const stretches: OffsetPoint[][] = [];
  curve.forEach((bend, k) => {
    if (bend.promised === null) return;
    if (k > 0 && curve[k - 1]!.promised !== null) stretches.at(-1)!.push(bend);
    else stretches.push([bend]);
  });
  return stretches;
}

/** With steps between bends: what is straight is not, on this scale. */
const interpolated = (curve: readonly OffsetPoint[]): OffsetPoint[] =>
  curve.flatMap((bend, k) => {
    const next = curve[k + 1];
    if (next === undefined || next.time === bend.time) return [bend];
    return Array.from({ length: 8 }, (_, part) => {
      const at = (a: number, b: number) => a + ((b - a) * part) / 8;
      const promised = bend.promised === null ? null : at(bend.promised, next.promised ?? bend.promised);
      return { time: at(bend.time, next.time), ahead: at(bend.ahead, next.ahead), promised };
    });
  });
