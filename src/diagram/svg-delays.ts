import { type DelayInterval, delayText } from './delays.ts';
import { round, type SvgDrawing } from './svg-drawing.ts';

const rail = 34; // height of the brackets, above the lanes
const hook = 5; // length of the ends of a bracket
const least = 10; // narrower brackets are left out

/** The delays that have ended at the position. */
export const shownDelays = ({ traceIndex, position }: SvgDrawing): DelayInterval[] =>
  traceIndex.delays.filter(({ to }) => to < position);

/** Draws each synchronisation delay as a bracket above the lanes. Dotted lines lead down to the release and to the entry. */
export const delayBrackets = (draw: SvgDrawing, messageTime: number | null): string[] =>
  shownDelays(draw).flatMap(({ from, to, ticks }) => {
    const { traceIndex, space, palette, x, y } = draw;
    const [left, right] = [x(space.x(from)), x(space.x(to))];
    if (right - left < least) return [];
    const text = delayText(ticks, messageTime);
    const half = text.length * 2.9 + 3;
    const middle = round((left + right) / 2);
    const fits = right - left > 2 * half + 6;
    const top = fits ? `H${round(middle - half)}M${round(middle + half)} ${rail}H${right}` : `H${right}`;
    const ends = `M${left} ${rail + hook}V${rail}${top}V${rail + hook}`;
    const guide = (at: number, event: number) =>
      `<path d='M${at} ${rail + hook}V${y(traceIndex.events[event]!.process)}' stroke='${palette.line}' stroke-width='1' stroke-dasharray='1 3'/>`;
    const label = `<text x='${middle}' y='${rail + 3.5}' font-size='10' text-anchor='middle' fill='${palette.muted}'>${text}</text>`;
    return [
      `<g class='delay'>${guide(left, from)}${guide(right, to)}<path d='${ends}' fill='none' stroke='${palette.muted}' stroke-width='1'/>${fits ? label : ''}</g>`,
    ];
  });

/** The bracket in the legend. */
export const delaySwatch = ({ palette }: SvgDrawing, x: number, y: number): string =>
  `<path d='M${x} ${y + 3}v-${hook}h26v${hook}' fill='none' stroke='${palette.muted}' stroke-width='1'/>`;
