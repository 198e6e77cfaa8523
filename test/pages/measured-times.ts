// The second table of a page: time, size and load, in runs in which every message takes the same time T.
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { type AnySharedAlgorithm, isShared } from '../../src/core/shared-algorithm.ts';
import { type AppliedBound, type Run, type Scenario, type Spread, simulate } from '../../src/sim/index.ts';

type One = AnyAlgorithm | AnySharedAlgorithm;

const T = 10; // ticks
const seeds = 5;
const mostSeeds = 20; // of an election: its time depends on where the ids are

/** A row of the table: a figure of each run, and the bounds on it. */
interface Figure {
  readonly title: string;
  readonly runs: 'heavy' | 'alone' | 'all start' | 'once';
  readonly of: (run: Run) => Spread | number | null;
  readonly bounds?: (run: Run) => readonly AppliedBound[];
  readonly scale?: number; // the figure is shown in these units. Defaults to 1.
}

const perTask = (figure: number | null, { times }: Run) =>
  figure === null ? null : figure / Math.max(1, times);

/** Bits and load: of every algorithm that sends messages. */
const sizes = (runs: Figure['runs'], task: string): Figure[] => [
  {
    title: `bits per ${task}`,
    runs,
    of: (run) => perTask(run.measures!.totalBits, run),
    ...(task === 'election' && { bounds: (run: Run) => run.measures!.boundsOn.totalBits }),
  },
  {
    title: 'share of the busiest process, %',
    runs,
    of: ({ measures }) => (measures!.load === null ? null : 100 * measures!.load.busiestShare),
    bounds: ({ measures }) => measures!.load!.bounds.map(inPercent),
  },
];

const inPercent = (bound: AppliedBound): AppliedBound => ({
  ...bound,
  atLeast: bound.atLeast === null ? null : 100 * bound.atLeast,
  atMost: bound.atMost === null ? null : 100 * bound.atMost,
});

const chain = (runs: Figure['runs']): Figure => ({
  title: 'longest chain, messages',
  runs,
  of: ({ measures }) => measures!.chain?.most ?? null,
  bounds: ({ measures }) => measures!.chain!.bounds,
});

const lockFigures: readonly Figure[] = [
  {
    title: 'synchronisation delay, T, all ask',
    runs: 'heavy',
    of: ({ measures }) => measures!.synchronisationDelay,
    bounds: ({ measures }) => measures!.synchronisationDelay!.bounds,
    scale: T,
  },
  {
    title: 'waiting time, T, one asks',
    runs: 'alone',
    of: ({ measures }) => measures!.waitingTime,
    bounds: ({ measures }) => measures!.waitingTime!.bounds,
    scale: T,
  },
  {
    title: 'token hops, one asks',
    runs: 'alone',
    of: ({ measures }) => (measures!.tokenHops?.bounds.length ? measures!.tokenHops : null), // where they are bounded
    bounds: ({ measures }) => measures!.tokenHops!.bounds,
  },
  {
    title: 'entries per T, all ask',
    runs: 'heavy',
    of: ({ measures }) => measures!.throughput,
    bounds: ({ measures }) => measures!.boundsOn.throughput,
    scale: 1 / T,
  },
  ...sizes('heavy', 'entry'),
];

const electionFigures: readonly Figure[] = [
  {
    title: 'the winner knows after, T',
    runs: 'all start',
    of: ({ measures }) => measures!.electionTime?.winner ?? null,
    bounds: ({ measures }) =>
      measures!.electionTime!.bounds.filter(({ measure }) => measure === 'electionTime'),
    scale: T,
  },
  {
    title: 'all know after, T',
    runs: 'all start',
    of: ({ measures }) => measures!.electionTime?.most ?? null,
    bounds: ({ measures }) =>
      measures!.electionTime!.bounds.filter(({ measure }) => measure === 'electionEnd'),
    scale: T,
  },
  chain('all start'),
  ...sizes('all start', 'election'),
];

const clockFigures: readonly Figure[] = [chain('once'), ...sizes('once', 'synchronisation')];

const figuresOf = ({ problem }: One): readonly Figure[] =>
  problem === 'mutex' ? lockFigures : problem === 'election' ? electionFigures : clockFigures;

function scenarioOf(runs: Figure['runs'], n: number, seed: number): Scenario {
  const timed = { n, seed, latency: `fixed:${T}` };
  if (runs === 'all start') return { ...timed, start: 'all' };
  if (runs === 'once') return timed;
  const lock = { ...timed, hold: `fixed:${2 * T}`, think: 'fixed:0' };
  if (runs === 'heavy') return { ...lock, entries: Math.max(3, Math.ceil(100 / n)) };
  return { ...lock, entries: 1, start: [{ process: new Random(seed, 'who asks').below(n) }] };
}

const number = (value: number): string => `${Math.round(value * 100) / 100}`;

/** Returns least / mean / most, or the one figure that all runs have. */
function spreadText(figures: readonly (Spread | number)[], scale: number): string {
  const of = (side: 'least' | 'mean' | 'most') =>
    figures.map((figure) => (typeof figure === 'number' ? figure : figure[side]) / scale);
  const least = number(Math.min(...of('least')));
  const most = number(Math.max(...of('most')));
  const mean = of('mean').reduce((a, b) => a + b, 0) / figures.length;
  return least === most ? least : `${least} / ${number(mean)} / ${most}`;
}

/** Returns the tightest bounds of some runs, as a text; empty if there are none. */
function claimText(bounds: readonly AppliedBound[], scale: number): string {
  const least = Math.max(...bounds.map(({ atLeast }) => atLeast ?? -Infinity)) / scale;
  const most = Math.min(...bounds.map(({ atMost }) => atMost ?? Infinity)) / scale;
  if (least === most) return number(least);
  if (most === Infinity) return least === -Infinity ? '' : `≥ ${number(least)}`;
  return least === -Infinity ? `≤ ${number(most)}` : `${number(least)} .. ${number(most)}`;
}

function about({ problem }: One, isOnRegisters: boolean): string {
  const step = isOnRegisters ? 'step' : 'message';
  if (problem === 'mutex')
    return `Time, size and load, where every ${step} takes the same time T, and a stay inside 2T. All ask again at once, or one asks, once.`;
  if (problem === 'election')
    return `Time, size and load, where every ${step} takes the same time T, and all start at once: ${mostSeeds} runs, ids placed at random.`;
  return `Chains, size and load, where every ${step} takes the same time.`;
}

/** Returns the table of time, size and load, with the sentence before it. */
export function timesTable(algorithm: One, sizesOfRuns: readonly number[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const runsOf = (runs: Figure['runs'], n: number): Run[] => {
    const count = n >= 100 && algorithm.problem === 'mutex' ? 1 : runs === 'all start' ? mostSeeds : seeds;
    return Array.from({ length: count }, (_, seed) => simulate(algorithm, scenarioOf(runs, n, seed)));
  };
  const known = new Map<string, Run[]>();
  const runs = (kind: Figure['runs'], n: number): Run[] => {
    const key = `${kind} ${n}`;
    if (!known.has(key)) known.set(key, runsOf(kind, n));
    return known.get(key)!;
  };
  const rows = figuresOf(algorithm).flatMap(({ title, runs: kind, of, bounds, scale = 1 }) => {
    const measured = sizesOfRuns.map((n) => {
      const some = runs(kind, n).filter((run) => of(run) !== null);
      return {
        text:
          some.length === 0
            ? '–'
            : spreadText(
                some.map((run) => of(run)!),
                scale,
              ),
        claim: claimText(
          some.flatMap((run) => bounds?.(run) ?? []),
          scale,
        ),
      };
    });
    if (measured.every(({ text }) => text === '–')) return [];
    const figures = measured.map(({ text }) => text);
    if (measured.every(({ claim }) => claim === '')) return [line([title, '**measured**', ...figures])];
    const claims = measured.map(({ claim }) => claim || 'any');
    if (claims.join() === figures.join()) return [line([title, 'claimed and **measured**', ...figures])];
    return [line([title, 'claimed', ...claims]), line(['', '**measured**', ...figures])];
  });
  return [
    about(algorithm, isShared(algorithm)),
    '',
    line(['', '', ...sizesOfRuns.map((n) => `n = ${n}`)]),
    `| --- | --- |${' --- |'.repeat(sizesOfRuns.length)}`,
    ...rows,
  ];
}
