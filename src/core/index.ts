export * from './algorithm.ts';
export { AssertionError, InputError } from './assert.ts';
export { allStart, atLeast, atMost, exactly, onAverage } from './bounds.ts';
export { decode, encode, freeze } from './plain.ts';
export { Random } from './random.ts';
export { fromEdges, Topology } from './topology.ts';
export { eventLine, parseTrace, type Trace, type TraceEvent } from './trace.ts';
