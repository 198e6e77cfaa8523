export * from './algorithm.ts';
export { AssertionError, InputError } from './assert.ts';
export {
  allStart,
  alone,
  atLeast,
  atMost,
  bitsOf,
  busiestShare,
  eachOther,
  electionEnd,
  electionTime,
  elementsOf,
  exactly,
  heavyLoad,
  longestChain,
  noBypassBound,
  nobodyCrashes,
  onAverage,
  responseTime,
  saturated,
  synchronisationDelay,
  throughput,
  tokenHops,
  totalBits,
  waitingTime,
} from './bounds.ts';
export type { LogicalClock } from './logical-clock.ts';
export type { MessageShape, MessageShapes, ShapeOf, ShapesOf } from './message-shape.ts';
export { fromEdges } from './network-shapes.ts';
export { decode, encode, freeze } from './plain-data.ts';
export { Random } from './random.ts';
export {
  type Access,
  type AccessKind,
  type AnySharedAlgorithm,
  type CompositeLine,
  isShared,
  type Line,
  type Locals,
  type Memory,
  type Section,
  type SharedAlgorithm,
  type SharedFacts,
  type SharedWorld,
  sharedAlgorithm,
} from './shared-algorithm.ts';
export { Topology } from './topology.ts';
export {
  eventLine,
  messageText,
  parseTrace,
  type Trace,
  type TraceEvent,
  type TraceInput,
  type TraceOutput,
  traceText,
} from './trace.ts';
export {
  type ConditionalInvariant,
  countInFlight,
  type Finding,
  findingsIn,
  forEvery,
  type TokenLocation,
  tokenLocations,
} from './world-queries.ts';
