import type { Bound, Measured } from '../core/algorithm.ts';
import { measureList } from './measure-list.ts';

const claimTexts = { best: 'at least', worst: 'at most', always: 'exactly', mean: 'on average' };

export const boundHead = ['measured', 'said', 'formula', 'when', 'by'];

/** A declared bound as a row. */
export const boundRow = ({
  measures = 'messages',
  counts,
  case: which,
  formula,
  when,
  source,
}: Bound): string[] => [
  boundedText(measures, counts),
  claimTexts[which],
  `\`${formula}\``,
  when?.condition ?? '',
  source,
];

/** Returns what a bound is about: `request + reply`, `synchronisation delay`, `elements of a message: request`. */
function boundedText(measures: Measured, counts: readonly string[]): string {
  const kinds = counts.join(' + ');
  if (measures === 'messages') return kinds;
  const { title } = measureList.find(({ bounded }) => bounded === measures)!;
  return kinds === '' ? title : `${title}: ${kinds}`;
}
