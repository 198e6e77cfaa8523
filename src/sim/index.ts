export type { Adjustment, ClockFace, ClockReport } from '../problems/clocks.ts';
export type { Violation } from '../problems/monitor.ts';
export { Clocks, type Correction, correctedAt, doneAt, faceAt, hardwareAt } from './clocks.ts';
export type { CommonFault, Fault } from './faults.ts';
export { describe, type Fields, headOf, parseFields } from './fields.ts';
export type { Action } from './hand.ts';
export { didText, type Replay, Replayer, replay } from './replay.ts';
export { type Run, type Snapshot, verdictOf } from './run.ts';
export {
  circumstancesOf,
  keepsAssumptions,
  prepare,
  type Scenario,
  type Setup,
} from './scenario.ts';
export { bindsPromises, simulate } from './simulate.ts';
export { Simulation } from './simulation.ts';
export type { Watch } from './watch.ts';
