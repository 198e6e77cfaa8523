import type { AnyAlgorithm } from '../core/algorithm.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import { describe, withStamps } from './fields.ts';
import { type Run, verdictOf } from './run.ts';
import { keepsAssumptions, type Scenario, type Setup } from './scenario.ts';
import { describeShared, keepsSharedAssumptions, type SharedSetup, setupOf } from './shared-scenario.ts';
import { SharedSimulation } from './shared-simulation.ts';
import { Simulation } from './simulation.ts';
import type { Watch } from './watch.ts';

type Subject = AnyAlgorithm | AnySharedAlgorithm;
type Asked = Scenario & { readonly events?: boolean };
type WithEvents = { readonly events: true };
type Traced = Run & { readonly trace: Trace };

/**
 * Runs to the end: until nothing is on its way, or a property is violated. `events: true` keeps every event.
 * @example simulate(lamport, { n: 3, events: true }).trace.events
 */
export function simulate(algorithm: Subject, scenario: Scenario & WithEvents, watch?: Watch): Traced;
export function simulate(algorithm: Subject, scenario?: Asked, watch?: Watch): Run;
export function simulate(algorithm: Subject, scenario: Asked = {}, watch: Watch = {}): Run {
  const events: TraceEvent[] = [];
  const record = (event: TraceEvent) => {
    events.push(event);
    watch.record?.(event);
  };
  const simulation = begin(algorithm, scenario, scenario.events ? { ...watch, record } : watch);
  while (simulation.advance(1_000_000));
  const run = simulation.result();
  if (!scenario.events) return run;
  return { ...run, trace: traceOf(headOf(simulation.setup, watch), events, verdictOf(run.violations)) };
}

/** A run to be advanced in slices. */
export const begin = (
  algorithm: Subject,
  scenario: Scenario,
  watch: Watch = {},
): Simulation | SharedSimulation =>
  isShared(algorithm)
    ? new SharedSimulation(algorithm, scenario, watch)
    : new Simulation(algorithm, scenario, watch);

/** The head of the trace of a run. */
export const headOf = (
  setup: Setup | SharedSetup,
  { stamps }: Pick<Watch, 'stamps'> = {},
): Record<string, string> =>
  withStamps('channels' in setup ? describe(setup) : describeShared(setup), stamps);

/** Whether a run keeps all that the algorithm assumes; refuses a scenario that cannot be run. */
export const bindsPromises = (algorithm: Subject, scenario: Scenario): boolean =>
  keepsPromises(setupOf(algorithm, scenario));

export const keepsPromises = (setup: Setup | SharedSetup): boolean =>
  'channels' in setup ? keepsAssumptions(setup) : keepsSharedAssumptions(setup);
