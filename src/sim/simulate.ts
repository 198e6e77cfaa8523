import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { type Run, verdictText } from './run-result.ts';
import { keepsAssumptions } from './scenario/kept-assumptions.ts';
import type { Scenario } from './scenario/scenario.ts';
import { traceHead } from './scenario/scenario-fields.ts';
import { prepare } from './scenario/setup.ts';
import { Simulation } from './simulation.ts';
import type { WatchOptions } from './watch-options.ts';

type SimulateInput = Scenario & { readonly events?: boolean };
type WithEvents = { readonly events: true };
type Traced = Run & { readonly trace: Trace };

/**
 * Simulates a run until no event is left, or a property is violated. `events: true` keeps every event.
 * @example simulate(lamport, { n: 3, events: true }).trace.events
 */
export function simulate(
  algorithm: EitherAlgorithm,
  scenario: Scenario & WithEvents,
  watch?: WatchOptions,
): Traced;
export function simulate(algorithm: EitherAlgorithm, scenario?: SimulateInput, watch?: WatchOptions): Run;
export function simulate(
  algorithm: EitherAlgorithm,
  scenario: SimulateInput = {},
  watch: WatchOptions = {},
): Run {
  const events: TraceEvent[] = [];
  const record = (event: TraceEvent) => {
    events.push(event);
    watch.record?.(event);
  };
  const simulation = new Simulation(algorithm, scenario, scenario.events ? { ...watch, record } : watch);
  while (simulation.advance(1_000_000));
  const run = simulation.result();
  if (!scenario.events) return run;
  return { ...run, trace: traceOf(traceHead(simulation.setup, watch), events, verdictText(run.violations)) };
}

/**
 * Whether a run keeps all that the algorithm assumes.
 * @throws InputError if the scenario cannot be run.
 */
export const scenarioKeepsAssumptions = (algorithm: EitherAlgorithm, scenario: Scenario): boolean =>
  keepsAssumptions(prepare(algorithm, scenario));
