import type { AnyAlgorithm } from '../core/algorithm.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import type { Run } from './run.ts';
import { keepsAssumptions, prepare, type Scenario } from './scenario.ts';
import { keepsSharedAssumptions, prepareShared } from './shared-scenario.ts';
import { SharedSimulation } from './shared-simulation.ts';
import { Simulation } from './simulation.ts';
import type { Watch } from './watch.ts';

/** Runs to the end: until nothing is on its way, or a property is violated. */
export function simulate(
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  scenario: Scenario = {},
  watch: Watch = {},
): Run {
  const simulation = begin(algorithm, scenario, watch);
  while (simulation.advance(1_000_000));
  return simulation.result();
}

/** A run to be advanced in slices. */
export const begin = (
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  scenario: Scenario,
  watch: Watch = {},
): Simulation | SharedSimulation =>
  isShared(algorithm)
    ? new SharedSimulation(algorithm, scenario, watch)
    : new Simulation(algorithm, scenario, watch);

/** Whether a run keeps all that the algorithm assumes; refuses a scenario that cannot be run. */
export const bindsPromises = (algorithm: AnyAlgorithm | AnySharedAlgorithm, scenario: Scenario): boolean =>
  isShared(algorithm)
    ? keepsSharedAssumptions(prepareShared(algorithm, scenario))
    : keepsAssumptions(prepare(algorithm, scenario));
