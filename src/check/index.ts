export { Check, type CheckReport, check, type Verdict } from './check.ts';
export { type CheckOptions, type Space, timerCapacity } from './config.ts';
export { RandomWalk, type RandomWalkOptions, type RandomWalkReport, randomWalk } from './random-walk.ts';
