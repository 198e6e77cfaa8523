// Clock faces on the network.
import { algorithmInfo } from '../../catalogue/index.ts';
import { type Pid, tick } from '../../core/algorithm.ts';
import type { LayoutPoint, Palette } from '../../diagram/index.ts';
import type { ClockHistory } from '../../timeline/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { signedMilliseconds } from '../ui/event-text.ts';
import { type CanvasArea, fontFamily } from './primitives.ts';

const turn = 1000 * tick; // one revolution of a hand
const roomyRadius = 29; // from this radius on, the text also shows the bound

/** The contents of a clock face. Times are in nanoseconds. */
export interface Dial {
  readonly shown: number;
  readonly corrected: number; // shown, after the pending correction
  readonly error: number; // against the reference
  readonly bound: number | null;
  readonly rate: -1 | 0 | 1; // slower or faster during a correction
  readonly isSource: boolean;
}

/** Returns the process with the reference clock, or null if the clocks only have to agree. */
export const referenceClock = ({ algorithm, run: { setup } }: LabStore): Pid | null =>
  algorithmInfo(algorithm).synchronises?.to === 'root' ? setup.root : null;

export function dialsOf(history: ClockHistory, cursor: number, source: Pid | null): Dial[] {
  const readings = history.readings(cursor);
  return history.report(cursor).map(({ error, promised }, i) => {
    const { shown, hardware, last } = readings[i]!;
    const rate = Math.sign((last?.offset ?? 0) - (shown - hardware)) as Dial['rate'];
    const corrected = hardware + (last?.offset ?? 0);
    return { shown, corrected, error, bound: promised, rate, isSource: i === source };
  });
}

type ClockPen = Pick<CanvasArea, 'context'> & { readonly palette: Palette };

const angleOf = (time: number): number => (time / turn) * 2 * Math.PI - Math.PI / 2;

/** Draws a face inside a process: a hand for its clock, a thin hand for the reference, and the error between them. */
export function drawClockFace(
  pen: ClockPen,
  { x, y }: LayoutPoint,
  r: number,
  dial: Dial,
  name: string,
): void {
  const { context, palette } = pen;
  const { shown, error, bound, rate } = dial;
  const [clockAngle, referenceAngle] = [angleOf(shown), angleOf(shown - error)];
  context.fillStyle = palette.phases.waiting;
  context.globalAlpha = 0.35;
  context.beginPath();
  context.moveTo(x, y);
  context.arc(
    x,
    y,
    r * 0.82,
    Math.min(clockAngle, referenceAngle),
    Math.min(Math.max(clockAngle, referenceAngle), Math.min(clockAngle, referenceAngle) + 2 * Math.PI),
  );
  context.fill();
  context.globalAlpha = 1;
  drawTickMarks(pen, x, y, r);
  drawHand(pen, x, y, referenceAngle, r * 0.8, 1.2, palette.muted);
  drawHand(pen, x, y, clockAngle, r * 0.72, Math.max(2, r * 0.09), palette.foreground);
  if (bound !== null) drawErrorBound(pen, x, y, r + 4, angleOf(dial.corrected), (bound / turn) * 2 * Math.PI);
  if (rate !== 0) drawRate(pen, x, y, r, rate);
  if (r >= 14) drawClockText(pen, x, y + r, dial, name, r < roomyRadius);
}

/** Draws ten marks, one per tenth of a second. */
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

/** Marks on the rim the interval promised to contain the reference time. */
function drawErrorBound(
  { context, palette }: ClockPen,
  x: number,
  y: number,
  r: number,
  at: number,
  half: number,
): void {
  const angle = Math.min(Math.PI, Math.max(half, 1.5 / r));
  context.strokeStyle = palette.phases.inside;
  context.lineWidth = 4;
  context.beginPath();
  context.arc(x, y, r, at - angle, at + angle);
  context.stroke();
}

/** Shows whether the clock runs faster or slower to work off a correction. */
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
  const text = isSource ? 'is right' : `${signedMilliseconds(error)}${margin}${isTight ? '' : ' ms'}`;
  const [bold, regular] = [`600 13px ${fontFamily}`, `12.5px ${fontFamily}`];
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.strokeStyle = palette.background;
  context.fillStyle = palette.foreground;
  context.lineWidth = 4;
  context.font = regular;
  const width = context.measureText(text).width;
  context.font = bold;
  const start = x - (width + context.measureText(`${name}  `).width) / 2;
  const write = (part: string, at: number) => {
    context.strokeText(part, at, y + 20);
    context.fillText(part, at, y + 20);
  };
  write(name, start);
  const end = start + context.measureText(`${name}  `).width;
  context.font = regular;
  write(text, end);
}
