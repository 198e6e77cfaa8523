import type { Pid } from '../core/algorithm.ts';
import { optionNames, refuseUnknownOptions } from '../core/did-you-mean.ts';
import {
  inputText,
  messageText,
  outputText,
  type TraceEvent,
  type TraceInput,
  type TraceOutput,
} from '../core/trace.ts';
import { type Drawable, laneCount, traceIn } from './drawable.ts';
import { isAccess } from './register-history.ts';
import { TraceIndex } from './trace-index.ts';

type Messages = TraceIndex['messages'];

const widest = 24; // lanes that still fit a terminal

/**
 * Returns whether n lanes fit a terminal, so that {@link textDiagram} draws them.
 * @example
 * import { fitsText } from 'batonjs-lab/diagram';
 *
 * fitsText(24); // → true
 * fitsText(25); // → false
 */
export const fitsText = (n: number): boolean => n <= widest;

/** What a text diagram shows. */
export interface TextOptions {
  /** The most events to draw, one per row. Defaults to 200. */
  readonly events?: number;
  /** Returns a text to write below the event with this number, counted from 0; empty for none. Defaults to none. */
  readonly below?: (event: number) => string;
}

const textOptions = optionNames<TextOptions>({ events: true, below: true });

/**
 * Draws a space-time diagram for the terminal. Time runs down, and each process has a lane: thick while it is inside, dashed while it waits,
 * absent while it is crashed. An arrow shows a message that arrives, a full square a write to shared memory, an empty one a read. Stamps
 * of a logical clock, if any, stand right of the lanes. A run of more than 24 processes becomes a sentence that says so.
 * @throws {InputError} if the run has no events, or an option does not exist.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { textDiagram } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * console.log(textDiagram(run));
 * textDiagram(run, { events: 1 }).split('\n')[1]?.endsWith('│     │     ◆    request'); // → true
 */
export function textDiagram(run: Drawable, options: TextOptions = {}): string {
  refuseUnknownOptions('textDiagram', options, textOptions);
  const { events = 200, below = () => '' } = options;
  const trace = traceIn(run);
  const n = laneCount(trace);
  if (!fitsText(n)) return `${n} processes are too many lanes for a terminal; ${widest} fit.\n`;
  const step = n > 12 ? 4 : 6;
  const shown = trace.events.slice(0, events);
  const { messages } = TraceIndex.of(trace);
  const lanes: string[] = Array(n).fill(idle);
  const ids = trace.scenario.ids?.split(',');
  const { stamps: clock = '' } = trace.scenario;
  const column = stampColumn(shown, clock);
  const rows = [
    row(
      'time',
      place(n, step, (i) => `${i}`),
      column(clock),
    ),
  ];
  if (ids)
    rows.push(
      row(
        'id',
        place(n, step, (i) => ids[i] ?? ''),
        '',
      ),
    );
  for (const [k, event] of shown.entries()) {
    if (trace.scenario.loop === `${k}`) rows.push('        loop: from here it goes round for ever');
    const picture = place(n, step, (i) => lanes[i]!);
    drawEvent(picture, event, step, messages);
    update(lanes, event);
    rows.push(row(`${event.time}`, picture, `${column(event.stamp)}${label(event, messages)}`));
    const text = below(k);
    if (text !== '')
      rows.push(
        row(
          '',
          place(n, step, (i) => lanes[i]!),
          `${column('')}  ${text}`,
        ),
      );
  }
  const rest = trace.events.length - shown.length;
  if (rest > 0) rows.push(`        .. and ${rest} more events`);
  else rows.push(...stillInFlight(messages));
  return `${rows.join('\n')}\n`;
}

function stampColumn(events: readonly TraceEvent[], clock: string): (stamp?: string) => string {
  if (events.every(({ stamp }) => stamp === undefined)) return () => '';
  const width = events.reduce((most, { stamp = '' }) => Math.max(most, stamp.length), clock.length);
  return (stamp = '') => `${stamp.padEnd(width)}  `;
}

/** The messages still in flight when the run ends: often the reason for its end. */
const stillInFlight = (messages: Messages): string[] =>
  [...messages.values()]
    .filter(({ ended }) => ended < 0)
    .slice(0, 9)
    .map(({ from, to, text }) => `        still on its way from ${from} to ${to}: ${text}`);

const idle = '│';
const waiting = '┆';
const inside = '┃';
const dead = ' ';

const row = (time: string, picture: string[], text: string): string =>
  `${time.padStart(6)}  ${picture.join('')}  ${text}`.trimEnd();

function place(n: number, step: number, mark: (i: Pid) => string): string[] {
  const cells: string[] = Array((n - 1) * step + 3).fill(' ');
  for (let i = 0; i < n; i += 1)
    [...mark(i)].forEach((c, k) => {
      cells[i * step + k] = c;
    });
  return cells;
}

function drawEvent(
  cells: string[],
  { process, input, outputs }: TraceEvent,
  step: number,
  messages: Messages,
): void {
  const at = process * step;
  const marks = {
    begin: '▫',
    call: '◆',
    timer: '◷',
    crash: '✕',
    restart: '○',
    pause: '‖',
    resume: '▷',
    repeat: '◌',
    corrupt: '✱',
    appears: '+',
    goes: '-',
    step: outputs.some(({ kind }) => kind === 'write') ? '■' : '□',
  };
  if (input.kind !== 'recv' && input.kind !== 'lose') {
    cells[at] = marks[input.kind];
    return;
  }
  const from = (messages.get(input.serial)?.from ?? process) * step;
  const [low, high] = from < at ? [from, at] : [at, from];
  for (let k = low + 1; k < high; k += 1) cells[k] = '─';
  cells[from] = '●';
  cells[at] = input.kind === 'lose' ? '╳' : from === at ? '↻' : from < at ? '▶' : '◀';
}

function update(lanes: string[], { process, input, outputs }: TraceEvent): void {
  if (input.kind === 'call' && input.name === 'request') lanes[process] = waiting;
  if (input.kind === 'call' && input.name === 'release') lanes[process] = idle;
  if (input.kind === 'crash') lanes[process] = dead;
  if (input.kind === 'restart') lanes[process] = idle;
  if (outputs.some((output) => output.kind === 'emit' && output.event.type === 'entered'))
    lanes[process] = inside;
}

function label({ input, outputs }: TraceEvent, messages: Messages): string {
  const happened =
    input.kind === 'recv' || input.kind === 'lose'
      ? `${input.kind === 'lose' ? 'lost: ' : ''}${messages.get(input.serial)?.text ?? ''}`
      : bareText(input);
  const reported = outputs
    .filter(isReported)
    .map((output) => (output.kind === 'emit' ? messageText(output.event) : outputText(output)));
  const accesses = outputs.filter(isAccess).map((access) => `  (${outputText(access)})`);
  return `${happened}${accesses.join('')}${reported.length === 0 ? '' : `  * ${reported.join(', ')}`}`;
}

/** The input as a trace writes it, without `call` or `step`. */
export const bareText = (input: TraceInput): string =>
  input.kind === 'call' ? input.name : input.kind === 'step' ? input.line : inputText(input);

const isReported = (output: TraceOutput): boolean =>
  output.kind === 'emit' || output.kind === 'coin' || output.kind === 'fail';
