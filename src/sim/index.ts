export type { Violation } from '../problems/monitor.ts';
export { describe, type Fields, parseFields } from './fields.ts';
export { type Latency, parseLatency } from './latency.ts';
export { type Replay, replay } from './replay.ts';
export type { Run } from './run.ts';
export type { Fault, Scenario } from './scenario.ts';
export { Simulation, simulate, type Watch } from './simulator.ts';
