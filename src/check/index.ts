export { Check, check, type Report } from './check.ts';
export { type CheckOptions, hasEndlessTimers, type Space } from './question.ts';
export { Walk, type WalkOptions, type WalkReport, walk } from './walk.ts';
