import type { Pid } from '../core/algorithm.ts';
import { type Cut, cutSegments } from './cut.ts';
import { arrowCourse, type SvgDrawing } from './svg-drawing.ts';
import type { TracedMessage } from './trace-index.ts';

const beyond = 18; // pixels above the first lane and below the last

/** The corners of the line through a segment, from above its first lane to below its last. */
function corners({ space, x, y }: SvgDrawing, { at }: Cut, segment: readonly Pid[]) {
  const points = segment.map((i) => ({ x: x(space.x(at[i]!)), y: y(i) }));
  const [first, last] = [points[0]!, points.at(-1)!];
  return [{ x: first.x, y: first.y - beyond }, ...points, { x: last.x, y: last.y + beyond }];
}

/** Tints the past of the cut and the messages across it, below everything else. */
export function cutPast(draw: SvgDrawing, cut: Cut): string[] {
  const { palette, x } = draw;
  const tints = cutSegments(cut).map((segment) => {
    const line = corners(draw, cut, segment);
    const path = line.map((point) => `L${point.x} ${point.y}`).join('');
    return `<path d='M${x(0)} ${line[0]!.y}${path}L${x(0)} ${line.at(-1)!.y}Z' fill='${palette.cut}' fill-opacity='0.07'/>`;
  });
  const broad = (colour: string) => (message: TracedMessage) => {
    const { x1, y1, x2, y2 } = arrowCourse(draw, message);
    return `<path d='M${x1} ${y1}L${x2} ${y2}' stroke='${colour}' stroke-opacity='0.3' stroke-width='9' stroke-linecap='round'/>`;
  };
  return [...tints, ...cut.inTransit.map(broad(palette.cut)), ...cut.inconsistent.map(broad(palette.wrong))];
}

export function cutLine(draw: SvgDrawing, cut: Cut): string[] {
  const { palette } = draw;
  return cutSegments(cut).flatMap((segment) => {
    const line = corners(draw, cut, segment);
    const path = line.map((point) => `${point.x} ${point.y}`).join('L');
    const rings = line
      .slice(1, -1)
      .map((point) => `<circle cx='${point.x}' cy='${point.y}' r='8.5' fill='${palette.background}'/>`);
    return [
      `<g fill='none' stroke='${palette.cut}' stroke-width='3' stroke-linejoin='round'><path d='M${path}'/>${rings.join('')}</g>`,
    ];
  });
}

/** Labels the cut, and every message that makes it inconsistent. */
export function cutLabels(draw: SvgDrawing, cut: Cut): string[] {
  const { palette } = draw;
  const halo = `paint-order='stroke' stroke='${palette.background}' stroke-width='3'`;
  const text = (x: number, y: number, colour: string, content: string, anchor = 'start') =>
    `<text x='${x}' y='${y}' font-size='11' font-weight='600' text-anchor='${anchor}' fill='${colour}' ${halo}>${content}</text>`;
  const top = corners(draw, cut, cutSegments(cut)[0]!)[0]!;
  return [
    text(top.x, top.y - 2, palette.cut, 'the cut', 'middle'),
    ...cut.inconsistent.map((message) => {
      const { x2, y2 } = arrowCourse(draw, message);
      const x = Math.min(x2, draw.x(draw.present) - 40);
      return text(x, y2 + 18, palette.wrong, 'from the future into the past', 'middle');
    }),
  ];
}
