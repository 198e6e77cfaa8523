import type { Pid } from '../core/algorithm.ts';
import type { Palette } from './palette.ts';
import type { SpaceTimeLayout } from './spacetime-layout.ts';
import type { TracedMessage, TraceIndex } from './trace-index.ts';

/** What the parts of an SVG diagram share. */
export interface SvgDrawing {
  readonly traceIndex: TraceIndex;
  readonly space: SpaceTimeLayout;
  readonly position: number;
  readonly present: number;
  readonly kinds: readonly string[];
  readonly palette: Palette;
  readonly x: (units: number) => number;
  readonly y: (process: Pid) => number;
}

export const round = (value: number): number => Math.round(value * 10) / 10;

/** The ends of the arrow of a message, and whether the message has arrived or was lost. */
export function arrowCourse({ space, position, present, x, y }: SvgDrawing, message: TracedMessage) {
  const { from, to, sent, ended } = message;
  const isThere = ended >= 0 && ended < position;
  const [x1, y1] = [x(space.x(sent)), y(from)];
  const part = isThere ? 1 : space.progress(message, present);
  const x2 = isThere ? x(space.x(ended)) : x(present);
  return { x1, y1, x2, y2: round(isThere ? y(to) : y1 + (y(to) - y1) * part), isThere };
}
