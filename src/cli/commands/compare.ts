// `baton measure --compare`: all algorithms side by side, each figure beside the claim of its source.
import { algorithms, sharedAlgorithms } from '../../algorithms/index.ts';
import { algorithmInfo, type EitherAlgorithm, resolve } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import {
  atlasMarkdown,
  type Compared,
  comparisonBlocks,
  comparisonGroups,
  comparisonRows,
} from '../../measure/index.ts';
import type { MeasureOptions } from '../input/measure-options.ts';
import { assertWritableFolder, writeFiles } from '../output/atlas-files.ts';

const refused = {
  sizes: '--sizes',
  max: '--max',
  runs: '--runs',
  budget: '--budget',
  measuresBudget: '--measures-budget',
  measure: '--measure',
  workers: '--workers',
} as const;

export function compareCommand(names: readonly string[], given: MeasureOptions): number {
  for (const [option, text] of Object.entries(refused))
    if (given[option as keyof typeof refused] !== undefined)
      throw new InputError(`--compare has its own sizes and runs: leave out ${text}`);
  if (given.out !== undefined) assertWritableFolder(given.out);
  const compared = comparedAlgorithms(names, given.problem);
  const rows = comparisonGroups.flatMap((group) => comparisonRows(group, compared));
  if (rows.length === 0) throw new InputError('--compare is for locks and elections');
  const files = comparisonFiles(names, given.problem);
  if (given.out !== undefined) writeFiles(given.out, files);
  if (given.json) console.log(JSON.stringify(rows, null, 2));
  else if (given.out === undefined) process.stdout.write(files.get('comparison.md')!);
  else console.log(`The comparison is in ${given.out}: comparison.md.`);
  return rows.every(({ violation }) => violation === null) ? 0 : 1;
}

/** Returns the page that compares algorithms: those named, or all of the catalogue, or of a problem. */
export function comparisonFiles(names: readonly string[], problem?: string): Map<string, string> {
  const chosen = problem === undefined ? names : [`--problem ${problem}`];
  const command = ['baton measure', ...chosen, '--compare --out DIR'].join(' ');
  const blocks = comparisonBlocks(comparedAlgorithms(names, problem), command);
  return new Map([['comparison.md', atlasMarkdown(blocks, 'comparison')]]);
}

function comparedAlgorithms(names: readonly string[], problem: string | undefined): Compared[] {
  const chosen: readonly EitherAlgorithm[] =
    names.length === 0 ? [...algorithms, ...sharedAlgorithms] : [...new Set(names.map(resolve))];
  return chosen
    .filter((algorithm) => problem === undefined || algorithm.problem === problem)
    .map((algorithm) => ({ algorithm, hasMessages: algorithmInfo(algorithm).hasLinks }));
}
