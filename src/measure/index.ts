export { type Atlas, atlasBlocks } from './atlas.ts';
export { atlasHtml } from './atlas-html.ts';
export { atlasMarkdown } from './atlas-markdown.ts';
export { caseVerdict } from './case-verdict.ts';
export { casesOf } from './cases.ts';
export { claimLabel } from './claim-text.ts';
export { type Compared, comparisonGroups, comparisonRows, hasComparison } from './comparison.ts';
export { comparisonBlocks } from './comparison-page.ts';
export { boundsFigure, comparisonFigure, hasClaims, oneAxisFigure } from './figures.ts';
export {
  type Measure,
  type MeasureId,
  measureHeading,
  measureList,
  measureOf,
  measuresOf,
  measureUnit,
} from './measure-list.ts';
export { formatFigure } from './number-format.ts';
export { type Plan, planOf, type SweepOptions } from './plan.ts';
export type { Block } from './report-block.ts';
export { figuresOf, type Row, rowOf } from './row.ts';
export type { MeasureClaim, MeasuredFigures, MeasureFigures, RunSample } from './run-sample.ts';
export { rowCells, type Summary, summariesOf } from './summary.ts';
export { type MeasureTask, samplesOf, tasksOf } from './tasks.ts';
