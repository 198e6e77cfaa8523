import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { Run } from './run.ts';
import type { Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';
import type { Watch } from './watch.ts';

/** Runs to the end: until nothing is on its way, or a property is violated. */
export function simulate(algorithm: AnyAlgorithm, scenario: Scenario = {}, watch: Watch = {}): Run {
  const simulation = new Simulation(algorithm, scenario, watch);
  while (simulation.advance(1_000_000));
  return simulation.result();
}
