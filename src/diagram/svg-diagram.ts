import type { Pid } from '../core/algorithm.ts';
import { optionNames, refuseUnknownOptions } from '../core/did-you-mean.ts';
import type { TraceEvent } from '../core/trace.ts';
import { snapshotCutAt } from './cut.ts';
import { messageTimeIn } from './delays.ts';
import { type Drawable, traceIn } from './drawable.ts';
import { light, markerKind, messageStyle, type Palette } from './palette.ts';
import type { InitialRegisters } from './register-history.ts';
import { SpaceTimeLayout, type Spacing } from './spacetime-layout.ts';
import { cutLabels, cutLine, cutPast } from './svg-cut.ts';
import { delayBrackets, delaySwatch, shownDelays } from './svg-delays.ts';
import { arrowCourse, round, type SvgDrawing } from './svg-drawing.ts';
import { type ProcessPhase, type TracedMessage, TraceIndex } from './trace-index.ts';

/** What an SVG diagram shows. */
export interface SvgOptions {
  /** The title. Defaults to the algorithm and n. */
  readonly title?: string;
  /** The names of the lanes. Defaults to positions and ids. */
  readonly names?: readonly string[];
  /** The kinds of messages, in the order of their colours. Defaults to those sent, in the order in which they were first sent. */
  readonly kinds?: readonly string[];
  /** The initial values of registers. Defaults to what the trace shows. A {@link TraceIndex} has its own. */
  readonly memory?: InitialRegisters;
  /** The number of events to draw. Defaults to all. */
  readonly position?: number;
  /** The spacing of events. Defaults to `even`. */
  readonly spacing?: Spacing;
  /** The colours. Defaults to {@link light}. */
  readonly palette?: Palette;
  /** Whether the synchronisation delays of a lock are drawn as brackets. Defaults to true. */
  readonly delays?: boolean;
  /** The time T of every message, for the labels of delays; null if times differ. Defaults to the fixed latency of the trace. */
  readonly messageTime?: number | null;
}

const svgOptions = optionNames<SvgOptions>({
  title: true,
  names: true,
  kinds: true,
  memory: true,
  position: true,
  spacing: true,
  palette: true,
  delays: true,
  messageTime: true,
});

const lane = 46;
const few = 40; // up to this many events leave room for labels
const margin = { left: 78, right: 64, top: 52 };
const font = "font-family='Inter, Segoe UI, Helvetica, Arial, sans-serif'";

/**
 * Draws the space-time diagram of a run as an SVG document. Time runs to the right, and each process has a lane.
 * @throws {InputError} if the run has no events, or an option does not exist.
 * @example
 * import { lamport } from 'batonjs/algorithms';
 * import { dark, svgDiagram } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(lamport, { n: 3, events: true });
 * svgDiagram(run, { title: 'Three requests', palette: dark }).startsWith('<svg'); // → true
 */
export function svgDiagram(run: TraceIndex | Drawable, options: SvgOptions = {}): string {
  refuseUnknownOptions('svgDiagram', options, svgOptions);
  const isIndexed = run instanceof TraceIndex;
  const traceIndex = isIndexed ? run : TraceIndex.of(traceIn(run), options.memory);
  const name = isIndexed ? undefined : traceIn(run).scenario.algorithm;
  const { title = `${name ?? 'a run'}, n = ${traceIndex.n}`, spacing = 'even', palette = light } = options;
  const { names = namesIn(traceIndex), kinds = kindsIn(traceIndex) } = options;
  const position = Math.min(options.position ?? traceIndex.events.length, traceIndex.events.length);
  const space = new SpaceTimeLayout(traceIndex, spacing);
  const present = space.present(position);
  const unit = unitOf(spacing, present, position <= few);
  const x = (units: number) => round(margin.left + units * unit);
  const y = (process: Pid) => margin.top + process * lane;
  const draw: SvgDrawing = { traceIndex, space, position, present, kinds, palette, x, y };
  const hasDelays = options.delays !== false && shownDelays(draw).length > 0;
  const { messageTime = isIndexed ? null : messageTimeIn(traceIn(run).scenario) } = options;
  const entries = hasDelays ? [...kinds, delayEntry] : kinds; // of the legend
  const width = Math.max(
    320,
    x(present) + margin.right,
    legendWidth(entries),
    margin.left + 9 * title.length,
  );
  const lanes = traceIndex.n + traceIndex.registers.names.length;
  const height = margin.top + (lanes - 1) * lane + 40 + legendHeight(entries);
  const arrows = arrowsOf(draw);
  const cut = snapshotCutAt(traceIndex, position);
  const body = [
    `<title>${escapeSvgText(title)}</title>`,
    `<rect width='${width}' height='${height}' fill='${palette.background}'/>`,
    `<text x='${margin.left}' y='22' font-size='15' font-weight='600' fill='${palette.foreground}'>${escapeSvgText(title)}</text>`,
    ...(cut ? cutPast(draw, cut) : []),
    ...(hasDelays ? delayBrackets(draw, messageTime) : []),
    ...names.slice(0, traceIndex.n).map((name, i) => laneName(draw, name, i)),
    ...names.slice(0, traceIndex.n).flatMap((_, i) => laneLines(draw, i)),
    ...traceIndex.registers.names.flatMap((name, k) => registerLane(draw, name, k)),
    ...traceIndex.events.slice(0, position).flatMap((event, index) => touches(draw, event, index)),
    ...arrows.map((message) => arrow(draw, message)),
    ...overlapHatching(draw),
    ...(cut ? cutLine(draw, cut) : []),
    ...traceIndex.events.slice(0, position).map((event, index) => point(draw, event, index)),
    ...(position <= 120 ? labels(draw, arrows) : []),
    ...(cut ? cutLabels(draw, cut) : []),
    ...legend(draw, entries, height),
  ];
  const size = `width='${width}' height='${height}' viewBox='0 0 ${width} ${height}'`;
  return `<svg xmlns='http://www.w3.org/2000/svg' ${size} ${font}>\n${body.join('\n')}\n</svg>\n`;
}

const namesIn = ({ n, ids }: TraceIndex): string[] =>
  Array.from({ length: n }, (_, i) => (ids ? `p${i} (${ids[i]})` : `p${i}`));

const kindsIn = ({ registers, sendsOfKind }: TraceIndex): string[] =>
  registers.names.length > 0 ? ['read', 'write'] : [...sendsOfKind.keys()];

/** Pixels per unit: one step is wide enough to see, and a run in virtual time fills a page or two. */
const unitOf = (spacing: Spacing, width: number, areFew: boolean): number =>
  spacing === 'even' ? (areFew ? 48 : 30) : Math.min(40, Math.max(6, 1600 / Math.max(1, width)));

const escapeSvgText = (content: string): string =>
  content.replace(/[&<>'"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const laneName = ({ palette, y }: SvgDrawing, name: string, i: Pid): string =>
  `<text x='${margin.left - 14}' y='${y(i) + 4.5}' font-size='13' text-anchor='end' fill='${palette.foreground}'>${escapeSvgText(name)}</text>`;

const strokes: Readonly<Record<ProcessPhase, { width: number; dashes: string } | null>> = {
  idle: { width: 1.2, dashes: '' },
  waiting: { width: 2.5, dashes: '5 4' },
  inside: { width: 8, dashes: '' },
  leader: { width: 5, dashes: '' },
  follower: { width: 2, dashes: '' },
  crashed: null,
};

/** The line of a lane: thick while the process is inside, dashed while it waits, absent while it is crashed. */
function laneLines({ traceIndex, space, position, present, palette, x, y }: SvgDrawing, i: Pid): string[] {
  const lines: string[] = [];
  let [from, phase] = [0, traceIndex.phaseAfter(i, 0)];
  const draw = (to: number) => {
    const stroke = strokes[phase];
    if (stroke === null || to <= from) return;
    const dashed = stroke.dashes === '' ? '' : ` stroke-dasharray='${stroke.dashes}'`;
    const colour = phase === 'idle' ? palette.line : palette.phases[phase];
    lines.push(
      `<path d='M${x(from)} ${y(i)}H${x(to)}' stroke='${colour}' stroke-width='${stroke.width}'${dashed}/>`,
    );
  };
  traceIndex.eventsOfProcess[i]!.forEach((event, k) => {
    const next = traceIndex.phaseAfter(i, k + 1);
    if (event >= position || next === phase) return;
    draw(space.x(event));
    [from, phase] = [space.x(event), next];
  });
  draw(present);
  return lines;
}

/** Hatches the lanes of processes that are inside at the same time. At the end of the run, the hatching reaches one step beyond it. */
function overlapHatching({ traceIndex, space, position, present, palette, x, y }: SvgDrawing): string[] {
  const shown = traceIndex.overlaps.filter(({ from }) => from < position);
  if (shown.length === 0) return [];
  const pattern = `<pattern id='overlap' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'><path d='M0 0V6' stroke='${palette.wrong}' stroke-width='3'/></pattern>`;
  const boxes = shown.map(({ process, from, to }) => {
    const end = to >= 0 && to < position ? x(space.x(to)) : x(present) + 30;
    const left = x(space.x(from));
    return `<rect x='${left}' y='${y(process) - 12}' width='${round(end - left)}' height='24' fill='url(#overlap)' stroke='${palette.wrong}' stroke-width='1.5'/>`;
  });
  return [`<defs>${pattern}</defs>`, ...boxes];
}

/** The lane of a register, below the processes, with its last value. */
function registerLane(
  { traceIndex, position, present, palette, x, y }: SvgDrawing,
  name: string,
  k: number,
): string[] {
  const at = traceIndex.n + k;
  const value = traceIndex.registers.valueAt(k, position);
  return [
    `<path d='M${x(0)} ${y(at)}H${x(present)}' stroke='${palette.line}' stroke-width='1.2' stroke-dasharray='1 4'/>`,
    `<text x='${margin.left - 14}' y='${y(at) + 4.5}' font-size='12' text-anchor='end' fill='${palette.muted}'>${escapeSvgText(name)}</text>`,
    `<text x='${x(present) + 8}' y='${y(at) + 4.5}' font-size='12' fill='${palette.muted}'>${value}</text>`,
  ];
}

/** Arrows of register accesses: a write points down to the register, a read points up. */
function touches(
  { traceIndex, space, kinds, palette, x, y }: SvgDrawing,
  event: TraceEvent,
  index: number,
): string[] {
  const { process } = event;
  return traceIndex.registers.accessesOf(event).map(({ kind, register, value }) => {
    const [at, above, below] = [x(space.x(index)), y(process), y(traceIndex.n + register)];
    const [from, to] = kind === 'read' ? [below, above] : [above, below];
    const { colour, dashes } = messageStyle(palette, kinds.indexOf(kind === 'reset' ? 'write' : kind));
    const line = `<path d='M${at} ${from}V${to}' stroke='${colour}' stroke-width='1.4' stroke-dasharray='${dashes.join(' ')}'/>`;
    const text = `<text x='${at + 4}' y='${below - 6}' font-size='9.5' fill='${colour}'>${value}</text>`;
    return `<g>${line}${head({ x: at, y: from }, { x: at, y: to }, colour)}${text}</g>`;
  });
}

const arrowsOf = ({ traceIndex, position }: SvgDrawing): TracedMessage[] =>
  [...traceIndex.messages.values()].filter(({ sent }) => sent < position);

function arrow(draw: SvgDrawing, message: TracedMessage): string {
  const { kinds, palette } = draw;
  const { from, to, lost, kind } = message;
  const { colour, dashes } = messageStyle(palette, kinds.indexOf(kind), kind);
  const { x1, y1, x2, y2, isThere } = arrowCourse(draw, message);
  const dashed = dashes.length === 0 ? '' : ` stroke-dasharray='${dashes.join(' ')}'`;
  const path =
    from === to ? `M${x1} ${y1}Q${round((x1 + x2) / 2)} ${y1 - 34} ${x2} ${y2}` : `M${x1} ${y1}L${x2} ${y2}`;
  const line = `<path d='${path}' fill='none' stroke='${colour}' stroke-width='1.6'${dashed}/>`;
  const tip =
    lost && isThere
      ? cross(x2, y2, colour)
      : head({ x: x1, y: from === to ? y1 - 34 : y1 }, { x: x2, y: y2 }, colour);
  return `<g>${line}${tip}</g>`;
}

interface LabelBox {
  readonly left: number;
  readonly right: number;
  readonly base: number;
}

const places = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9]; // along an arrow, in the order they are tried

/** Labels messages beside their arrows, clear of other labels and lanes. A message without such a place gets no label. */
function labels(draw: SvgDrawing, messages: readonly TracedMessage[]): string[] {
  const most = draw.x(draw.present) + margin.right;
  const taken: LabelBox[] = [];
  return messages.flatMap((message) => {
    const { x1, y1, x2, y2, isThere } = arrowCourse(draw, message);
    if (!isThere || message.kind === markerKind) return [];
    const width = message.text.length * 5.4;
    const boxes = [5, -5 - width].flatMap((beside) =>
      places.map((part): LabelBox => {
        const left = round(x1 + (x2 - x1) * part + beside);
        return { left, right: left + width, base: round(y1 + (y2 - y1) * part - 3) };
      }),
    );
    const isFree = (one: LabelBox) => taken.every((other) => areApart(one, other)) && isBetweenLanes(one);
    const box = boxes.find((one) => one.right <= most && isFree(one));
    if (box === undefined) return [];
    taken.push(box);
    const { colour } = messageStyle(draw.palette, draw.kinds.indexOf(message.kind), message.kind);
    const halo = `paint-order='stroke' stroke='${draw.palette.background}' stroke-width='3'`;
    return [
      `<text x='${box.left}' y='${box.base}' font-size='9.5' fill='${colour}' ${halo}>${escapeSvgText(message.text)}</text>`,
    ];
  });
}

const areApart = (a: LabelBox, b: LabelBox): boolean =>
  a.right < b.left || b.right < a.left || Math.abs(a.base - b.base) >= 11;

/** Whether a label stays clear of all lanes, at their greatest thickness. */
function isBetweenLanes({ base }: LabelBox): boolean {
  const below = (base - margin.top + lane) % lane;
  return below > 12 && below < lane - 4;
}

/** The tip of an arrow, which ends short of its target. */
function head(from: { x: number; y: number }, to: { x: number; y: number }, colour: string): string {
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
  { space, palette, x, y }: SvgDrawing,
  { process, input, outputs }: TraceEvent,
  index: number,
): string {
  const [cx, cy] = [x(space.x(index)), y(process)];
  const isNews = outputs.some(({ kind }) => kind === 'emit');
  if (input.kind === 'crash' || input.kind === 'lose') return cross(cx, cy, palette.foreground);
  if (input.kind === 'call')
    return `<path d='M${cx} ${cy - 6}l6 6l-6 6l-6 -6Z' fill='${isNews ? palette.foreground : palette.background}' stroke='${palette.foreground}' stroke-width='1.5'/>`;
  const fill = isNews ? palette.foreground : palette.background;
  return `<circle cx='${cx}' cy='${cy}' r='${isNews ? 5 : 3.6}' fill='${fill}' stroke='${palette.foreground}' stroke-width='1.4'/>`;
}

const legendHeight = (kinds: readonly string[]): number => (kinds.length === 0 ? 0 : 26);

const legendStep = (kind: string): number => 52 + kind.length * 7;

const legendWidth = (kinds: readonly string[]): number =>
  kinds.reduce((width, kind) => width + legendStep(kind), margin.left);

const delayEntry = 'synchronisation delay';

function legend(draw: SvgDrawing, entries: readonly string[], height: number): string[] {
  const { palette } = draw;
  let at = margin.left;
  return entries.map((entry, k) => {
    const start = at;
    at += legendStep(entry);
    const swatch =
      k < draw.kinds.length
        ? kindSwatch(palette, k, entry, start, height)
        : delaySwatch(draw, start, height - 20);
    return `${swatch}<text x='${start + 32}' y='${height - 16}' font-size='12' fill='${palette.foreground}'>${escapeSvgText(entry)}</text>`;
  });
}

function kindSwatch(palette: Palette, k: number, kind: string, start: number, height: number): string {
  const { colour, dashes } = messageStyle(palette, k, kind);
  return `<path d='M${start} ${height - 20}h26' stroke='${colour}' stroke-width='2' stroke-dasharray='${dashes.join(' ')}'/>`;
}
