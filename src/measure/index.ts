export { type Atlas, type Block, blocksOf, cellsOf, summariesOf } from './atlas.ts';
export { casesOf } from './cases.ts';
export { compare, confront } from './figures.ts';
export { markdownOf } from './markdown.ts';
export { pageOf } from './page.ts';
export { type Options, type Plan, planOf, type Task, tasksOf } from './plan.ts';
export { type Row, rowOf } from './row.ts';
export { type Sample, samplesOf } from './sample.ts';
export { verdictOf } from './verdict.ts';
