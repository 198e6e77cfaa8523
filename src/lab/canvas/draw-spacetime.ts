import {
  type CausalCone,
  markerKind,
  messageStyle,
  type ProcessPhase,
  type TracedMessage,
} from '../../diagram/index.ts';
import { drawCut, drawCutPast, drawCutText } from './draw-cut.ts';
import { drawDelays } from './draw-delays.ts';
import { drawOverlaps } from './draw-overlaps.ts';
import {
  drawAccesses,
  drawRegisterLanes,
  drawRegisterNames,
  drawRegisterValues,
} from './draw-register-lanes.ts';
import { arrowhead, type CanvasArea, fontFamily } from './primitives.ts';
import { arrowEnd, axisHeight, gutterWidth, type SpaceTimePen, type SpaceTimeView } from './spacetime-pen.ts';

export function drawSpaceTime(area: CanvasArea, view: SpaceTimeView): void {
  const { context, width, height } = area;
  const { spaceTime, unit, lane, left, top, palette, hovered } = view;
  const { traceIndex } = spaceTime;
  const x = (units: number) => gutterWidth + 16 + units * unit - left;
  const y = (process: number) => axisHeight + (process + 0.5) * lane - top;
  const first = Math.max(0, Math.floor((top - lane) / lane));
  const last = Math.min(traceIndex.n - 1, Math.ceil((top + height) / lane));
  const present = spaceTime.present(view.cursor);
  const cone = hovered !== null && hovered < traceIndex.events.length ? traceIndex.cone(hovered) : null;
  const pen: SpaceTimePen = { ...area, ...view, traceIndex, cone, x, y, lanes: [first, last], present };
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const [from, to] = [(left - 16 - 20) / unit, (left + width - gutterWidth + 20) / unit];
  drawSide(pen, from, Math.min(to, present), true);
  drawSide(pen, Math.max(from, present), to, false);
  drawOverlaps(pen);
  drawPresent(pen);
  drawRegisterValues(pen);
  if (pen.cut) drawCutText(pen, pen.cut);
  drawGutter(pen);
  drawRegisterNames(pen);
  drawAxis(pen, from, to);
}

/** Draws one side of the present: the past, or the future in faint colours. */
function drawSide(pen: SpaceTimePen, from: number, to: number, isPast: boolean): void {
  const { context, height, x, spaceTime } = pen;
  if (to < from) return;
  context.save();
  context.beginPath();
  const [left, right] = [isPast ? Math.max(gutterWidth, x(from)) : x(from), isPast ? x(to) + 0.5 : x(to)];
  context.rect(left, 0, Math.max(0, right - left), height);
  context.clip();
  context.globalAlpha = isPast ? 1 : 0.22;
  if (pen.cut) drawCutPast(pen, pen.cut);
  if (pen.delays) drawDelays(pen, pen.delays, from, to);
  drawLanes(pen, from, to);
  drawRegisterLanes(pen, from, to);
  const arrows = everyKth(spaceTime.arrows(from, to).filter((message) => isVisible(pen, message)));
  if (isPast) arrows.push(...pending(pen));
  drawArrows(pen, arrows, isPast);
  if (pen.cut) drawCut(pen, pen.cut);
  context.restore();
  if (to <= from) return;
  context.save();
  context.globalAlpha = isPast ? 1 : 0.22;
  context.beginPath();
  context.rect(gutterWidth, axisHeight, pen.width - gutterWidth, height);
  context.clip();
  const points = spaceTime.points(from, to).filter((index) => isPast === index < Math.floor(pen.cursor));
  drawAccesses(pen, points);
  drawPoints(pen, points, isPast);
  context.restore();
}

const isVisible = ({ lanes: [first, last] }: SpaceTimePen, { from, to }: TracedMessage): boolean =>
  Math.min(from, to) <= last && Math.max(from, to) >= first;

const maxArrows = 1500; // on each side of the present

/** Keeps every k-th arrow when there are too many. */
const everyKth = (arrows: readonly TracedMessage[]): TracedMessage[] => {
  const every = Math.ceil(arrows.length / maxArrows);
  return arrows.filter((_, k) => k % every === 0);
};

/** Returns the messages in flight whose arrival is not known. */
const pending = (pen: SpaceTimePen): TracedMessage[] =>
  everyKth(
    pen.traceIndex.inFlightAt(pen.position).filter((message) => message.ended < 0 && isVisible(pen, message)),
  );

const laneWidths: Readonly<Record<ProcessPhase, number>> = {
  idle: 1,
  waiting: 2.5,
  inside: 9,
  leader: 5,
  follower: 2,
  crashed: 0,
};

/** Draws the lanes: thick while the process is inside, dashed while it waits, absent while it is crashed. */
function drawLanes(
  { context, traceIndex, spaceTime, lanes, palette, x, y, lane }: SpaceTimePen,
  from: number,
  to: number,
): void {
  const end = Math.min(to, spaceTime.width + 1);
  for (let i = lanes[0]; i <= lanes[1]; i += 1) {
    const events = traceIndex.eventsOfProcess[i]!;
    let k = firstFrom(events, (event) => spaceTime.x(event) >= from);
    let at = from;
    for (; at < end; k += 1) {
      const next = k < events.length ? Math.min(end, spaceTime.x(events[k]!)) : end;
      const phase = traceIndex.phaseAfter(i, k);
      if (laneWidths[phase] > 0 && next > at) {
        context.strokeStyle = phase === 'idle' ? palette.line : palette.phases[phase];
        context.lineWidth = Math.min(laneWidths[phase], lane / 2);
        context.setLineDash(phase === 'waiting' ? [5, 4] : []);
        context.beginPath();
        context.moveTo(x(at), y(i));
        context.lineTo(x(next), y(i));
        context.stroke();
      }
      at = next;
      if (k >= events.length) break;
    }
  }
  context.setLineDash([]);
}

/** Returns the first index whose item satisfies the predicate; all later items must satisfy it too. */
function firstFrom(items: readonly number[], satisfies: (item: number) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (satisfies(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function drawArrows(pen: SpaceTimePen, arrows: readonly TracedMessage[], isPast: boolean): void {
  const { context, kinds, palette, cone, unit } = pen;
  const alpha = context.globalAlpha;
  const isNear = (message: TracedMessage) => cone === null || isRelated(pen, cone, message);
  for (const near of cone === null ? [true] : [false, true]) {
    context.globalAlpha = near ? alpha : alpha * 0.14;
    kinds.forEach((kind, k) => {
      const ofKind = arrows.filter((message) => message.kind === kind && isNear(message) === near);
      if (ofKind.length === 0) return;
      const style = messageStyle(palette, k, kind);
      context.strokeStyle = style.colour;
      context.fillStyle = style.colour;
      context.lineWidth = unit < 8 ? 1 : 1.6;
      context.setLineDash(unit < 8 ? [] : (style.dashes as number[]));
      context.beginPath();
      for (const message of ofKind) addArrowPath(pen, message);
      context.stroke();
      context.setLineDash([]);
      if (unit >= 5) drawTips(pen, ofKind);
    });
  }
  context.globalAlpha = alpha;
  const labelled = cone === null ? arrows : arrows.filter(isNear);
  if (isPast && unit >= 22 && pen.lane >= 34 && labelled.length <= 30) drawTexts(pen, labelled);
}

/** Whether a message belongs to the causal past or future of the hovered event. */
const isRelated = (
  { traceIndex, hovered }: SpaceTimePen,
  cone: CausalCone,
  { sent, ended }: TracedMessage,
): boolean => {
  if (sent === hovered) return true;
  const side = traceIndex.relation(cone, sent);
  return side !== 'beside' && ended >= 0 && side === traceIndex.relation(cone, ended);
};

function addArrowPath(pen: SpaceTimePen, message: TracedMessage): void {
  const { context, spaceTime, x, y } = pen;
  const [x1, y1] = [x(spaceTime.x(message.sent)), y(message.from)];
  const [x2, y2] = arrowEnd(pen, message);
  context.moveTo(x1, y1);
  if (message.from === message.to) context.quadraticCurveTo((x1 + x2) / 2, y1 - pen.lane * 0.7, x2, y2);
  else context.lineTo(x2, y2);
}

function drawTips(pen: SpaceTimePen, arrows: readonly TracedMessage[]): void {
  const { context, spaceTime, x, y } = pen;
  context.beginPath();
  for (const message of arrows) {
    if (message.lost) continue;
    const up = message.from === message.to ? pen.lane * 0.7 : 0;
    const [x1, y1] = [x(spaceTime.x(message.sent)), y(message.from) - up];
    const [x2, y2] = arrowEnd(pen, message);
    const [dx, dy] = [x2 - x1, y2 - y1];
    const back = (message.ended >= 0 ? 5 : 0) / (Math.hypot(dx, dy) || 1);
    arrowhead(context, x1, y1, x2 - dx * back, y2 - dy * back, 9);
  }
  context.fill();
  context.beginPath();
  for (const message of arrows) if (message.lost) cross(context, ...arrowEnd(pen, message), 5);
  context.lineWidth = 2;
  context.stroke();
}

/** Writes the text of a message where it overlaps no other text. */
function drawTexts(pen: SpaceTimePen, arrows: readonly TracedMessage[]): void {
  const { context, spaceTime, x, y, kinds, palette, present } = pen;
  const taken: { x: number; y: number; width: number }[] = [];
  context.font = `11px ${fontFamily}`;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  for (const message of arrows) {
    if (message.kind === markerKind || message.ended < 0 || spaceTime.x(message.ended) > present) continue;
    const [x1, y1] = [x(spaceTime.x(message.sent)), y(message.from)];
    const [x2, y2] = arrowEnd(pen, message);
    const [tx, ty] = [x1 + (x2 - x1) * 0.42 + 6, y1 + (y2 - y1) * 0.42 - 2];
    const text = message.text.length > 22 ? `${message.text.slice(0, 21)}…` : message.text;
    const { width } = context.measureText(text);
    const isFree = taken.every(
      (one) => Math.abs(one.y - ty) > 12 || tx > one.x + one.width + 4 || tx + width + 4 < one.x,
    );
    if (!isFree || tx < gutterWidth || tx + width > x(present)) continue;
    taken.push({ x: tx, y: ty, width });
    context.strokeStyle = palette.background;
    context.lineWidth = 3;
    context.strokeText(text, tx, ty);
    context.fillStyle = messageStyle(palette, kinds.indexOf(message.kind), message.kind).colour;
    context.fillText(text, tx, ty);
  }
}

function drawPoints(pen: SpaceTimePen, points: readonly number[], isPast: boolean): void {
  const { context, traceIndex, spaceTime, palette, cone, hovered, lanes, x, y, unit } = pen;
  const alpha = context.globalAlpha;
  const size = unit < 8 ? 2 : 3.8;
  context.lineWidth = 1.5;
  for (const index of points) {
    const { process, input, outputs } = traceIndex.events[index]!;
    if (process < lanes[0] || process > lanes[1]) continue;
    const emits = outputs.some(({ kind }) => kind === 'emit');
    const [cx, cy] = [x(spaceTime.x(index)), y(process)];
    context.globalAlpha = cone && traceIndex.relation(cone, index) === 'beside' ? alpha * 0.2 : alpha;
    context.beginPath();
    if (input.kind === 'call') diamond(context, cx, cy, size * 1.7);
    else if (input.kind === 'crash' || input.kind === 'lose') cross(context, cx, cy, size * 1.3);
    else context.arc(cx, cy, emits ? size * 1.35 : size, 0, 2 * Math.PI);
    context.fillStyle = emits ? palette.foreground : palette.background;
    context.strokeStyle = palette.foreground;
    context.fill();
    context.stroke();
    if (index === hovered || (isPast && index === pen.position - 1)) ring(pen, cx, cy, index === hovered);
  }
  context.globalAlpha = alpha;
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  context.moveTo(x, y - r);
  context.lineTo(x + r, y);
  context.lineTo(x, y + r);
  context.lineTo(x - r, y);
  context.closePath();
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  context.moveTo(x - r, y - r);
  context.lineTo(x + r, y + r);
  context.moveTo(x + r, y - r);
  context.lineTo(x - r, y + r);
}

function ring({ context, palette }: SpaceTimePen, x: number, y: number, isHovered: boolean): void {
  context.beginPath();
  context.arc(x, y, 9, 0, 2 * Math.PI);
  context.strokeStyle = isHovered ? palette.foreground : palette.phases.leader;
  context.lineWidth = 2;
  context.stroke();
  context.lineWidth = 1.5;
}

function drawPresent({ context, height, x, present, palette }: SpaceTimePen): void {
  const at = x(present);
  if (at < gutterWidth) return;
  context.strokeStyle = palette.phases.leader;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(at, axisHeight - 6);
  context.lineTo(at, height);
  context.stroke();
  context.fillStyle = palette.phases.leader;
  context.beginPath();
  arrowhead(context, at, 0, at, axisHeight, 9);
  context.fill();
}

function drawGutter({
  context,
  height,
  palette,
  names,
  lanes,
  y,
  traceIndex,
  position,
  selected,
  lane,
}: SpaceTimePen): void {
  context.fillStyle = palette.background;
  context.fillRect(0, 0, gutterWidth, height);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (let i = lanes[0]; i <= lanes[1]; i += 1) {
    const phase = traceIndex.phaseAt(i, position);
    context.font = `${i === selected ? 700 : 500} ${lane < 20 ? 11 : 13}px ${fontFamily}`;
    context.fillStyle = phase === 'idle' ? palette.muted : palette.phases[phase];
    context.fillText(names(i), gutterWidth - 12, y(i));
  }
}

function drawAxis(
  { context, width, palette, spaceTime, unit, x, timeText = String }: SpaceTimePen,
  from: number,
  to: number,
): void {
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, axisHeight - 7);
  context.font = `11px ${fontFamily}`;
  context.fillStyle = palette.muted;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const every =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((units) => units * unit >= 60) ?? 10_000;
  for (
    let at = Math.max(0, Math.ceil(from / every) * every);
    at <= Math.min(to, spaceTime.width);
    at += every
  ) {
    if (x(at) > gutterWidth + 6) context.fillText(timeText(at), x(at), 10);
  }
  context.textAlign = 'right';
  context.fillText(spaceTime.spacing === 'time' ? 'time' : 'event', gutterWidth - 12, 10);
}
