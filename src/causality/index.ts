export { type HappenedBefore, happenedBefore } from './happened-before.ts';
export { logicalClockNamed, logicalClocks, vectorClocks } from './logical-clocks.ts';
export { timestampsOf } from './timestamps.ts';
