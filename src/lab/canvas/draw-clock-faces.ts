// Clock faces on the network, and the distance of all clocks to the truth against time.
import { type Pid, tick } from '../../core/algorithm.ts';
import type { LayoutPoint, Palette } from '../../diagram/index.ts';
import type { ClockHistory, OffsetPoint } from '../../timeline/index.ts';
import { signedMilliseconds } from '../ui/event-text.ts';
import { type CanvasArea, fontFamily } from './primitives.ts';

const turn = 1000 * tick; // of a hand
const roomy = 29; // radius from which there is room for the bound, too

/** What a face shows. Times are in nanoseconds. */
export interface Dial {
  readonly shown: number;
  readonly corrected: number; // shown, once the correction is worked off
  readonly error: number; // to the truth
  readonly bound: number | null;
  readonly rate: -1 | 0 | 1; // it runs slower or faster while a correction is worked off
  readonly isSource: boolean;
}

export function dialsOf(history: ClockHistory, cursor: number, source: Pid | null): Dial[] {
  const faces = history.readings(cursor);
  return history.report(cursor).map(({ error, promised }, i) => {
    const { shown, hardware, last } = faces[i]!;
    const rate = Math.sign((last?.offset ?? 0) - (shown - hardware)) as Dial['rate'];
    const corrected = hardware + (last?.offset ?? 0);
    return { shown, corrected, error, bound: promised, rate, isSource: i === source };
  });
}

type ClockPen = Pick<CanvasArea, 'context'> & { readonly palette: Palette };

const angleOf = (time: number): number => (time / turn) * 2 * Math.PI - Math.PI / 2;

/** Inside the circle of a process: a hand for its clock, a thin one for the truth, and what lies between. */
export function drawClockFace(
  pen: ClockPen,
  { x, y }: LayoutPoint,
  r: number,
  dial: Dial,
  name: string,
): void {
  const { context, palette } = pen;
  const { shown, error, bound, rate } = dial;
  const [own, truth] = [angleOf(shown), angleOf(shown - error)];
  context.fillStyle = palette.phases.waiting;
  context.globalAlpha = 0.35;
  context.beginPath();
  context.moveTo(x, y);
  context.arc(
    x,
    y,
    r * 0.82,
    Math.min(own, truth),
    Math.min(Math.max(own, truth), Math.min(own, truth) + 2 * Math.PI),
  );
  context.fill();
  context.globalAlpha = 1;
  drawTickMarks(pen, x, y, r);
  drawHand(pen, x, y, truth, r * 0.8, 1.2, palette.muted);
  drawHand(pen, x, y, own, r * 0.72, Math.max(2, r * 0.09), palette.foreground);
  if (bound !== null) drawErrorBound(pen, x, y, r + 4, angleOf(dial.corrected), (bound / turn) * 2 * Math.PI);
  if (rate !== 0) drawRate(pen, x, y, r, rate);
  if (r >= 14) drawClockText(pen, x, y + r, dial, name, r < roomy);
}

/** Ten, each a tenth of a second. */
function drawTickMarks({ context, palette }: ClockPen, x: number, y: number, r: number): void {
  context.strokeStyle = palette.muted;
  context.lineWidth = 1;
  context.beginPath();
  for (let k = 0; k < 10; k += 1) {
    const angle = (k / 10) * 2 * Math.PI - Math.PI / 2;
    const [c, s, from] = [Math.cos(angle), Math.sin(angle), r * (k === 0 ? 0.78 : 0.87)];
    context.moveTo(x + c * from, y + s * from);
    context.lineTo(x + c * (r - 1.5), y + s * (r - 1.5));
  }
  context.stroke();
}

function drawHand(
  { context }: ClockPen,
  x: number,
  y: number,
  angle: number,
  length: number,
  width: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineCap = 'round';
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + Math.cos(angle) * length, y + Math.sin(angle) * length);
  context.stroke();
  context.lineCap = 'butt';
}

/** Round the rim: where the truth is promised to be. */
function drawErrorBound(
  { context, palette }: ClockPen,
  x: number,
  y: number,
  r: number,
  at: number,
  half: number,
): void {
  const reach = Math.min(Math.PI, Math.max(half, 1.5 / r));
  context.strokeStyle = palette.phases.inside;
  context.lineWidth = 4;
  context.beginPath();
  context.arc(x, y, r, at - reach, at + reach);
  context.stroke();
}

/** Which way it is pulled. */
function drawRate({ context, palette }: ClockPen, x: number, y: number, r: number, rate: 1 | -1): void {
  context.strokeStyle = palette.phases.waiting;
  context.lineWidth = 2;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.arc(x, y, r + 9, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = palette.phases.waiting;
  context.font = `700 15px ${fontFamily}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.strokeStyle = palette.background;
  context.lineWidth = 5;
  const sign = rate > 0 ? '»' : '«';
  context.strokeText(sign, x, y - r - 9);
  context.fillText(sign, x, y - r - 9);
}

function drawClockText(
  { context, palette }: ClockPen,
  x: number,
  y: number,
  dial: Dial,
  name: string,
  isTight: boolean,
): void {
  const { error, bound, isSource, rate } = dial;
  const margin =
    isTight || bound === null || rate !== 0 ? '' : ` ± ${signedMilliseconds(bound).replace('+', '')}`;
  const says = isSource ? 'is right' : `${signedMilliseconds(error)}${margin}${isTight ? '' : ' ms'}`;
  const [bold, usual] = [`600 13px ${fontFamily}`, `12.5px ${fontFamily}`];
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.strokeStyle = palette.background;
  context.fillStyle = palette.foreground;
  context.lineWidth = 4;
  context.font = usual;
  const width = context.measureText(says).width;
  context.font = bold;
  const start = x - (width + context.measureText(`${name}  `).width) / 2;
  const write = (text: string, at: number) => {
    context.strokeText(text, at, y + 20);
    context.fillText(text, at, y + 20);
  };
  write(name, start);
  const end = start + context.measureText(`${name}  `).width;
  context.font = usual;
  write(says, end);
}

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
