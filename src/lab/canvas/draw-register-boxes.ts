// Registers below the processes that share them, and the access that was made last.
import {
  type LaneAccess,
  type LayoutPoint,
  messageStyle,
  type RegisterHistory,
} from '../../diagram/index.ts';
import {
  fitViewport,
  maxProcessRadius,
  type NetworkPen,
  type NetworkView,
  networkPen,
  type Viewport,
} from './draw-network.ts';
import { arrowhead, type CanvasArea, fontFamily } from './primitives.ts';

/** Where everything is in the unit square. */
export interface MemoryLayout {
  readonly processes: readonly LayoutPoint[];
  readonly registers: readonly LayoutPoint[]; // their middles
  readonly cell: { readonly width: number; readonly height: number }; // that each has to itself
}

const widest = 12; // processes that stand side by side, if there are not too many

/** Processes on top; then a row for each array, what belongs to a process below it; then what stands alone. */
export function layoutMemory(n: number, registers: readonly string[]): MemoryLayout {
  const groups = [n, ...sizesOf(registers)];
  const longest = Math.max(...groups);
  const columns = longest <= widest ? longest : Math.ceil(Math.sqrt(1.5 * (n + registers.length)));
  const rows = groups.flatMap((size) =>
    Array.from({ length: Math.ceil(size / columns) }, (_, k) => Math.min(columns, size - k * columns)),
  );
  const places = rows.flatMap((size, row) =>
    Array.from({ length: size }, (_, k) => ({
      x: (k + 0.5 + (columns - size) / 2) / columns,
      y: row / Math.max(1, rows.length - 1),
    })),
  );
  const cell = { width: 1 / columns, height: 1 / Math.max(1, rows.length - 1) };
  return { processes: places.slice(0, n), registers: places.slice(n), cell };
}

const buttons = { width: 116, height: 26 }; // that zoom, over a corner of the picture

/** All of it; below the buttons, if a process were behind them otherwise. */
export function fitMemoryViewport(width: number, height: number, { processes }: MemoryLayout): Viewport {
  const frame = fitViewport(width, height, false);
  const right = Math.max(...processes.map(({ x }) => x)) * frame.scaleX + frame.x;
  if (right + maxProcessRadius < width - buttons.width) return frame;
  const lower = fitViewport(width, height - buttons.height, false);
  return { ...lower, y: lower.y + buttons.height };
}

/** `choosing` of `choosing[2]`; nothing of what stands alone. */
const arrayOf = (register: string): string => /^(.*)\[/.exec(register)?.[1] ?? '';

/** How many registers follow each other that belong together. */
function sizesOf(registers: readonly string[]): number[] {
  const arrays = registers.map(arrayOf);
  const sizes: number[] = [];
  arrays.forEach((array, k) => {
    if (k > 0 && array === arrays[k - 1]) sizes[sizes.length - 1]! += 1;
    else sizes.push(1);
  });
  return sizes;
}

/** What stands below the box of a register, and beside it. */
export interface RegisterLabel {
  readonly below: string;
  readonly beside: string;
}

/** Whole names, if there is room for the longest; else an array is named once, at its first box, and boxes have their index. */
export function registerLabels(
  registers: readonly string[],
  hasRoomFor: (text: string) => boolean,
): RegisterLabel[] {
  const longest = registers.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (hasRoomFor(longest)) return registers.map((below) => ({ below, beside: '' }));
  return registers.map((name, k) => {
    const array = arrayOf(name);
    const isFirst = k === 0 || arrayOf(registers[k - 1]!) !== array;
    return { below: name.slice(array.length), beside: isFirst ? array : '' };
  });
}

interface MemoryPen extends NetworkPen {
  readonly registers: RegisterHistory;
  readonly middle: (register: number) => LayoutPoint; // in pixels
  readonly box: { readonly width: number; readonly height: number };
}

const small = `12px ${fontFamily}`;
const legible = 12; // height of a box in which something is written

export function drawMemory(
  area: CanvasArea,
  view: NetworkView,
  { registers: places, cell }: MemoryLayout,
  registers: RegisterHistory,
): void {
  const { viewport, state } = view;
  const { scaleX, scaleY } = viewport;
  const box = {
    width: Math.min(76, 0.78 * scaleX * cell.width),
    height: Math.min(34, 0.42 * scaleY * cell.height),
  };
  const middle = (k: number) => ({
    x: places[k]!.x * scaleX + viewport.x,
    y: places[k]!.y * scaleY + viewport.y,
  });
  const hasRoomFor = (text: string): boolean => {
    area.context.font = small;
    return area.context.measureText(text).width + 6 <= scaleX * cell.width;
  };
  const names = box.height < legible ? [] : registerLabels(registers.names, hasRoomFor);
  const pen: MemoryPen = { ...networkPen(area, view), registers, middle, box };
  const position = Math.floor(state.cursor);
  const event = state.traceIndex.events[position - 1];
  const touched = event ? registers.accessesOf(event) : [];
  const lookFor = (k: number) => {
    const touch = touched.find(({ register }) => register === k);
    return touch ? messageStyle(view.palette, kindIndex(view, touch.kind)) : null;
  };
  pen.context.lineJoin = 'round'; // or the halo of a bracket has spikes
  const courses = touched.map((touch) => ({
    touch,
    course: accessCurve(pen, event!.process, touch.register),
  }));
  for (const { touch, course } of courses) drawAccess(pen, course, touch);
  for (let k = 0; k < places.length; k += 1) drawRegister(pen, k, position, lookFor(k)?.colour ?? null);
  names.forEach((label, k) => {
    drawLabel(pen, middle(k), label);
  });
  for (const { touch, course } of courses) drawAccessText(pen, course, touch);
}

const kindIndex = ({ kinds }: NetworkView, kind: string): number =>
  kinds.indexOf(kind === 'read' ? 'read' : 'write');

function drawRegister(pen: MemoryPen, k: number, position: number, colour: string | null): void {
  const { context, palette, registers, middle, box } = pen;
  const { x, y } = middle(k);
  const value = registers.valueAt(k, position);
  context.beginPath();
  context.roundRect(
    x - box.width / 2,
    y - box.height / 2,
    box.width,
    box.height,
    Math.min(5, box.height / 5),
  );
  context.fillStyle = palette.background;
  context.fill();
  context.strokeStyle = colour ?? palette.phases.idle;
  context.lineWidth = colour === null ? 1.3 : 2.8;
  context.stroke();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  if (box.height < legible) return;
  context.font = `600 ${Math.round(Math.min(17, box.height * 0.55))}px ${fontFamily}`;
  context.fillStyle = palette.foreground;
  context.fillText(`${value}`, x, y + 0.5);
}

/** The name of an array is left of its first box, or above if it does not fit there. Between small boxes there is no room. */
function drawLabel(
  { context, palette, box }: MemoryPen,
  { x, y }: LayoutPoint,
  { below, beside }: RegisterLabel,
): void {
  context.font = small;
  context.strokeStyle = palette.background;
  context.fillStyle = palette.muted;
  context.lineWidth = 4;
  const write = (text: string, left: number, middle: number) => {
    context.strokeText(text, left, middle);
    context.fillText(text, left, middle);
  };
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const isRoomy = box.height >= 22 && box.width >= 22;
  if (isRoomy) write(below, x - context.measureText(below).width / 2, y + box.height / 2 + 11);
  context.font = `11px ${fontFamily}`;
  const edge = x - box.width / 2;
  const left = edge - 6 - context.measureText(beside).width;
  if (left >= 2) write(beside, left, y + 0.5);
  else if (isRoomy) write(beside, edge, y - box.height / 2 - 10);
}

/** From a process to the box of a register. */
interface AccessCurve {
  readonly start: LayoutPoint;
  readonly bend: LayoutPoint;
  readonly end: LayoutPoint;
}

/** Around what stands between the two. */
function accessCurve({ at, middle, radius, box }: MemoryPen, process: number, register: number): AccessCurve {
  const [p, q] = [at(process), middle(register)];
  const isBelow = Math.abs(p.x - q.x) < box.width / 2;
  const bend = { x: (p.x + q.x) / 2 + (isBelow ? box.width * 0.95 : 0), y: (p.y + q.y) / 2 };
  const away = (radius + 4) / (Math.hypot(bend.x - p.x, bend.y - p.y) || 1);
  const start = { x: p.x + (bend.x - p.x) * away, y: p.y + (bend.y - p.y) * away };
  return { start, bend, end: { x: q.x, y: q.y - box.height / 2 - 3 } };
}

function drawAccess(pen: MemoryPen, { start, bend, end }: AccessCurve, { kind }: LaneAccess): void {
  const { context, palette } = pen;
  const { colour, dashes } = messageStyle(palette, kindIndex(pen, kind));
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 2.2;
  context.setLineDash(dashes as number[]);
  context.beginPath();
  context.moveTo(start.x, start.y);
  context.quadraticCurveTo(bend.x, bend.y, end.x, end.y);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  const to = kind === 'read' ? start : end;
  arrowhead(context, bend.x, bend.y, to.x, to.y, 11);
  context.fill();
}

/** Near the process: registers may lie along the way. */
function drawAccessText(
  pen: MemoryPen,
  { start, bend, end }: AccessCurve,
  { kind, value }: LaneAccess,
): void {
  const { context, palette, radius } = pen;
  if (radius < 12) return;
  const along = (a: number, b: number, c: number) => 0.5625 * a + 0.375 * b + 0.0625 * c; // a quarter of the way
  const isRight = bend.x >= start.x;
  const x = along(start.x, bend.x, end.x) + (isRight ? 10 : -10);
  const y = along(start.y, bend.y, end.y);
  const text = `${kind} ${value}`;
  context.font = `600 13px ${fontFamily}`;
  context.textAlign = isRight ? 'left' : 'right';
  context.textBaseline = 'middle';
  context.strokeStyle = palette.background;
  context.lineWidth = 4;
  context.strokeText(text, x, y);
  context.fillStyle = messageStyle(palette, kindIndex(pen, kind)).colour;
  context.fillText(text, x, y);
}
