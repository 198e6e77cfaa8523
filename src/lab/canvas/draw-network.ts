import type { Pid } from '../../core/algorithm.ts';
import {
  glyphs,
  type LayoutPoint,
  messageStyle,
  type Palette,
  type ProcessPhase,
  type SpaceTimeLayout,
  type TracedMessage,
  type TraceIndex,
} from '../../diagram/index.ts';
import type { LabSelection } from '../state/lab-store.ts';
import { type Dial, drawClockFace } from './draw-clock-faces.ts';
import { arrowhead, type CanvasArea, fontFamily, kindMarker } from './primitives.ts';

/** The visible part of the unit square. A point of it is drawn at scale * point + offset. */
export interface Viewport {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly x: number;
  readonly y: number;
  readonly zoom: number; // 1: the whole network
}

/** The phases of processes and the progress of messages at one moment. */
export interface NetworkState {
  readonly cursor: number;
  readonly traceIndex: Pick<TraceIndex, 'phaseAt' | 'isPausedAt' | 'events' | 'inFlightAt' | 'overlaps'>;
  readonly spaceTime: Pick<SpaceTimeLayout, 'present' | 'progress'>;
}

export interface NetworkView {
  readonly state: NetworkState;
  readonly positions: readonly LayoutPoint[];
  readonly links: readonly (readonly [Pid, Pid])[]; // pairs to draw
  readonly oneWay: boolean;
  readonly missingLinks: ReadonlySet<string>; // `a-b`, in both directions
  readonly viewport: Viewport;
  readonly palette: Palette;
  readonly kinds: readonly string[];
  readonly labels: readonly string[]; // inside the processes
  readonly isToken: (message: TracedMessage) => boolean;
  readonly hasToken: (process: Pid) => boolean;
  readonly selection: LabSelection | null;
  readonly cell?: { readonly width: number; readonly height: number } | undefined; // the part of the unit square reserved for each process
  readonly dials?: readonly Dial[] | null; // clock faces, if the algorithm synchronises clocks
}

export interface NetworkPen extends CanvasArea, NetworkView {
  readonly at: (process: Pid) => LayoutPoint; // in pixels
  readonly radius: number;
}

export const maxProcessRadius = 24; // in pixels
const maxClockFaceRadius = 32; // in pixels
const maxMessages = 3000; // drawn at once

/** Fits the whole network into the canvas, with a margin. A round layout is stretched less than others. */
export function fitViewport(width: number, height: number, isRound: boolean, hasFaces = false): Viewport {
  const room = hasFaces ? maxClockFaceRadius + 22 : maxProcessRadius + 16;
  const below = hasFaces ? 12 : 0; // for text below the faces
  const [w, h] = [
    Math.max(40, width - (hasFaces ? 100 : 2 * room + 30)),
    Math.max(40, height - 2 * room - below),
  ];
  const scaleX = Math.min(w, h * (isRound ? 1.25 : 2.4));
  const scaleY = Math.min(h, w * (isRound ? 1.25 : 1.6));
  return { scaleX, scaleY, x: (width - scaleX) / 2, y: (height - below - scaleY) / 2, zoom: 1 };
}

/** Returns a radius that keeps processes clear of each other, of registers and of text. */
function radiusOf({ positions, viewport: { scaleX, scaleY, zoom }, cell, dials }: NetworkView): number {
  if (cell) return Math.min(maxProcessRadius, 0.36 * Math.min(cell.width * scaleX, cell.height * scaleY));
  const n = positions.length;
  if (n > 150)
    return Math.min(26, Math.max(2.2, (0.36 * Math.sqrt(scaleX * scaleY)) / Math.sqrt(n) / zoom ** 0.4));
  let shortest = Infinity;
  for (let i = 0; i < n; i += 1)
    for (let j = 0; j < i; j += 1)
      shortest = Math.min(
        shortest,
        Math.hypot(
          (positions[i]!.x - positions[j]!.x) * scaleX,
          (positions[i]!.y - positions[j]!.y) * scaleY,
        ),
      );
  if (dials) return Math.max(2.2, Math.min(maxClockFaceRadius, shortest * 0.27)); // leaves room for text
  return Math.max(
    2.2,
    Math.min(maxProcessRadius, Math.max(shortest * 0.34, 0.14 * Math.sqrt((scaleX * scaleY) / n))),
  );
}

export const networkPen = (area: CanvasArea, view: NetworkView): NetworkPen => {
  const { viewport, positions } = view;
  const at = (process: Pid) => ({
    x: positions[process]!.x * viewport.scaleX + viewport.x,
    y: positions[process]!.y * viewport.scaleY + viewport.y,
  });
  return { ...area, ...view, at, radius: radiusOf(view) };
};

export function drawNetwork(area: CanvasArea, view: NetworkView): void {
  const pen = networkPen(area, view);
  const { context, width, height, palette, state } = pen;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const position = Math.floor(state.cursor);
  const messages = state.traceIndex.inFlightAt(position).slice(0, maxMessages);
  drawLinks(pen);
  drawLinksInUse(pen, messages);
  for (let i = 0; i < view.positions.length; i += 1)
    if (isVisible(pen, pen.at(i))) drawProcess(pen, i, position);
  drawMessages(pen, messages);
}

const isVisible = ({ width, height, radius }: NetworkPen, { x, y }: LayoutPoint): boolean =>
  x > -2 * radius && y > -2 * radius && x < width + 2 * radius && y < height + 2 * radius;

function drawLinks(pen: NetworkPen): void {
  const { context, links, palette, missingLinks, at, oneWay, radius, selection } = pen;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.line;
  context.lineWidth = links.length > 300 ? 0.6 : links.length > 60 ? 0.9 : 1.4;
  context.beginPath();
  for (const [a, b] of links) {
    if (missingLinks.has(`${a}-${b}`)) continue;
    const [p, q] = [at(a), at(b)];
    context.moveTo(p.x, p.y);
    context.lineTo(q.x, q.y);
  }
  context.stroke();
  if (oneWay && radius > 6) {
    context.beginPath();
    for (const [a, b] of links) {
      const [p, q] = [at(a), at(b)];
      arrowhead(context, p.x, p.y, p.x + (q.x - p.x) * 0.56, p.y + (q.y - p.y) * 0.56, 9);
    }
    context.fill();
  }
  context.lineWidth = 2;
  for (const [a, b] of links) if (missingLinks.has(`${a}-${b}`)) drawCutLink(pen, at(a), at(b));
  if (selection !== null && 'between' in selection) {
    const [p, q] = [at(selection.between[0]), at(selection.between[1])];
    context.strokeStyle = palette.phases.leader;
    context.lineWidth = 4;
    context.beginPath();
    context.moveTo(p.x, p.y);
    context.lineTo(q.x, q.y);
    context.stroke();
  }
}

function drawCutLink({ context, palette }: NetworkPen, p: LayoutPoint, q: LayoutPoint): void {
  const [x, y] = [(p.x + q.x) / 2, (p.y + q.y) / 2];
  context.strokeStyle = palette.line;
  context.setLineDash([3, 7]);
  context.beginPath();
  context.moveTo(p.x, p.y);
  context.lineTo(q.x, q.y);
  context.stroke();
  context.setLineDash([]);
  context.strokeStyle = palette.kinds[1]!;
  context.beginPath();
  context.moveTo(x - 7, y - 7);
  context.lineTo(x + 7, y + 7);
  context.moveTo(x + 7, y - 7);
  context.lineTo(x - 7, y + 7);
  context.stroke();
}

/** Draws only the links in use when there are too many links to draw. */
function drawLinksInUse(pen: NetworkPen, messages: readonly TracedMessage[]): void {
  const { context, palette, at, links } = pen;
  if (links.length > 0) return;
  context.strokeStyle = palette.line;
  context.lineWidth = 0.6;
  context.beginPath();
  for (const { from, to } of messages.slice(0, 2000)) {
    const [p, q] = [at(from), at(to)];
    context.moveTo(p.x, p.y);
    context.lineTo(q.x, q.y);
  }
  context.stroke();
}

const filledPhases: ReadonlySet<ProcessPhase> = new Set(['inside', 'leader', 'crashed']);

function drawProcess(pen: NetworkPen, i: Pid, position: number): void {
  const { context, palette, at, radius: r, state, selection, labels, hasToken } = pen;
  const { traceIndex } = state;
  const { x, y } = at(i);
  const phase = traceIndex.phaseAt(i, position);
  const isWrong = traceIndex.overlaps.some(
    ({ process, from, to }) => process === i && from < position && (to < 0 || to >= position),
  );
  const colour = isWrong ? palette.wrong : palette.phases[phase];
  const isActing = position > 0 && traceIndex.events[position - 1]!.process === i;
  if (isActing && r > 3) halo(pen, x, y, r + Math.max(4, r * 0.3));
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = filledPhases.has(phase) ? colour : palette.background;
  context.fill();
  context.strokeStyle = colour;
  const isSelected = selection !== null && 'process' in selection && selection.process === i;
  context.lineWidth = isSelected ? 4 : phase === 'waiting' ? 3 : 2;
  if (r < 8) context.lineWidth = Math.max(1, r / 4);
  context.setLineDash(phase === 'waiting' && r > 5 ? [5, 4] : []);
  context.stroke();
  context.setLineDash([]);
  if (isSelected) outline(pen, x, y, r + 5);
  if (pen.dials && phase !== 'crashed' && r >= 6)
    drawClockFace(pen, { x, y }, r, pen.dials[i]!, `p${labels[i]}`);
  else if (r >= 9) drawLabel(pen, x, y, labels[i]!, phase);
  if (r >= 9 && glyphs[phase] !== '')
    badge(pen, x + r * 0.8, y - r * 0.8, isWrong ? '!' : glyphs[phase], colour);
  if (traceIndex.isPausedAt(i, position)) badge(pen, x - r * 0.8, y - r * 0.8, '‖', palette.foreground);
  if (hasToken(i)) drawToken(pen, x, y + r * 1.02, Math.max(4, r * 0.42));
}

function halo({ context, palette }: NetworkPen, x: number, y: number, r: number): void {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.globalAlpha = 0.22;
  context.fillStyle = palette.phases.leader;
  context.fill();
  context.globalAlpha = 1;
}

function outline({ context, palette }: NetworkPen, x: number, y: number, r: number): void {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.strokeStyle = palette.foreground;
  context.lineWidth = 1.5;
  context.stroke();
}

function drawLabel(
  { context, palette, radius }: NetworkPen,
  x: number,
  y: number,
  label: string,
  phase: ProcessPhase,
): void {
  context.fillStyle = filledPhases.has(phase) ? palette.background : palette.foreground;
  context.font = `600 ${Math.round(Math.min(17, radius * (label.length > 2 ? 0.62 : 0.82)))}px ${fontFamily}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(label, x, y + 0.5);
}

function badge(
  { context, palette, radius }: NetworkPen,
  x: number,
  y: number,
  glyph: string,
  colour: string,
): void {
  const r = Math.max(6, Math.min(10, radius * 0.45));
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = palette.background;
  context.fill();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = colour;
  context.font = `700 ${Math.round(r * 1.3)}px ${fontFamily}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(glyph, x, y + 0.5);
}

/** Draws the token as a baton. */
export function drawToken(
  { context, palette }: Pick<NetworkPen, 'context' | 'palette'>,
  x: number,
  y: number,
  r: number,
): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 5);
  context.beginPath();
  context.roundRect(-r * 1.7, -r * 0.62, r * 3.4, r * 1.24, r * 0.62);
  context.fillStyle = '#e69f00';
  context.fill();
  context.strokeStyle = palette.foreground;
  context.lineWidth = 1.5;
  context.stroke();
  context.beginPath();
  context.rect(-r * 0.5, -r * 0.62, r, r * 1.24);
  context.fillStyle = palette.foreground;
  context.fill();
  context.restore();
}

/** Places a message beside its link, to the right of its direction, so that two that cross do not hide each other. */
export function messagePosition(
  pen: Pick<NetworkPen, 'at' | 'radius' | 'state' | 'isToken'>,
  message: TracedMessage,
): LayoutPoint {
  const { at, radius, state } = pen;
  const [p, q] = [at(message.from), at(message.to)];
  const progress = state.spaceTime.progress(message, state.spaceTime.present(state.cursor));
  if (message.from === message.to) return { x: p.x + radius * 1.4, y: p.y - radius * 1.4 };
  const length = Math.hypot(q.x - p.x, q.y - p.y) || 1;
  const [ux, uy] = [(q.x - p.x) / length, (q.y - p.y) / length];
  const room = pen.isToken(message) ? radius * 0.8 + 6 : 6;
  const margin = Math.min(radius + room, length / 2.5);
  const along = margin + (length - 2 * margin) * progress;
  const side = Math.min(6, radius * 0.4);
  return { x: p.x + ux * along - uy * side, y: p.y + uy * along + ux * side };
}

function drawMessages(pen: NetworkPen, messages: readonly TracedMessage[]): void {
  const { context, kinds, palette, isToken, radius, selection } = pen;
  const r = Math.max(2.5, Math.min(7, radius * 0.34));
  const tokens = messages.filter(isToken);
  kinds.forEach((kind, k) => {
    const ofKind = messages.filter((message) => message.kind === kind && !tokens.includes(message));
    if (ofKind.length === 0) return;
    context.beginPath();
    for (const message of ofKind) {
      const { x, y } = messagePosition(pen, message);
      kindMarker(context, k, x, y, r);
    }
    context.fillStyle = messageStyle(palette, k, kind).colour;
    context.strokeStyle = palette.background;
    context.lineWidth = 1.5;
    context.fill();
    if (r > 3) context.stroke();
  });
  for (const message of tokens) {
    const { x, y } = messagePosition(pen, message);
    drawToken(pen, x, y, Math.max(4, radius * 0.42));
  }
  if (messages.length <= 24 && radius >= 14) drawTexts(pen, messages);
  const chosen =
    selection !== null && 'message' in selection
      ? messages.find(({ serial }) => serial === selection.message)
      : undefined;
  if (chosen) {
    const { x, y } = messagePosition(pen, chosen);
    outline(pen, x, y, r + 7);
  }
}

/** Writes texts on the same side of the link as their messages. */
function drawTexts(pen: NetworkPen, messages: readonly TracedMessage[]): void {
  const { context, kinds, palette, at } = pen;
  context.font = `12px ${fontFamily}`;
  context.textBaseline = 'middle';
  for (const message of messages) {
    const { x, y } = messagePosition(pen, message);
    const [p, q] = [at(message.from), at(message.to)];
    const isRight = p.y - q.y >= -1;
    const text = message.text.length > 18 ? message.kind : message.text;
    const [tx, ty] = [x + (isRight ? 12 : -12), y + (p.x <= q.x ? 9 : -9)];
    context.textAlign = isRight ? 'left' : 'right';
    context.strokeStyle = palette.background;
    context.lineWidth = 4;
    context.strokeText(text, tx, ty);
    context.fillStyle = messageStyle(palette, kinds.indexOf(message.kind), message.kind).colour;
    context.fillText(text, tx, ty);
  }
}

/** Returns the message, process or link drawn at a point of the canvas. */
export function hitTest(area: CanvasArea, view: NetworkView, x: number, y: number): LabSelection | null {
  const pen = networkPen(area, view);
  const near = (p: LayoutPoint, r: number) => Math.hypot(p.x - x, p.y - y) <= r;
  const messages = view.state.traceIndex.inFlightAt(Math.floor(view.state.cursor));
  const message = messages.findLast((one) => near(messagePosition(pen, one), 11));
  if (message) return { message: message.serial };
  const process = view.positions.findIndex((_, i) => near(pen.at(i), Math.max(8, pen.radius + 3)));
  if (process >= 0) return { process };
  const between = view.links.find(([a, b]) => distance(pen.at(a), pen.at(b), { x, y }) <= 6);
  return between ? { between } : null;
}

/** Returns the distance from a point to the line segment between two others. */
function distance(p: LayoutPoint, q: LayoutPoint, { x, y }: LayoutPoint): number {
  const [dx, dy] = [q.x - p.x, q.y - p.y];
  const t = Math.max(0, Math.min(1, ((x - p.x) * dx + (y - p.y) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p.x + t * dx - x, p.y + t * dy - y);
}
