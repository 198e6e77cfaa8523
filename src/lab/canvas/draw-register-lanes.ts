// The lanes of registers in the space-time diagram, below those of the processes.
import { type LaneAccess, messageStyle } from '../../diagram/index.ts';
import { arrowhead, fontFamily } from './primitives.ts';
import { gutterWidth, type SpaceTimePen } from './spacetime-pen.ts';

/** Returns the indices of the visible registers. */
function visibleRegisters({ traceIndex, top, lane, height }: SpaceTimePen): number[] {
  const { n, registers } = traceIndex;
  const first = Math.max(0, Math.floor(top / lane) - n - 1);
  const last = Math.min(registers.names.length, Math.ceil((top + height) / lane) - n + 1);
  return Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k);
}

export function drawRegisterLanes(pen: SpaceTimePen, from: number, to: number): void {
  const { context, traceIndex, spaceTime, palette, x, y } = pen;
  if (traceIndex.registers.names.length === 0) return;
  context.strokeStyle = palette.line;
  context.lineWidth = 1.2;
  context.setLineDash([1, 4]);
  context.beginPath();
  for (const k of visibleRegisters(pen)) {
    context.moveTo(x(Math.max(0, from)), y(traceIndex.n + k));
    context.lineTo(x(Math.min(to, spaceTime.width + 1)), y(traceIndex.n + k));
  }
  context.stroke();
  context.setLineDash([]);
}

/** Draws a write as an arrow down to its register, and a read as an arrow up to its process. */
export function drawAccesses(pen: SpaceTimePen, points: readonly number[]): void {
  const { context, traceIndex, cone } = pen;
  const alpha = context.globalAlpha;
  for (const index of points) {
    const isBeside = cone !== null && traceIndex.relation(cone, index) === 'beside';
    context.globalAlpha = isBeside ? alpha * 0.14 : alpha;
    for (const access of traceIndex.registers.accessesOf(traceIndex.events[index]!))
      drawRegisterAccess(pen, index, access);
  }
  context.globalAlpha = alpha;
}

const accessStyle = ({ palette, kinds }: SpaceTimePen, { kind }: LaneAccess) =>
  messageStyle(palette, kinds.indexOf(kind === 'read' ? 'read' : 'write'));

function drawRegisterAccess(pen: SpaceTimePen, index: number, access: LaneAccess): void {
  const { kind, register, value } = access;
  const { context, traceIndex, spaceTime, palette, unit, position, x, y } = pen;
  const { colour, dashes } = accessStyle(pen, access);
  const [at, above, below] = [
    x(spaceTime.x(index)),
    y(traceIndex.events[index]!.process),
    y(traceIndex.n + register),
  ];
  const [from, to] = kind === 'read' ? [below, above + 5] : [above, below - 1];
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = unit < 8 ? 1 : 1.5;
  context.setLineDash(unit < 8 ? [] : (dashes as number[]));
  context.beginPath();
  context.moveTo(at, from);
  context.lineTo(at, to);
  context.stroke();
  context.setLineDash([]);
  if (unit < 5) return;
  context.beginPath();
  arrowhead(context, at, from, at, to, 9);
  context.fill();
  if (unit < 12 || index === position - 1) return; // the latest access shows the value of the register
  context.font = `11px ${fontFamily}`;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.strokeStyle = palette.background;
  context.lineWidth = 3;
  context.strokeText(`${value}`, at + 5, below - 5);
  context.fillText(`${value}`, at + 5, below - 5);
}

/** Draws the current value of each register at the present, and the latest access above the lanes. */
export function drawRegisterValues(pen: SpaceTimePen): void {
  const { context, traceIndex, palette, present, position, x, y } = pen;
  const { n, registers, events } = traceIndex;
  if (registers.names.length === 0 || x(present) < gutterWidth) return;
  const accessed = position > 0 ? registers.accessesOf(events[position - 1]!) : [];
  for (const access of accessed) drawLastAccess(pen, access);
  context.font = `600 12px ${fontFamily}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const k of visibleRegisters(pen)) {
    const text = `${registers.valueAt(k, position)}`;
    const [left, middle] = [x(present) + 6, y(n + k)];
    context.fillStyle = palette.background;
    context.beginPath();
    context.roundRect(left, middle - 9, context.measureText(text).width + 10, 18, 4);
    context.fill();
    const access = accessed.find(({ register }) => register === k);
    context.strokeStyle = access ? accessStyle(pen, access).colour : palette.line;
    context.lineWidth = access ? 2 : 1;
    context.stroke();
    context.fillStyle = palette.foreground;
    context.fillText(text, left + 5, middle + 0.5);
  }
}

function drawLastAccess(pen: SpaceTimePen, access: LaneAccess): void {
  const { context, traceIndex, palette, position, spaceTime, x, y } = pen;
  const [at, from] = [x(spaceTime.x(position - 1)), y(traceIndex.events[position - 1]!.process) + 10];
  context.strokeStyle = palette.background;
  context.lineWidth = 5;
  context.beginPath();
  context.moveTo(at, from);
  context.lineTo(at, y(traceIndex.n + access.register));
  context.stroke();
  drawRegisterAccess(pen, position - 1, access);
}

export function drawRegisterNames(pen: SpaceTimePen): void {
  const { context, traceIndex, palette, lane, y } = pen;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.font = `${lane < 20 ? 10.5 : 12}px ${fontFamily}`;
  context.fillStyle = palette.muted;
  for (const k of visibleRegisters(pen))
    context.fillText(traceIndex.registers.names[k]!, gutterWidth - 12, y(traceIndex.n + k), gutterWidth - 16);
}
