export { type Atlas, atlasBlocks, type Block, rowCells, summariesOf } from './atlas.ts';
export { atlasHtml } from './atlas-html.ts';
export { atlasMarkdown } from './atlas-markdown.ts';
export { caseVerdict } from './case-verdict.ts';
export { casesOf } from './cases.ts';
export { boundsFigure, comparisonFigure, hasClaims } from './figures.ts';
export {
  type Measure,
  type MeasureId,
  measureHeading,
  measureList,
  measureOf,
  measuresOf,
} from './measure-list.ts';
export { type Plan, planOf, type SweepOptions } from './plan.ts';
export { figuresOf, type Row, rowOf } from './row.ts';
export type { MeasureClaim, MeasuredFigures, MeasureFigures, RunSample } from './run-sample.ts';
export { type MeasureTask, samplesOf, tasksOf } from './tasks.ts';
