export * from './protocol.ts';
export { Rates } from './rates.ts';
export { type Handled, type Report, Story } from './story.ts';
