export { clockNamed, clocks } from './clocks.ts';
export { EventGraph } from './event-graph.ts';
export { type HappenedBefore, happenedBefore } from './happened-before.ts';
export { Stamper, stamped, stamping } from './stamps.ts';
