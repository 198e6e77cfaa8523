export { Check, check, type Report } from './check.ts';
export { type CheckOptions, type Space, timersWait } from './question.ts';
export { Walk, type WalkOptions, type WalkReport, walk } from './walk.ts';
