// The measures of a run as the panel shows them: four quantities, each with its rows.
import { algorithmInfo } from '../../catalogue/index.ts';
import { timeInT } from '../../diagram/delays.ts';
import type { AppliedBound, Judged, Measures, Spread } from '../../sim/index.ts';
import { isAbove, isBelow } from '../../sim/measures/judged-bounds.ts';
import type { BoundsStatus } from '../../timeline/index.ts';
import type { LabStore } from '../state/lab-store.ts';

/** A quantity by which the papers judge an algorithm, with its most telling figure. */
export interface MeasuredQuantity {
  readonly id: 'messages' | 'time' | 'size' | 'load';
  readonly title: string;
  readonly figure: string; // `–` until there is one
  readonly unit: string;
  readonly definition: string; // of the figure
  readonly rows: readonly MeasureRow[];
}

export interface MeasureRow {
  readonly name: string;
  readonly definition: string;
  readonly figures: readonly string[]; // one, or the least, the mean and the most
  readonly inT?: readonly string[] | null; // the same in units of T
  readonly isDrawn?: boolean; // as brackets on the space-time diagram
  readonly bounds?: readonly BoundLine[];
}

export interface BoundLine {
  readonly text: string;
  readonly source: string;
  readonly mark: 'kept' | 'broken' | 'open'; // open: the end of the run decides
}

/** What the figures are computed from. */
export interface MeasuredPosition {
  readonly measures: Measures;
  readonly problem: string;
  readonly counts: 'messages' | 'accesses';
  readonly sent: Readonly<Record<string, number>>; // messages or accesses, by kind
  readonly boundsStatus: BoundsStatus;
  readonly T: number | null; // the time that every message takes
  readonly isWhole: boolean; // this is the end of a run that did everything
}

/** Returns what is known at the position of the page. */
export function measuredPosition({
  run,
  position,
  algorithm,
  traceIndex,
}: Pick<LabStore, 'run' | 'position' | 'algorithm' | 'traceIndex'>): MeasuredPosition {
  const { counts, kinds } = algorithmInfo(algorithm);
  const sentOf = (kind: string) =>
    counts === 'messages'
      ? traceIndex.sentBefore(kind, position)
      : traceIndex.registers.madeBefore(kind as 'read' | 'write', position);
  const isJudgeable = run.verdict === 'ok' || run.verdict?.startsWith('the bounds of the measures') === true;
  return {
    measures: run.measures.at(position),
    problem: algorithm.problem,
    counts,
    sent: Object.fromEntries(kinds.map((kind) => [kind, sentOf(kind)])),
    boundsStatus: run.boundsStatusAt(position),
    T: run.messageTime,
    isWhole: isJudgeable && position === run.events.length,
  };
}

/** Returns the quantities that apply. */
export const measuredQuantities = (given: MeasuredPosition): MeasuredQuantity[] =>
  [messagesOf, timeOf, sizeOf, loadOf].flatMap((quantity) => quantity(given) ?? []);

export const breaksBound = ({ rows }: MeasuredQuantity): boolean =>
  rows.some(({ bounds = [] }) => bounds.some(({ mark }) => mark === 'broken'));

const tasks: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  mutex: { name: 'entry', unit: 'per entry' },
  clocks: { name: 'synchronisation', unit: 'each time' },
};

function messagesOf(given: MeasuredPosition): MeasuredQuantity {
  const { counts, sent, problem, boundsStatus } = given;
  const total = Object.values(sent).reduce((sum, count) => sum + count, 0);
  const times = problem === 'mutex' ? boundsStatus.granted : boundsStatus.asked;
  const task = times > 0 ? tasks[problem] : undefined;
  const all = counts === 'messages' ? 'All messages sent so far' : 'All reads and writes so far';
  const inAll = { name: 'In all', definition: `${all}.`, figures: [`${total}`], bounds: messageLines(given) };
  const title = counts === 'messages' ? 'Messages' : 'Accesses';
  const chains = problem === 'clocks' ? chainRows(given) : [];
  if (!task) {
    const { definition } = inAll;
    return {
      id: 'messages',
      title,
      figure: `${total}`,
      unit: 'in all',
      definition,
      rows: [inAll, ...chains],
    };
  }
  const definition = `${all}, divided by ${times}, the number of ${task.name === 'entry' ? 'entries' : 'synchronisations'}.`;
  const figure = figureText(total / times);
  const perTask = { name: `Per ${task.name}`, definition, figures: [figure] };
  return { id: 'messages', title, figure, unit: task.unit, definition, rows: [perTask, inAll, ...chains] };
}

/** Judges the number of messages by the bounds for as many requests as there were. */
const messageLines = ({ sent, boundsStatus, isWhole }: MeasuredPosition): BoundLine[] =>
  boundsStatus.allowed
    .filter(({ atLeast, atMost }) => atLeast > 0 || atMost < Infinity)
    .map(({ counts, atLeast, atMost, formula, says }) => {
      const counted = counts.reduce((sum, kind) => sum + (sent[kind] ?? 0), 0);
      const isBroken = counted > atMost || (isWhole && counted < atLeast);
      const isDecided = atMost < Infinity || isWhole;
      const limit = atMost < Infinity ? `at most ${figureText(atMost)}` : `at least ${figureText(atLeast)}`;
      return {
        text: `${counts.join(' + ')}: ${limit}`,
        source: formula === null ? says : says.replace(`${formula}: `, `${formula}, `),
        mark: isBroken ? 'broken' : isDecided ? 'kept' : 'open',
      };
    });

function timeOf(given: MeasuredPosition): MeasuredQuantity | null {
  if (given.problem === 'clocks') return null; // their panel shows what they promise
  const [figure, unit, definition] = timeHeadline(given);
  const rows = [...lockRows(given), ...electionRows(given), ...chainRows(given)];
  return { id: 'time', title: 'Time', figure, unit, definition, rows };
}

const delayDefinition =
  'From a release, while another process waits, to the next entry by another process. In ticks.';
const waitingDefinition = 'From a request to its entry. In ticks.';
const winnerDefinition = 'From the first start until the winner knows that it leads.';

function timeHeadline({ measures, problem, T }: MeasuredPosition): [string, string, string] {
  const { synchronisationDelay: delay, waitingTime: waiting, electionTime: election } = measures;
  const unit = (ticks: number, what: string) => (T === null ? what : `${what} = ${timeInT(ticks, T)}`);
  if (delay !== null)
    return [figureText(delay.mean), unit(delay.mean, 'delay'), `The mean delay. ${delayDefinition}`];
  if (waiting !== null)
    return [figureText(waiting.mean), unit(waiting.mean, 'wait'), `The mean wait. ${waitingDefinition}`];
  if (election !== null && election.winner !== null)
    return [figureText(election.winner), unit(election.winner, 'elected'), winnerDefinition];
  if (problem === 'mutex') return ['–', 'no entry', `The mean delay. ${delayDefinition}`];
  return ['–', 'no leader', winnerDefinition];
}

function lockRows({ measures, T, isWhole }: MeasuredPosition): MeasureRow[] {
  const { synchronisationDelay, waitingTime, tokenHops, responseTime, throughput, boundsOn } = measures;
  const rowOf = (name: string, definition: string, spread: (Spread & Judged) | null): MeasureRow[] => {
    if (spread === null) return [];
    const inT = T === null ? null : numbersOf(spread).map((ticks) => timeInT(ticks, T));
    return [{ name, definition, figures: textsOf(spread), inT, bounds: boundLines(spread) }];
  };
  return [
    ...rowOf('Synchronisation delay', delayDefinition, synchronisationDelay).map((row) => ({
      ...row,
      isDrawn: true,
    })),
    ...rowOf('Waiting', waitingDefinition, waitingTime),
    ...(tokenHops === null
      ? []
      : [
          {
            name: 'Token hops',
            definition: 'Messages with the token that arrive from a request to its entry.',
            figures: textsOf(tokenHops),
            bounds: boundLines(tokenHops),
          },
        ]),
    ...rowOf('Response', 'From a request to its release. In ticks.', responseTime),
    ...(throughput === null
      ? []
      : [
          {
            name: 'Throughput',
            definition:
              'Entries per tick, from the first request to the last exit. Under heavy load it tends to 1 / (delay + time inside).',
            figures: [`${figureText(throughput)} per tick`],
            inT: T === null ? null : [`${figureText(throughput * T)} per T`],
            bounds: boundLines(onlyFigure(throughput, boundsOn.throughput), wholeOnly(isWhole)),
          },
        ]),
  ];
}

function electionRows({ measures: { electionTime }, T, isWhole }: MeasuredPosition): MeasureRow[] {
  if (electionTime === null) return [];
  const rowOf = (name: string, definition: string, ticks: number): MeasureRow => {
    const inT = T === null ? null : [timeInT(ticks, T)];
    return { name, definition, figures: [`${figureText(ticks)} ticks`], inT };
  };
  const { winner, most } = electionTime;
  const boundsOf = (measure: string, ticks: number) =>
    onlyFigure(
      ticks,
      electionTime.bounds.filter((bound) => bound.measure === measure),
    );
  const lastDefinition = 'From the first start until the last process has learned the leader.';
  return [
    ...(winner === null
      ? []
      : [
          {
            ...rowOf('Winner knows', winnerDefinition, winner),
            bounds: boundLines(boundsOf('electionTime', winner)),
          },
        ]),
    {
      ...rowOf('Last one knows', lastDefinition, most),
      bounds: boundLines(boundsOf('electionEnd', most), { upper: true, lower: isWhole }),
    },
  ];
}

function chainRows({ measures: { chain }, isWhole }: MeasuredPosition): MeasureRow[] {
  if (chain === null || chain.most === 0) return [];
  const { most } = chain;
  return [
    {
      name: 'Longest chain',
      definition: 'The most messages in a row, each caused by the one before.',
      figures: [`${most} ${most === 1 ? 'message' : 'messages'}`],
      bounds: boundLines({ ...chain, least: most }, { upper: true, lower: isWhole }),
    },
  ];
}

function sizeOf({ measures, isWhole }: MeasuredPosition): MeasuredQuantity | null {
  const { elements, bits, totalBits, boundsOn } = measures;
  if (elements === null || bits === null || totalBits === null) return null;
  const kinds = Object.keys(elements);
  const most = Math.max(0, ...kinds.map((kind) => elements[kind]!.most));
  const rowOf = (name: string, definition: string, spread: Spread & Judged): MeasureRow => ({
    name,
    definition,
    figures: textsOf(spread),
    bounds: boundLines(spread),
  });
  const rows = kinds.flatMap((kind) => [
    rowOf(
      `${kind}: elements`,
      'Fields of a message, its type among them. The entries of lists are counted one by one.',
      elements[kind]!,
    ),
    rowOf(`${kind}: bits`, 'The bits of all fields but the type, each number in binary.', bits[kind]!),
  ]);
  const all = {
    name: 'All messages',
    definition: 'The bits of all messages so far.',
    figures: [`${figureText(totalBits)} bits`],
    bounds: boundLines(onlyFigure(totalBits, boundsOn.totalBits), { upper: true, lower: isWhole }),
  };
  return {
    id: 'size',
    title: 'Size',
    figure: most === 0 ? '–' : `≤ ${most}`,
    unit: most === 0 ? 'none sent' : most === 1 ? 'element' : 'elements',
    definition: 'The most elements of any message: fields, its type among them, with the entries of lists.',
    rows: most === 0 ? [] : [...rows, all],
  };
}

function loadOf({ measures: { load }, isWhole }: MeasuredPosition): MeasuredQuantity | null {
  if (load === null) return null;
  const definition = 'The share that the busiest process has of all messages, sent and received.';
  const quantity = { id: 'load', title: 'Load', definition } as const;
  if (load.most === 0) return { ...quantity, figure: '–', unit: 'none sent', rows: [] };
  const share = load.busiestShare;
  const figure = `${figureText(100 * share)} %`;
  const figures = { bounds: load.bounds, least: share, mean: share, most: share };
  const bounds = boundLines(figures, { upper: isWhole, lower: isWhole });
  const rows = [
    {
      name: 'Of a process',
      definition: 'Messages sent plus received by one process.',
      figures: textsOf(load),
    },
    { name: 'Share of the busiest', definition, figures: [figure], bounds },
  ];
  return { ...quantity, figure, unit: 'busiest', rows };
}

/** A measure that is a single figure. */
const onlyFigure = (figure: number, bounds: readonly AppliedBound[]): Spread & Judged => ({
  least: figure,
  mean: figure,
  most: figure,
  bounds,
});

const wholeOnly = (isWhole: boolean) => ({ upper: isWhole, lower: isWhole });

const numbersOf = ({ least, mean, most }: Spread): number[] => [least, mean, most];

const textsOf = (spread: Spread): string[] => numbersOf(spread).map(figureText);

/** Judges figures by the bounds on them. `decided`: whether the run so far can break a bound from this side. */
const boundLines = (
  { bounds, least, most }: Spread & Judged,
  decided = { upper: true, lower: true },
): BoundLine[] =>
  bounds.map((bound) => {
    const { source, atLeast, atMost } = bound;
    const isBroken = (decided.upper && isAbove(most, atMost)) || (decided.lower && isBelow(least, atLeast));
    const isOpen = (atMost !== null && !decided.upper) || (atLeast !== null && !decided.lower);
    return { text: boundText(bound), source, mark: isBroken ? 'broken' : isOpen ? 'open' : 'kept' };
  });

/** Returns a text like `must be T = 10`, `at most 2n = 10` or `must be T: 1 to 10`. */
function boundText({ formula, atLeast, atMost }: AppliedBound): string {
  const what = atLeast === null ? 'at most' : atMost === null ? 'at least' : 'must be';
  if (atLeast !== null && atMost !== null && atLeast !== atMost)
    return `${what} ${formula}: ${figureText(atLeast)} to ${figureText(atMost)}`;
  const value = figureText(atLeast ?? atMost!);
  return value === formula ? `${what} ${formula}` : `${what} ${formula} = ${value}`;
}

/** Writes whole numbers in full, others with three digits. */
export const figureText = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1000
    ? `${Math.round(value)}`
    : `${Number(value.toPrecision(3))}`;
