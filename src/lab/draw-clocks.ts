// Clock faces on the network, and the distance of all clocks to the truth against time.
import { type Pid, tick } from '../core/algorithm.ts';
import type { Palette, Point } from '../diagram/index.ts';
import type { Bend, ClockHistory } from '../stage/index.ts';
import { type Area, sans } from './draw.ts';
import { signed } from './words.ts';

const turn = 1000 * tick; // of a hand
const roomy = 29; // radius from which there is room for the bound, too

/** What a face shows. Times are in nanoseconds. */
export interface Dial {
  readonly shown: number;
  readonly meant: number; // shown, once the correction is worked off
  readonly error: number; // to the truth
  readonly promised: number | null;
  readonly rate: -1 | 0 | 1; // it runs slower or faster while a correction is worked off
  readonly isSource: boolean;
}

export function dialsOf(history: ClockHistory, cursor: number, source: Pid | null): Dial[] {
  const faces = history.faces(cursor);
  return history.report(cursor).map(({ error, promised }, i) => {
    const { shown, hardware, last } = faces[i]!;
    const rate = Math.sign((last?.offset ?? 0) - (shown - hardware)) as Dial['rate'];
    const meant = hardware + (last?.offset ?? 0);
    return { shown, meant, error, promised, rate, isSource: i === source };
  });
}

type Pen = Pick<Area, 'context'> & { readonly palette: Palette };

const angleOf = (time: number): number => (time / turn) * 2 * Math.PI - Math.PI / 2;

/** Inside the circle of a process: a hand for its clock, a thin one for the truth, and what lies between. */
export function drawFace(pen: Pen, { x, y }: Point, r: number, dial: Dial, name: string): void {
  const { context, palette } = pen;
  const { shown, error, promised, rate } = dial;
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
  drawHours(pen, x, y, r);
  drawHand(pen, x, y, truth, r * 0.8, 1.2, palette.quiet);
  drawHand(pen, x, y, own, r * 0.72, Math.max(2, r * 0.09), palette.ink);
  if (promised !== null) drawPromise(pen, x, y, r + 4, angleOf(dial.meant), (promised / turn) * 2 * Math.PI);
  if (rate !== 0) drawRate(pen, x, y, r, rate);
  if (r >= 14) drawWords(pen, x, y + r, dial, name, r < roomy);
}

/** Ten, each a tenth of a second. */
function drawHours({ context, palette }: Pen, x: number, y: number, r: number): void {
  context.strokeStyle = palette.quiet;
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
  { context }: Pen,
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
function drawPromise(
  { context, palette }: Pen,
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
function drawRate({ context, palette }: Pen, x: number, y: number, r: number, rate: 1 | -1): void {
  context.strokeStyle = palette.phases.waiting;
  context.lineWidth = 2;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.arc(x, y, r + 9, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = palette.phases.waiting;
  context.font = `700 15px ${sans}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.strokeStyle = palette.paper;
  context.lineWidth = 5;
  const sign = rate > 0 ? '»' : '«';
  context.strokeText(sign, x, y - r - 9);
  context.fillText(sign, x, y - r - 9);
}

function drawWords(
  { context, palette }: Pen,
  x: number,
  y: number,
  dial: Dial,
  name: string,
  isTight: boolean,
): void {
  const { error, promised, isSource, rate } = dial;
  const bound = isTight || promised === null || rate !== 0 ? '' : ` ± ${signed(promised).replace('+', '')}`;
  const says = isSource ? 'is right' : `${signed(error)}${bound}${isTight ? '' : ' ms'}`;
  const [bold, usual] = [`600 13px ${sans}`, `12.5px ${sans}`];
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.strokeStyle = palette.paper;
  context.fillStyle = palette.ink;
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

export interface Strip {
  readonly curves: readonly (readonly Bend[])[]; // by process
  readonly names: (process: Pid) => string;
  readonly palette: Palette;
  readonly now: number; // virtual time
  readonly end: number;
  readonly selected: Pid | null;
}

const side = { left: 38, right: 30, top: 8, bottom: 18 };

/** Small distances are what matters in the end, large ones in the beginning: the root shows both. */
const bent = (value: number): number => Math.sign(value) * Math.sqrt(Math.abs(value));

/** How far each clock is from the truth, against time, with what is promised around it. */
export function drawStrip(area: Area, strip: Strip): void {
  const { context, width, height } = area;
  const { curves, palette, now, end } = strip;
  const most = curves.flat().reduce((a, { ahead }) => Math.max(a, Math.abs(ahead) / tick), 1) * 1.08;
  const middle = (height - side.bottom + side.top) / 2;
  const x = (time: number) => side.left + (time / Math.max(1, end)) * (width - side.left - side.right);
  const y = (ahead: number) =>
    middle - (bent(ahead / tick) / bent(most)) * ((height - side.top - side.bottom) / 2);
  context.fillStyle = palette.paper;
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

function drawGrid({ context, width, height }: Area, strip: Strip, most: number, x: Axis, y: Axis): void {
  const { palette, end, curves, names } = strip;
  const [large = 1] = [1000, 500, 200, 100, 50, 20, 10, 5, 2].filter((value) => value <= most);
  const marks = [0, large, -large, ...(large >= 10 ? [large / 10, -large / 10] : [])];
  context.font = `11px ${sans}`;
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
    context.fillStyle = palette.quiet;
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
  { palette }: Strip,
  ends: readonly number[],
  x: number,
  names: Strip['names'],
): void {
  if (ends.length > 8) return;
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]! - ends[b]!);
  const middle = ends.reduce((sum, end) => sum + end, 0) / ends.length;
  const first = middle - ((order.length - 1) / 2) * 12;
  context.textAlign = 'left';
  order.forEach((i, k) => {
    context.fillStyle = colourOf(palette, i);
    context.fillText(names(i), x, Math.max(first + k * 12, 8 + k * 12));
  });
}

/** Of a clock. */
export const colourOf = ({ kinds }: Palette, process: Pid): string => kinds[process % kinds.length]!;

function drawCurve(
  { context }: Area,
  { palette, selected }: Strip,
  curve: readonly Bend[],
  i: Pid,
  x: Axis,
  y: Axis,
): void {
  const alpha = context.globalAlpha;
  const smooth = refined(curve);
  context.fillStyle = colourOf(palette, i);
  context.globalAlpha = alpha * 0.2;
  for (const stretch of promisedIn(smooth)) {
    context.beginPath();
    for (const { time, ahead, promised } of stretch) context.lineTo(x(time), y(ahead + promised!));
    for (const { time, ahead, promised } of stretch.toReversed())
      context.lineTo(x(time), y(ahead - promised!));
    context.fill();
  }
  context.globalAlpha = alpha;
  context.strokeStyle = colourOf(palette, i);
  context.lineWidth = i === selected ? 3 : 1.6;
  context.beginPath();
  for (const { time, ahead } of smooth) context.lineTo(x(time), y(ahead));
  context.stroke();
}

/** The stretches for which something is promised. */
function promisedIn(curve: readonly Bend[]): Bend[][] {
  const stretches: Bend[][] = [];
  curve.forEach((bend, k) => {
    if (bend.promised === null) return;
    if (k > 0 && curve[k - 1]!.promised !== null) stretches.at(-1)!.push(bend);
    else stretches.push([bend]);
  });
  return stretches;
}

/** With steps between bends: what is straight is not, on this scale. */
const refined = (curve: readonly Bend[]): Bend[] =>
  curve.flatMap((bend, k) => {
    const next = curve[k + 1];
    if (next === undefined || next.time === bend.time) return [bend];
    return Array.from({ length: 8 }, (_, part) => {
      const at = (a: number, b: number) => a + ((b - a) * part) / 8;
      const promised = bend.promised === null ? null : at(bend.promised, next.promised ?? bend.promised);
      return { time: at(bend.time, next.time), ahead: at(bend.ahead, next.ahead), promised };
    });
  });
