// The cut of a snapshot in the space-time diagram.
import { type Cut, cutSegments, type TracedMessage } from '../../diagram/index.ts';
import { fontFamily } from './primitives.ts';
import { arrowEnd, type SpaceTimePen } from './spacetime-pen.ts';

type Corner = readonly [x: number, y: number];

/** Returns the polylines of the cut through the recorded events, extended beyond the first and last lane. */
function linesOf({ spaceTime, x, y, lane, lanes: [first, last] }: SpaceTimePen, cut: Cut): Corner[][] {
  const beyond = Math.min(18, lane * 0.42);
  const isNear = (i: number) => i >= first - 1 && i <= last + 1;
  const visible = cutSegments(cut).map((segment) => segment.filter(isNear));
  return visible
    .filter(({ length }) => length > 0)
    .map((segment) => {
      const corners = segment.map((i): Corner => [x(spaceTime.x(cut.at[i]!)), y(i)]);
      const [[x1, y1], [x2, y2]] = [corners[0]!, corners.at(-1)!];
      return [[x1, y1 - beyond], ...corners, [x2, y2 + beyond]];
    });
}

function path({ context }: SpaceTimePen, corners: readonly Corner[]): void {
  corners.forEach(([x, y], k) => {
    if (k === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  });
}

/** Draws, below everything else, the past of the cut, and as broad lines the messages in transit or inconsistent. */
export function drawCutPast(pen: SpaceTimePen, cut: Cut): void {
  const { context, palette, x } = pen;
  const alpha = context.globalAlpha;
  context.fillStyle = palette.cut;
  context.globalAlpha = alpha * 0.09;
  for (const line of linesOf(pen, cut)) {
    context.beginPath();
    path(pen, [[x(0), line[0]![1]], ...line, [x(0), line.at(-1)![1]]]);
    context.fill();
  }
  context.globalAlpha = alpha * 0.32;
  context.lineCap = 'round';
  context.lineWidth = 10;
  for (const [messages, colour] of [
    [cut.inTransit, palette.cut],
    [cut.inconsistent, palette.wrong],
  ] as const) {
    context.strokeStyle = colour;
    context.beginPath();
    for (const message of messages) path(pen, arrowLine(pen, message));
    context.stroke();
  }
  context.lineCap = 'butt';
  context.globalAlpha = alpha;
}

const arrowLine = (pen: SpaceTimePen, message: TracedMessage): Corner[] => [
  [pen.x(pen.spaceTime.x(message.sent)), pen.y(message.from)],
  arrowEnd(pen, message),
];

/** Draws the line of the cut, with a ring where each process recorded its state. */
export function drawCut(pen: SpaceTimePen, cut: Cut): void {
  const { context, palette } = pen;
  context.strokeStyle = palette.cut;
  context.fillStyle = palette.background;
  context.lineWidth = 3;
  context.lineJoin = 'round';
  for (const line of linesOf(pen, cut)) {
    context.beginPath();
    path(pen, line);
    context.stroke();
    for (const [x, y] of line.slice(1, -1)) {
      context.beginPath();
      context.arc(x, y, 8.5, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }
  context.lineJoin = 'miter';
}

/** Labels the cut, and every inconsistent message that has been received by now. */
export function drawCutText(pen: SpaceTimePen, { at, ...cut }: Cut): void {
  const { palette, position } = pen;
  const happened = at.map((event) => (event < position ? event : -1));
  const [line] = linesOf(pen, { at: happened, ...cut });
  if (line) drawText(pen, 'the cut', line[0]![0] + 7, line[0]![1] + 3, palette.cut);
  for (const message of cut.inconsistent) {
    if (message.ended >= position) continue;
    const [endX, endY] = arrowEnd(pen, message);
    drawText(pen, 'from the future into the past', endX + 12, endY + 16, palette.wrong);
  }
}

function drawText(
  { context, palette }: SpaceTimePen,
  text: string,
  x: number,
  y: number,
  colour: string,
): void {
  context.font = `600 12px ${fontFamily}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.strokeStyle = palette.background;
  context.lineWidth = 4;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
