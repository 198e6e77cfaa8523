import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { type Run, type Scenario, Simulation, type Spread } from '../sim/index.ts';
import { circumstancesOf } from '../sim/scenario/kept-assumptions.ts';
import type { Case } from './cases.ts';
import { type Measure, type MeasureId, measuresOf } from './measure-list.ts';
import { type Predictions, predictionsOf } from './predictions.ts';

/** A bound of the paper on a measure, and whether runs attain it. Times are in T. */
export interface MeasureClaim {
  readonly kind: string | null; // the message kind whose size it bounds
  readonly formula: string;
  readonly source: string;
  readonly atLeast: number | null;
  readonly atMost: number | null;
  readonly reached: { readonly atLeast: boolean; readonly atMost: boolean };
  readonly measured: Spread; // what it bounds: of one kind of message, if it has a kind
}

/** The figures of a measure, and the bounds that apply to them. Times are in T. */
export interface MeasureFigures extends Spread {
  readonly claims: readonly MeasureClaim[];
}

/** All measures but messages. A measure that does not apply, or has no figure, is missing. */
export type MeasuredFigures = Readonly<Partial<Record<Exclude<MeasureId, 'messages'>, MeasureFigures>>>;

/** The result of one run. Plain data: it passes between threads. */
export interface RunSample {
  readonly messages: number; // per entry, election or synchronisation
  readonly predictions: Predictions;
  readonly means: readonly number[]; // messages of each group for which a paper gives a mean
  readonly reachesLeast: boolean;
  readonly reachesMost: boolean;
  readonly withinBounds: boolean;
  readonly violation: string | null;
  readonly events: number;
  readonly T: number; // the longest time of a message, in ticks
  readonly measures: MeasuredFigures | null; // null if only messages were counted
}

/** An algorithm of either contract. */
export type Measurable = ConstructorParameters<typeof Simulation>[0];

export const takeSample = (
  algorithm: AnyAlgorithm,
  which: Case,
  n: number,
  seed: number,
  limit: number,
  isMeasured: boolean,
): RunSample =>
  sampleRun(
    algorithm,
    { n, seed, limit, ...which.scenario(algorithm, n, seed) },
    { typical: which.typical, isMeasured },
  );

interface SampleOptions {
  readonly typical: boolean; // the workload is random, so that a mean given by a paper applies
  readonly isMeasured: boolean; // take all measures, not only messages
}

/** Runs a scenario, and measures it. */
export function sampleRun(
  algorithm: Measurable,
  scenario: Scenario,
  { typical, isMeasured }: SampleOptions,
): RunSample {
  const simulation = new Simulation(algorithm, scenario, { measures: isMeasured });
  while (simulation.advance(1_000_000));
  const run = simulation.result();
  const { messages, bounds, times: done, events, violations, withinBounds } = run;
  const times = Math.max(1, done);
  const circumstances = circumstancesOf(simulation.setup);
  const predictions = predictionsOf(algorithm, Object.keys(messages.byType), circumstances, typical);
  const [violation] = violations;
  return {
    messages: messages.total / times,
    predictions,
    means: predictions.means.map(
      ({ counts }) => counts.reduce((sum, kind) => sum + messages.byType[kind]!, 0) / times,
    ),
    reachesLeast: messages.total === bounds.atLeast,
    reachesMost: messages.total === bounds.atMost,
    withinBounds,
    violation: violation ? `${violation.property}: ${violation.why}` : null,
    events,
    T: circumstances.T,
    measures: isMeasured ? figuresOfRun(run, algorithm.problem, circumstances.T) : null,
  };
}

const tolerance = 1e-9; // figures and formulas are floating-point numbers
const isNear = (a: number, b: number | null): boolean => b !== null && Math.abs(a - b) <= tolerance;

/** Returns all measures of a run but messages, times in units of T. */
export function figuresOfRun(run: Run, problem: Problem, T: number): MeasuredFigures {
  const found = measuresOf(problem).flatMap((measure) => {
    const figure = measure.id === 'messages' ? null : measure.figureOf(run, T);
    return figure === null ? [] : [[measure.id, { ...figure, claims: claimsOf(measure, run, T) }]];
  });
  return Object.fromEntries(found);
}

function claimsOf({ judged, unit }: Measure, { measures }: Run, T: number): MeasureClaim[] {
  const ticks = unit === 'T' ? T : unit === 'entries per T' ? 1 / T : 1;
  const scale = (value: number | null) => (value === null ? null : value / ticks);
  return judged(measures!).flatMap(({ kind, figure, bounds }) =>
    bounds.map(({ formula, source, atLeast, atMost }) => ({
      kind,
      formula,
      source,
      atLeast: scale(atLeast),
      atMost: scale(atMost),
      reached: { atLeast: isNear(figure.least, atLeast), atMost: isNear(figure.most, atMost) },
      measured: {
        least: figure.least / ticks,
        mean: figure.mean / ticks,
        most: figure.most / ticks,
      },
    })),
  );
}
