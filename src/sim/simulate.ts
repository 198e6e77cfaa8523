import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { headOf } from './fields.ts';
import { type Run, verdictOf } from './run.ts';
import { keepsAssumptions, prepare, type Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';
import type { Watch } from './watch.ts';

type Asked = Scenario & { readonly events?: boolean };
type WithEvents = { readonly events: true };
type Traced = Run & { readonly trace: Trace };

/**
 * Runs to the end: until nothing is on its way, or a property is violated. `events: true` keeps every event.
 * @example simulate(lamport, { n: 3, events: true }).trace.events
 */
export function simulate(algorithm: EitherAlgorithm, scenario: Scenario & WithEvents, watch?: Watch): Traced;
export function simulate(algorithm: EitherAlgorithm, scenario?: Asked, watch?: Watch): Run;
export function simulate(algorithm: EitherAlgorithm, scenario: Asked = {}, watch: Watch = {}): Run {
  const events: TraceEvent[] = [];
  const record = (event: TraceEvent) => {
    events.push(event);
    watch.record?.(event);
  };
  const simulation = new Simulation(algorithm, scenario, scenario.events ? { ...watch, record } : watch);
  while (simulation.advance(1_000_000));
  const run = simulation.result();
  if (!scenario.events) return run;
  return { ...run, trace: traceOf(headOf(simulation.setup, watch), events, verdictOf(run.violations)) };
}

/** Whether a run keeps all that the algorithm assumes; refuses a scenario that cannot be run. */
export const bindsPromises = (algorithm: EitherAlgorithm, scenario: Scenario): boolean =>
  keepsAssumptions(prepare(algorithm, scenario));
