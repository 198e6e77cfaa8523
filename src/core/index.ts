export * from './algorithm.ts';
export { AssertionError, InputError } from './assert.ts';
export {
  allStart,
  alone,
  atLeast,
  atMost,
  eachOther,
  exactly,
  noBypassBound,
  nobodyCrashes,
  onAverage,
} from './bounds.ts';
export type { LogicalClock } from './logical-clock.ts';
export { decode, encode, freeze } from './plain.ts';
export { Random } from './random.ts';
export {
  type Access,
  type AnySharedAlgorithm,
  isShared,
  type Line,
  type Memory,
  type SharedAlgorithm,
  type SharedPlace,
  type SharedWorld,
  sharedAlgorithm,
} from './shared.ts';
export { fromEdges, Topology } from './topology.ts';
export { eventLine, messageText, parseTrace, type Trace, type TraceEvent, traceText } from './trace.ts';
export { onTheWay, placesOf, type TokenPlace } from './world.ts';
