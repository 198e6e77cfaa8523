// What can be measured: one list for the command line, the atlas, the comparison and the lab.
import type { Measured, Problem } from '../core/algorithm.ts';
import type { Judged, Measures, Run, Spread } from '../sim/index.ts';

export type MeasureId =
  | 'messages'
  | 'delay'
  | 'waiting'
  | 'hops'
  | 'response'
  | 'throughput'
  | 'elected'
  | 'learned'
  | 'chain'
  | 'bits'
  | 'message-bits'
  | 'elements'
  | 'load'
  | 'busiest';

/** A figure that bounds are judged by. */
export interface JudgedFigure extends Judged {
  readonly kind: string | null; // the message kind whose size it is; null if it is not about one kind
  readonly figure: Spread;
}

export interface Measure {
  readonly id: MeasureId; // the word for it in `--measure` and in JSON
  readonly title: string;
  readonly unit: string; // `T` is the longest time of a message
  readonly isPerOccasion: boolean; // whether it is per entry, election or synchronisation
  readonly about: string; // its definition, for readers
  readonly problems: readonly Problem[];
  readonly bounded: Measured | null; // the word for it in the bounds that algorithms declare
  /** Returns the figures of a run, or null if there are none. Times are divided by `unit`, the ticks of T. */
  readonly figureOf: (run: Run, unit: number) => Spread | null;
  /** Returns the figures of a run that bounds are judged by, in ticks. Bounds on messages are not among them. */
  readonly judged: (measures: Measures) => readonly JudgedFigure[];
}

/** What is done once, or again and again, in a run of each problem. */
export const occasions: Readonly<Record<Problem, string>> = {
  mutex: 'entry',
  election: 'election',
  clocks: 'synchronisation',
};

const everywhere: readonly Problem[] = ['mutex', 'election', 'clocks'];
const only = (figure: number): Spread => ({ least: figure, mean: figure, most: figure });
const scaled = ({ least, mean, most }: Spread, factor: number): Spread => ({
  least: least * factor,
  mean: mean * factor,
  most: most * factor,
});
const perTime = ({ times }: Run): number => 1 / Math.max(1, times);
const unbounded = () => [];
const judgedBy = (figure: Spread | null, by: Judged | null, kind: string | null = null): JudgedFigure[] =>
  figure && by ? [{ kind, figure, bounds: by.bounds }] : [];

/** A time of a lock. */
const mutexTime = (
  name: 'synchronisationDelay' | 'waitingTime' | 'responseTime',
): Pick<Measure, 'unit' | 'isPerOccasion' | 'problems' | 'bounded' | 'figureOf' | 'judged'> => ({
  unit: 'T',
  bounded: name,
  isPerOccasion: false,
  problems: ['mutex'],
  figureOf: ({ measures }, unit) => {
    const figure = measures?.[name];
    return figure ? scaled(figure, 1 / unit) : null;
  },
  judged: (measures) => judgedBy(measures[name], measures[name]),
});

/** A time of an election: `winner` until the winner knows, `most` until the last process does. */
const timeOfElection = (
  which: 'winner' | 'most',
  bounded: 'electionTime' | 'electionEnd',
): Pick<Measure, 'unit' | 'isPerOccasion' | 'problems' | 'bounded' | 'figureOf' | 'judged'> => ({
  unit: 'T',
  isPerOccasion: false,
  problems: ['election'],
  bounded,
  figureOf: ({ measures }, unit) => {
    const ticks = measures?.electionTime?.[which] ?? null;
    return ticks === null ? null : only(ticks / unit);
  },
  judged: ({ electionTime }) => {
    const ticks = electionTime?.[which] ?? null;
    const bounds = electionTime?.bounds.filter(({ measure }) => measure === bounded) ?? [];
    return judgedBy(ticks === null ? null : only(ticks), { bounds });
  },
});

/** Sizes of single messages, over all kinds. */
const sizes = (name: 'elements' | 'bits'): Pick<Measure, 'figureOf' | 'judged'> => ({
  figureOf: ({ measures, messages: { byType } }) => {
    const kinds = Object.entries(measures?.[name] ?? {});
    if (kinds.length === 0) return null;
    const sent = kinds.reduce((sum, [kind]) => sum + byType[kind]!, 0);
    return {
      least: Math.min(...kinds.map(([, { least }]) => least)),
      mean: kinds.reduce((sum, [kind, { mean }]) => sum + mean * byType[kind]!, 0) / sent,
      most: Math.max(...kinds.map(([, { most }]) => most)),
    };
  },
  judged: (measures) =>
    Object.entries(measures[name] ?? {}).flatMap(([kind, size]) => judgedBy(size, size, kind)),
});

/** Every measure, in the order of columns and figures. */
export const measureList: readonly Measure[] = [
  {
    id: 'messages',
    title: 'messages',
    unit: 'messages',
    isPerOccasion: true,
    bounded: 'messages',
    about: 'messages sent',
    problems: everywhere,
    figureOf: (run) => only(run.messages.total * perTime(run)),
    judged: unbounded, // predictions.ts has them
  },
  {
    id: 'delay',
    title: 'synchronisation delay',
    about: 'from a release, while another process waits, to the next entry by another process',
    ...mutexTime('synchronisationDelay'),
  },
  {
    id: 'waiting',
    title: 'waiting time',
    about: 'from a request to its entry',
    ...mutexTime('waitingTime'),
  },
  {
    id: 'hops',
    title: 'token hops',
    unit: 'messages',
    isPerOccasion: false,
    bounded: 'tokenHops',
    about:
      'messages with the token that arrive from a request to its entry; measured where a bound declares it',
    problems: ['mutex'],
    figureOf: ({ measures }) => measures?.tokenHops ?? null,
    judged: ({ tokenHops }) => judgedBy(tokenHops, tokenHops),
  },
  {
    id: 'response',
    title: 'response time',
    about: 'from a request to its release',
    ...mutexTime('responseTime'),
  },
  {
    id: 'throughput',
    title: 'throughput',
    unit: 'entries per T',
    isPerOccasion: false,
    bounded: 'throughput',
    about: 'entries per time, from the first request to the last exit',
    problems: ['mutex'],
    figureOf: ({ measures }, unit) => {
      const throughput = measures?.throughput ?? null;
      return throughput === null ? null : only(throughput * unit);
    },
    judged: ({ throughput, boundsOn }) =>
      judgedBy(throughput === null ? null : only(throughput), { bounds: boundsOn.throughput }),
  },
  {
    id: 'elected',
    title: 'time until the winner knows',
    about: 'from the first start to the moment the winner knows that it leads',
    ...timeOfElection('winner', 'electionTime'),
  },
  {
    id: 'learned',
    title: 'time until all know',
    about: 'from the first start to the moment the last process learns the leader',
    ...timeOfElection('most', 'electionEnd'),
  },
  {
    id: 'chain',
    title: 'longest chain',
    unit: 'messages',
    isPerOccasion: false,
    bounded: 'chain',
    about:
      'the most messages of a run that were each caused by the one before; a bound may count some kinds only',
    problems: everywhere,
    figureOf: ({ measures }) => (measures?.chain ? only(measures.chain.most) : null),
    judged: ({ chain }) => judgedBy(chain && only(chain.most), chain),
  },
  {
    id: 'bits',
    title: 'bits',
    unit: 'bits',
    isPerOccasion: true,
    bounded: 'totalBits',
    about: 'the bits of all messages together, without their types',
    problems: everywhere,
    figureOf: (run) => {
      const total = run.measures?.totalBits ?? null;
      return total === null ? null : only(total * perTime(run));
    },
    judged: ({ totalBits, boundsOn }) =>
      judgedBy(totalBits === null ? null : only(totalBits), { bounds: boundsOn.totalBits }),
  },
  {
    id: 'message-bits',
    title: 'bits of a message',
    unit: 'bits',
    isPerOccasion: false,
    bounded: 'bits',
    about: 'the bits of one message without its type, each number in binary',
    problems: everywhere,
    ...sizes('bits'),
  },
  {
    id: 'elements',
    title: 'elements of a message',
    unit: 'elements',
    isPerOccasion: false,
    bounded: 'elements',
    about: 'the fields of one message, its type among them, with the entries of lists counted one by one',
    problems: everywhere,
    ...sizes('elements'),
  },
  {
    id: 'load',
    title: 'load of a process',
    unit: 'messages',
    isPerOccasion: true,
    bounded: null,
    about: 'messages that one process sends or receives',
    problems: everywhere,
    figureOf: (run) => (run.measures?.load ? scaled(run.measures.load, perTime(run)) : null),
    judged: unbounded,
  },
  {
    id: 'busiest',
    title: "busiest process's share",
    unit: '%',
    isPerOccasion: false,
    bounded: 'load',
    about: 'the share that the busiest process has of all messages sent and received: at most a half',
    problems: everywhere,
    figureOf: ({ measures }) => {
      const load = measures?.load;
      return load && load.most > 0 ? only(load.busiestShare) : null;
    },
    judged: ({ load }) => judgedBy(load && load.most > 0 ? only(load.busiestShare) : null, load),
  },
];

export const measureOf = (id: MeasureId): Measure => measureList.find((measure) => measure.id === id)!;

export const measuresOf = (problem: Problem): readonly Measure[] =>
  measureList.filter(({ problems }) => problems.includes(problem));

/** Returns the heading of a measure, with its unit: `synchronisation delay in T`, `bits per entry`. */
export function measureHeading({ title, unit, isPerOccasion }: Measure, problem: Problem): string {
  const per = isPerOccasion ? ` per ${occasions[problem]}` : '';
  return unit.endsWith('T') ? `${title} in ${unit}` : `${title}${per}`;
}

/** Returns the unit of a measure: `T`, `messages per entry`. */
export const measureUnit = ({ unit, isPerOccasion }: Measure, problem: Problem): string =>
  isPerOccasion ? `${unit} per ${occasions[problem]}` : unit;
