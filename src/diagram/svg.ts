import type { Pid } from '../core/algorithm.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { Chronicle, Phase, Sent } from './chronicle.ts';
import { light, lookOf, type Palette } from './palette.ts';
import { SpaceTime, type Spacing } from './spacetime.ts';

export interface SvgOptions {
  readonly title: string;
  readonly names: readonly string[]; // of the lanes
  readonly kinds: readonly string[]; // of messages, in the order of their colours
  readonly position?: number; // draw what has happened by then; all if left out
  readonly spacing?: Spacing;
  readonly palette?: Palette;
}

const lane = 46;
const margin = { left: 78, right: 34, top: 52 };
const font = "font-family='Inter, Segoe UI, Helvetica, Arial, sans-serif'";

/** The space-time diagram of a run as a document of its own. */
export function spaceTimeSvg(chronicle: Chronicle, options: SvgOptions): string {
  const { title, names, kinds, spacing = 'even', palette = light } = options;
  const position = Math.min(options.position ?? chronicle.events.length, chronicle.events.length);
  const space = new SpaceTime(chronicle, spacing);
  const present = space.present(position);
  const unit = unitOf(spacing, present);
  const x = (units: number) => round(margin.left + units * unit);
  const y = (process: Pid) => margin.top + process * lane;
  const width = Math.max(320, x(present) + margin.right, legendWidth(kinds), margin.left + 9 * title.length);
  const height = margin.top + (chronicle.n - 1) * lane + 40 + legendHeight(kinds);
  const draw: Drawing = { chronicle, space, position, present, kinds, palette, x, y };
  const labelled = position <= 120;
  const body = [
    `<title>${escaped(title)}</title>`,
    `<rect width='${width}' height='${height}' fill='${palette.paper}'/>`,
    `<text x='${margin.left}' y='22' font-size='15' font-weight='600' fill='${palette.ink}'>${escaped(title)}</text>`,
    ...names.slice(0, chronicle.n).map((name, i) => laneName(draw, name, i)),
    ...names.slice(0, chronicle.n).flatMap((_, i) => laneLines(draw, i)),
    ...chronicleArrows(draw).map((message) => arrow(draw, message, labelled)),
    ...chronicle.events.slice(0, position).map((event, index) => point(draw, event, index)),
    ...legend(draw, height),
  ];
  const size = `width='${width}' height='${height}' viewBox='0 0 ${width} ${height}'`;
  return `<svg xmlns='http://www.w3.org/2000/svg' ${size} ${font}>\n${body.join('\n')}\n</svg>\n`;
}

interface Drawing {
  readonly chronicle: Chronicle;
  readonly space: SpaceTime;
  readonly position: number;
  readonly present: number;
  readonly kinds: readonly string[];
  readonly palette: Palette;
  readonly x: (units: number) => number;
  readonly y: (process: Pid) => number;
}

/** Pixels: events a step apart can be told; a run in virtual time is as wide as a page or two. */
const unitOf = (spacing: Spacing, width: number): number =>
  spacing === 'even' ? 30 : Math.min(40, Math.max(6, 1600 / Math.max(1, width)));

const round = (value: number): number => Math.round(value * 10) / 10;

export const escaped = (content: string): string =>
  content.replace(/[&<>'"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const laneName = ({ palette, y }: Drawing, name: string, i: Pid): string =>
  `<text x='${margin.left - 14}' y='${y(i) + 4.5}' font-size='13' text-anchor='end' fill='${palette.ink}'>${escaped(name)}</text>`;

const strokes: Readonly<Record<Phase, { width: number; dashes: string } | null>> = {
  idle: { width: 1.2, dashes: '' },
  waiting: { width: 2.5, dashes: '5 4' },
  inside: { width: 8, dashes: '' },
  leader: { width: 5, dashes: '' },
  follower: { width: 2, dashes: '' },
  crashed: null,
};

/** A lane is thick while its process is inside, dashed while it waits, and gone while it is crashed. */
function laneLines({ chronicle, space, position, present, palette, x, y }: Drawing, i: Pid): string[] {
  const lines: string[] = [];
  let [from, phase] = [0, chronicle.phaseAfter(i, 0)];
  const draw = (to: number) => {
    const stroke = strokes[phase];
    if (stroke === null || to <= from) return;
    const dashed = stroke.dashes === '' ? '' : ` stroke-dasharray='${stroke.dashes}'`;
    const colour = phase === 'idle' ? palette.line : palette.phases[phase];
    lines.push(
      `<path d='M${x(from)} ${y(i)}H${x(to)}' stroke='${colour}' stroke-width='${stroke.width}'${dashed}/>`,
    );
  };
  chronicle.ofProcess[i]!.forEach((event, k) => {
    const next = chronicle.phaseAfter(i, k + 1);
    if (event >= position || next === phase) return;
    draw(space.x(event));
    [from, phase] = [space.x(event), next];
  });
  draw(present);
  return lines;
}

const chronicleArrows = ({ chronicle, position }: Drawing): Sent[] =>
  [...chronicle.messages.values()].filter(({ sent }) => sent < position);

function arrow(
  { space, position, present, kinds, palette, x, y }: Drawing,
  message: Sent,
  labelled: boolean,
): string {
  const { from, to, sent, ended, lost, kind, text } = message;
  const { colour, dashes } = lookOf(palette, kinds.indexOf(kind));
  const [x1, y1] = [x(space.x(sent)), y(from)];
  const isThere = ended >= 0 && ended < position;
  const part = isThere ? 1 : space.progress(message, present);
  const end = isThere ? x(space.x(ended)) : x(present);
  const y2 = round(isThere ? y(to) : y1 + (y(to) - y1) * part);
  const dashed = dashes.length === 0 ? '' : ` stroke-dasharray='${dashes.join(' ')}'`;
  const path =
    from === to
      ? `M${x1} ${y1}Q${round((x1 + end) / 2)} ${y1 - 34} ${end} ${y2}`
      : `M${x1} ${y1}L${end} ${y2}`;
  const line = `<path d='${path}' fill='none' stroke='${colour}' stroke-width='1.6'${dashed}/>`;
  const tip =
    lost && isThere
      ? cross(end, y2, colour)
      : head({ x: x1, y: from === to ? y1 - 34 : y1 }, { x: end, y: y2 }, colour);
  const label =
    labelled && isThere
      ? `<text x='${round(x1 + (end - x1) * 0.5 + 5)}' y='${round(y1 + (y2 - y1) * 0.5 - 3)}' font-size='9.5' fill='${colour}'>${escaped(text)}</text>`
      : '';
  return `<g>${line}${tip}${label}</g>`;
}

/** The tip of an arrow, short of the point it leads to. */
export function head(from: { x: number; y: number }, to: { x: number; y: number }, colour: string): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.sqrt(dx * dx + dy * dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const at = (back: number, side: number) =>
    `${round(to.x - ux * back - uy * side)} ${round(to.y - uy * back + ux * side)}`;
  return `<path d='M${at(3, 0)}L${at(12, 4)}L${at(12, -4)}Z' fill='${colour}'/>`;
}

const cross = (x: number, y: number, colour: string): string =>
  `<path d='M${round(x - 5)} ${round(y - 5)}l10 10m0 -10l-10 10' stroke='${colour}' stroke-width='2.2'/>`;

function point(
  { space, palette, x, y }: Drawing,
  { process, input, outputs }: TraceEvent,
  index: number,
): string {
  const [cx, cy] = [x(space.x(index)), y(process)];
  const isNews = outputs.some(({ kind }) => kind === 'emit');
  if (input.kind === 'crash' || input.kind === 'lose') return cross(cx, cy, palette.ink);
  if (input.kind === 'call')
    return `<path d='M${cx} ${cy - 6}l6 6l-6 6l-6 -6Z' fill='${isNews ? palette.ink : palette.paper}' stroke='${palette.ink}' stroke-width='1.5'/>`;
  const fill = isNews ? palette.ink : palette.paper;
  return `<circle cx='${cx}' cy='${cy}' r='${isNews ? 5 : 3.6}' fill='${fill}' stroke='${palette.ink}' stroke-width='1.4'/>`;
}

const legendHeight = (kinds: readonly string[]): number => (kinds.length === 0 ? 0 : 26);

const legendStep = (kind: string): number => 52 + kind.length * 7;

const legendWidth = (kinds: readonly string[]): number =>
  kinds.reduce((width, kind) => width + legendStep(kind), margin.left);

function legend({ kinds, palette }: Drawing, height: number): string[] {
  let at = margin.left;
  return kinds.map((kind, k) => {
    const { colour, dashes } = lookOf(palette, k);
    const start = at;
    at += legendStep(kind);
    const line = `<path d='M${start} ${height - 20}h26' stroke='${colour}' stroke-width='2' stroke-dasharray='${dashes.join(' ')}'/>`;
    return `${line}<text x='${start + 32}' y='${height - 16}' font-size='12' fill='${palette.ink}'>${escaped(kind)}</text>`;
  });
}
