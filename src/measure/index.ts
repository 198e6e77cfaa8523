export { type Atlas, atlasBlocks, type Block, rowCells, summariesOf } from './atlas.ts';
export { atlasHtml } from './atlas-html.ts';
export { atlasMarkdown } from './atlas-markdown.ts';
export { caseVerdict } from './case-verdict.ts';
export { casesOf } from './cases.ts';
export { boundsFigure, comparisonFigure } from './figures.ts';
export { type MeasureTask, type Plan, planOf, type SweepOptions, tasksOf } from './plan.ts';
export { type Row, rowOf } from './row.ts';
export { type RunSample, samplesOf } from './run-sample.ts';
