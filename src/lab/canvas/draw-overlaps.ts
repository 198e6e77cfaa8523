import { gutterWidth, type SpaceTimePen } from './spacetime-pen.ts';

const spacing = 7; // of the hatching, in pixels

/** Hatches the lanes of processes that are inside at the same time. An overlap at the end of the run reaches one unit beyond it. */
export function drawOverlaps(pen: SpaceTimePen): void {
  const { traceIndex, spaceTime, lanes, present, x } = pen;
  const isEnd = pen.position === traceIndex.events.length;
  const shownUpTo = isEnd ? spaceTime.width + 1 : present;
  for (const { process, from, to } of traceIndex.overlaps) {
    if (process < lanes[0] || process > lanes[1]) continue;
    const [begin, end] = [spaceTime.x(from), to < 0 ? spaceTime.width + 1 : spaceTime.x(to)];
    hatch(pen, process, x(begin), x(Math.min(end, shownUpTo)), 1);
    hatch(pen, process, x(Math.max(begin, shownUpTo)), x(end), 0.3);
  }
}

function hatch(pen: SpaceTimePen, process: number, from: number, to: number, alpha: number): void {
  const { context, palette, width, y, lane } = pen;
  const [left, right] = [Math.max(from, gutterWidth), Math.min(to, width)];
  if (left >= right) return;
  const height = Math.min(lane * 0.7, 26);
  const top = y(process) - height / 2;
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, height);
  context.clip();
  context.globalAlpha = alpha * 0.3;
  context.fillStyle = palette.background;
  context.fillRect(left, top, right - left, height);
  context.globalAlpha = alpha;
  context.strokeStyle = palette.wrong;
  context.lineWidth = 2;
  context.strokeRect(from, top, to - from, height);
  context.beginPath();
  const start = left - ((left - from) % spacing) - height;
  for (let at = start; at < right; at += spacing) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
  context.restore();
}
