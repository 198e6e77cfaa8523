export type { Adjustment, ClockFace, ClockReport } from '../problems/clocks.ts';
export type { Violation } from '../problems/monitor.ts';
export { namesIn, whyNotBetween } from './between.ts';
export { Clocks, type Correction, correctedAt, doneAt, faceAt, hardwareAt } from './clocks.ts';
export type { CommonFault, Fault } from './faults.ts';
export { describe, type Fields, parseFields } from './fields.ts';
export type { Action } from './hand.ts';
export { didText, type Replay, Replayer, replay, replayerOf } from './replay.ts';
export { type Run, type Snapshot, verdictOf } from './run.ts';
export {
  circumstancesOf,
  keepsAssumptions,
  prepare,
  type Scenario,
  type Setup,
} from './scenario.ts';
export { SharedReplayer } from './shared-replay.ts';
export {
  describeShared,
  prepareShared,
  type SharedSetup,
  setupOf,
  sharedCircumstances,
} from './shared-scenario.ts';
export { SharedSimulation } from './shared-simulation.ts';
export { begin, bindsPromises, headOf, keepsPromises, simulate } from './simulate.ts';
export { Simulation } from './simulation.ts';
export type { Watch } from './watch.ts';
