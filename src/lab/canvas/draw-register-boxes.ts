// Registers below the processes that share them, and the latest access.
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

/** Positions in the unit square. */
export interface MemoryLayout {
  readonly processes: readonly LayoutPoint[];
  readonly registers: readonly LayoutPoint[]; // centres of their boxes
  readonly cell: { readonly width: number; readonly height: number }; // reserved for each process or register
}

const maxColumns = 12; // longer rows are folded

/** Lays out the processes on top, then a row per array, with the element of each process below it, then single registers. */
export function layoutMemory(n: number, registers: readonly string[]): MemoryLayout {
  const groups = [n, ...sizesOf(registers)];
  const longest = Math.max(...groups);
  const columns = longest <= maxColumns ? longest : Math.ceil(Math.sqrt(1.5 * (n + registers.length)));
  const rows = groups.flatMap((size) =>
    Array.from({ length: Math.ceil(size / columns) }, (_, k) => Math.min(columns, size - k * columns)),
  );
  const positions = rows.flatMap((size, row) =>
    Array.from({ length: size }, (_, k) => ({
      x: (k + 0.5 + (columns - size) / 2) / columns,
      y: row / Math.max(1, rows.length - 1),
    })),
  );
  const cell = { width: 1 / columns, height: 1 / Math.max(1, rows.length - 1) };
  return { processes: positions.slice(0, n), registers: positions.slice(n), cell };
}

const zoomButtons = { width: 116, height: 26 }; // over a corner of the canvas

/** Fits the whole memory into the canvas, below the zoom buttons if they would hide a process. */
export function fitMemoryViewport(width: number, height: number, { processes }: MemoryLayout): Viewport {
  const viewport = fitViewport(width, height, false);
  const right = Math.max(...processes.map(({ x }) => x)) * viewport.scaleX + viewport.x;
  if (right + maxProcessRadius < width - zoomButtons.width) return viewport;
  const lower = fitViewport(width, height - zoomButtons.height, false);
  return { ...lower, y: lower.y + zoomButtons.height };
}

/** Returns `choosing` for `choosing[2]`, and an empty string for a single register. */
const arrayOf = (register: string): string => /^(.*)\[/.exec(register)?.[1] ?? '';

/** Returns the lengths of the arrays, in order; a single register counts as one. */
function sizesOf(registers: readonly string[]): number[] {
  const arrays = registers.map(arrayOf);
  const sizes: number[] = [];
  arrays.forEach((array, k) => {
    if (k > 0 && array === arrays[k - 1]) sizes[sizes.length - 1]! += 1;
    else sizes.push(1);
  });
  return sizes;
}

/** The texts below and beside the box of a register. */
export interface RegisterLabel {
  readonly below: string;
  readonly beside: string;
}

/** Returns whole names if the longest fits. Otherwise names each array once, at its first box, and boxes show their index. */
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
const legibleHeight = 12; // smaller boxes have no text

export function drawMemory(
  area: CanvasArea,
  view: NetworkView,
  { registers: positions, cell }: MemoryLayout,
  registers: RegisterHistory,
): void {
  const { viewport, state } = view;
  const { scaleX, scaleY } = viewport;
  const box = {
    width: Math.min(76, 0.78 * scaleX * cell.width),
    height: Math.min(34, 0.42 * scaleY * cell.height),
  };
  const middle = (k: number) => ({
    x: positions[k]!.x * scaleX + viewport.x,
    y: positions[k]!.y * scaleY + viewport.y,
  });
  const hasRoomFor = (text: string): boolean => {
    area.context.font = small;
    return area.context.measureText(text).width + 6 <= scaleX * cell.width;
  };
  const names = box.height < legibleHeight ? [] : registerLabels(registers.names, hasRoomFor);
  const pen: MemoryPen = { ...networkPen(area, view), registers, middle, box };
  const position = Math.floor(state.cursor);
  const event = state.traceIndex.events[position - 1];
  const accessed = event ? registers.accessesOf(event) : [];
  const styleOf = (k: number) => {
    const access = accessed.find(({ register }) => register === k);
    return access ? messageStyle(view.palette, kindIndex(view, access.kind)) : null;
  };
  pen.context.lineJoin = 'round'; // avoids spikes in the halo of a bracket
  const curves = accessed.map((access) => ({
    access,
    curve: accessCurve(pen, event!.process, access.register),
  }));
  for (const { access, curve } of curves) drawAccess(pen, curve, access);
  for (let k = 0; k < positions.length; k += 1) drawRegister(pen, k, position, styleOf(k)?.colour ?? null);
  names.forEach((label, k) => {
    drawLabel(pen, middle(k), label);
  });
  for (const { access, curve } of curves) drawAccessText(pen, curve, access);
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
  if (box.height < legibleHeight) return;
  context.font = `600 ${Math.round(Math.min(17, box.height * 0.55))}px ${fontFamily}`;
  context.fillStyle = palette.foreground;
  context.fillText(`${value}`, x, y + 0.5);
}

/** Writes the name of an array to the left of its first box, or above it. Small boxes leave no room above or below. */
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

/** A curve from a process to the box of a register. */
interface AccessCurve {
  readonly start: LayoutPoint;
  readonly bend: LayoutPoint;
  readonly end: LayoutPoint;
}

/** Bends the curve around the boxes between the process and the register. */
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

/** Writes the text near the process, because the curve may cross other registers. */
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
