import type { AnyAlgorithm } from '../core/algorithm.ts';
import { Simulation } from '../sim/index.ts';
import { circumstancesOf } from '../sim/scenario/kept-assumptions.ts';
import type { Case } from './cases.ts';
import { type Predictions, predictionsOf } from './predictions.ts';

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
}

export function takeSample(
  algorithm: AnyAlgorithm,
  which: Case,
  n: number,
  seed: number,
  limit: number,
): RunSample {
  const simulation = new Simulation(algorithm, { n, seed, limit, ...which.scenario(algorithm, n, seed) });
  while (simulation.advance(1_000_000));
  const { messages, bounds, times: done, events, violations, withinBounds } = simulation.result();
  const times = Math.max(1, done);
  const predictions = predictionsOf(algorithm, circumstancesOf(simulation.setup), which.typical);
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
  };
}
