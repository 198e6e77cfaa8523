// The tables that `baton measure` prints.
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import {
  figuresOf,
  formatFigure,
  type MeasureId,
  measureHeading,
  measureList,
  measureOf,
  type Row,
  rowCells,
  summariesOf,
} from '../../measure/index.ts';
import { table } from './table.ts';

/** Returns the measures that `--measure` names; null if it is not given. */
export function chosenMeasures(text: string | undefined): readonly MeasureId[] | null {
  if (text === undefined) return null;
  const ids = measureList.map(({ id }) => id);
  if (text === 'all') return ids;
  return text.split(',').map((name) => {
    const found = ids.find((id) => id === name);
    if (found !== undefined) return found;
    throw new InputError(
      `no measure is called '${name}'${suggest(name, ids)}: choose ${ids.join(', ')} or all`,
    );
  });
}

/** Returns a table for each chosen measure, or one table with messages and the means of the most important others. */
export const measureReport = (rows: readonly Row[], chosen: readonly MeasureId[] | null): string =>
  chosen === null ? overview(rows) : chosen.map((id) => tableOf(rows, id)).join('\n');

const figureHead = ['algorithm', 'case', 'n', 'runs', 'least', 'mean', 'most'];
const verdictHead = 'verdict, over all sizes';

/** The columns beside messages. Of several measures the first that a row has is shown. */
const columns: readonly (readonly [head: string, ids: readonly MeasureId[]])[] = [
  ['delay', ['delay']],
  ['time', ['waiting', 'elected']],
  ['bits', ['bits']],
  ['load', ['busiest']],
];

function overview(rows: readonly Row[]): string {
  const head = [...figureHead, 'said', ...columns.map(([name]) => name), verdictHead];
  const lines = summariesOf(rows).map(({ algorithm, case: which, largest, verdict }) => [
    algorithm,
    which,
    ...rowCells(largest),
    ...columns.map(([, ids]) => meanOf(largest, ids)),
    verdict.sentence,
  ]);
  return `${table([head, ...lines])}
Messages per entry or per election, at the largest size measured of each case, and means of:
  delay  from a release, while another process waits, to the next entry by another process
  time   from the request to the entry, or from the first start until the winner knows
  bits   of all messages, per entry or per election
  load   the busiest process's share of all messages sent and received
Times are in T, the longest time of a message: ${ticks(rows)}. --measure shows one measure with its bounds.
`;
}

const meanOf = (row: Row, ids: readonly MeasureId[]): string => {
  const id = ids.find((one) => figuresOf(row, one) !== null);
  return id === undefined ? '-' : formatFigure(figuresOf(row, id)!.mean, id);
};

function ticks(rows: readonly Row[]): string {
  const lengths = [...new Set(rows.map(({ T }) => T))].sort((a, b) => a - b);
  return `${lengths.join(' or ')} ticks`;
}

function tableOf(rows: readonly Row[], id: MeasureId): string {
  const measure = measureOf(id);
  const summaries = summariesOf(rows, id);
  const headings = new Set(summaries.map(({ largest }) => measureHeading(measure, largest.problem)));
  const heading = [...headings].join(' or ') || measure.title;
  const of = `${heading}: ${measure.about}`;
  if (summaries.length === 0) return `${of}\nNo run has it.\n`;
  const lines = summaries.map(({ algorithm, case: which, largest, verdict }) => [
    algorithm,
    which,
    ...rowCells(largest, id),
    verdict.sentence,
  ]);
  const unit = measure.unit.endsWith('T') ? `T is the longest time of a message: ${ticks(rows)}.\n` : '';
  return `${of}\n${table([[...figureHead, 'said', verdictHead], ...lines])}${unit}`;
}
