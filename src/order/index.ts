export { clockNamed, clocks } from './clocks.ts';
export { type HappenedBefore, happenedBefore } from './happened-before.ts';
export { stamped } from './stamps.ts';
