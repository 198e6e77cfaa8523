export type { Adjustment, ClockErrorReport, ClockReading } from '../problems/clock-monitor.ts';
export type { Violation } from '../problems/monitor.ts';
export type { Intervention } from './intervene.ts';
export type { AppliedBound, Judged, Load, Measures } from './measures/measures.ts';
export type { Spread } from './measures/spread.ts';
export {
  type Correction,
  clockReadingAt,
  correctionAt,
  correctionDoneAt,
  hardwareAt,
  SimulatedClocks,
} from './processes/simulated-clocks.ts';
export { type Replay, Replayer, replay, stepText } from './replay.ts';
export { type Run, type Snapshot, verdictText } from './run-result.ts';
export type { CommonFault, Fault } from './scenario/faults.ts';
export { circumstancesOf, keepsAssumptions } from './scenario/kept-assumptions.ts';
export type { Scenario } from './scenario/scenario.ts';
export { parseScenario, type ScenarioFields, setupFields, traceHead } from './scenario/scenario-fields.ts';
export { prepare, type Setup } from './scenario/setup.ts';
export { scenarioKeepsAssumptions, simulate } from './simulate.ts';
export { Simulation } from './simulation.ts';
export type { WatchOptions } from './watch-options.ts';
