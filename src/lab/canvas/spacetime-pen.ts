import type {
  CausalCone,
  Cut,
  Palette,
  SpaceTimeLayout,
  TracedMessage,
  TraceIndex,
} from '../../diagram/index.ts';
import type { CanvasArea } from './primitives.ts';

export interface SpaceTimeView {
  readonly spaceTime: SpaceTimeLayout;
  readonly kinds: readonly string[];
  readonly palette: Palette;
  readonly names: (process: number) => string;
  readonly position: number;
  readonly cursor: number;
  readonly hovered: number | null;
  readonly selected: number | null; // a process
  readonly unit: number; // in pixels
  readonly lane: number;
  readonly left: number; // scroll offset
  readonly top: number;
  readonly cut?: Cut | null; // of a snapshot
  readonly delays?: DelayMarks; // drawn if given
  readonly timeText?: (units: number) => string; // defaults to the number of units
}

/** How the synchronisation delays of a lock are labelled and judged. */
export interface DelayMarks {
  readonly text: (ticks: number) => string;
  readonly isBroken: (ticks: number) => boolean; // a bound of the paper
}

export const gutterWidth = 84;
export const axisHeight = 26;

export interface SpaceTimePen extends CanvasArea, SpaceTimeView {
  readonly traceIndex: TraceIndex;
  readonly cone: CausalCone | null;
  readonly x: (units: number) => number;
  readonly y: (process: number) => number;
  readonly lanes: readonly [number, number]; // visible
  readonly present: number; // in units
}

/** Returns the end of an arrow: at the receiver, or on the way if the arrival is not known. */
export function arrowEnd(
  { spaceTime, x, y, present }: SpaceTimePen,
  message: TracedMessage,
): [number, number] {
  if (message.ended >= 0) return [x(spaceTime.x(message.ended)), y(message.to)];
  const progress = spaceTime.progress(message, present);
  return [x(present), y(message.from) + (y(message.to) - y(message.from)) * progress];
}
