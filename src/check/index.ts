export { Check, type CheckOptions, check, type Report, type Space } from './check.ts';
