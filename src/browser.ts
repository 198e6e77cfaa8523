// What there is without Node: all but the cluster.
export * from './algorithms/index.ts';
export * from './causality/index.ts';
export * from './check/index.ts';
export * from './compositions/index.ts';
export { withSnapshots } from './compositions/with-snapshots.ts';
export * from './core/index.ts';
export { type EitherAlgorithm, MemoryMachine, MessageMachine, noSink } from './machine/index.ts';
export * from './mutants/index.ts';
export * from './sim/index.ts';
