import { fontFamily } from './primitives.ts';
import { axisHeight, type DelayMarks, type SpaceTimePen } from './spacetime-pen.ts';

const rail = axisHeight + 1.5; // height of the brackets
const hook = 5; // length of the ends of a bracket
const least = 8; // narrower brackets are left out

/** Draws each synchronisation delay as a bracket above the lanes. Dotted lines lead down to the release and to the entry. */
export function drawDelays(pen: SpaceTimePen, marks: DelayMarks, from: number, to: number): void {
  const { context, palette, x, spaceTime, traceIndex } = pen;
  context.font = `11px ${fontFamily}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (const delay of traceIndex.delays) {
    const [begin, end] = [spaceTime.x(delay.from), spaceTime.x(delay.to)];
    if (end < from || begin > to || (end - begin) * pen.unit < least) continue;
    const [left, right] = [pixel(x(begin)), pixel(x(end))];
    const colour = marks.isBroken(delay.ticks) ? palette.wrong : palette.muted;
    context.strokeStyle = palette.line;
    context.setLineDash([1, 3]);
    context.beginPath();
    for (const [at, event] of [
      [left, delay.from],
      [right, delay.to],
    ] as const) {
      context.moveTo(at, rail + hook);
      context.lineTo(at, pen.y(traceIndex.events[event]!.process));
    }
    context.stroke();
    context.setLineDash([]);
    drawBracket(pen, left, right, marks.text(delay.ticks), colour);
  }
}

/** Draws a bracket, with its label in the line if that is long enough. */
function drawBracket({ context }: SpaceTimePen, left: number, right: number, text: string, colour: string) {
  const half = context.measureText(text).width / 2 + 4;
  const middle = (left + right) / 2;
  const hasRoom = right - left > 2 * half + 4;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(left, rail + hook);
  context.lineTo(left, rail);
  if (hasRoom) {
    context.lineTo(middle - half, rail);
    context.moveTo(middle + half, rail);
  }
  context.lineTo(right, rail);
  context.lineTo(right, rail + hook);
  context.stroke();
  if (hasRoom) context.fillText(text, middle, rail);
}

/** Returns the middle of a pixel, where a thin line is sharp. */
const pixel = (x: number): number => Math.floor(x) + 0.5;
