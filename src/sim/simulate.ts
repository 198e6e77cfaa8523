import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { type Run, verdictText } from './run-result.ts';
import { keepsAssumptions } from './scenario/kept-assumptions.ts';
import type { Scenario } from './scenario/scenario.ts';
import { traceHead } from './scenario/scenario-fields.ts';
import { prepare } from './scenario/setup.ts';
import { Simulation } from './simulation.ts';
import type { WatchOptions } from './watch-options.ts';

type SimulateInput = Scenario & { readonly events?: boolean; readonly measures?: boolean };
type WithEvents = { readonly events: true };
type Traced = Run & { readonly trace: Trace };

/**
 * Simulates a run until no event is left, a property is violated, or `limit` is reached. A violation is part of the result and is not
 * thrown. With `events: true` the result has a `trace` of every event.
 * @throws {InputError} if the algorithm is incomplete, or the scenario cannot be run.
 * @example
 * import { lamport } from 'batonjs/algorithms';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(lamport, { n: 3, entries: 2, seed: 17 });
 * run.ok; // → true
 * run.messages.total; // → 36
 * const { trace } = simulate(lamport, { n: 3, events: true });
 * trace.verdict; // → 'ok'
 */
export function simulate(
  algorithm: EitherAlgorithm,
  scenario: Scenario & WithEvents,
  watch?: WatchOptions,
): Traced;
export function simulate(algorithm: EitherAlgorithm, scenario?: SimulateInput, watch?: WatchOptions): Run;
export function simulate(
  algorithm: EitherAlgorithm,
  { events: isRecorded = false, measures, ...scenario }: SimulateInput = {},
  watch: WatchOptions = {},
): Run {
  const events: TraceEvent[] = [];
  const record = (event: TraceEvent) => {
    events.push(event);
    watch.record?.(event);
  };
  const options = { ...watch, ...(measures !== undefined && { measures }) };
  const simulation = new Simulation(algorithm, scenario, isRecorded ? { ...options, record } : options);
  while (simulation.advance(1_000_000));
  const run = simulation.result();
  if (!isRecorded) return run;
  return { ...run, trace: traceOf(traceHead(simulation.setup, watch), events, verdictText(run.violations)) };
}

/**
 * Returns whether a run keeps all that the algorithm assumes. If it does not, a violation is no fault of the algorithm.
 * @throws {InputError} if the scenario cannot be run.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { scenarioKeepsAssumptions } from 'batonjs-lab/sim';
 *
 * scenarioKeepsAssumptions(raymond, { n: 4 }); // → true
 * scenarioKeepsAssumptions(raymond, { n: 4, loss: 0.1 }); // → false
 */
export const scenarioKeepsAssumptions = (algorithm: EitherAlgorithm, scenario: Scenario): boolean =>
  keepsAssumptions(prepare(algorithm, scenario));
