import { availableParallelism } from 'node:os';
import { algorithms, clockAlgorithms } from '../../algorithms/index.ts';
import { messagePassing, resolve } from '../../catalogue/index.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import {
  atlasBlocks,
  hasComparison,
  type MeasureTask,
  type Plan,
  planOf,
  type Row,
  type RunSample,
  rowOf,
  type SweepOptions,
  summariesOf,
  tasksOf,
} from '../../measure/index.ts';
import { isAlgorithmFile } from '../input/algorithm-file.ts';
import type { MeasureOptions } from '../input/measure-options.ts';
import { laboratoryFile } from '../laboratory-files.ts';
import { assertWritableFolder, atlasFiles, writeFiles } from '../output/atlas-files.ts';
import { chosenMeasures, measureReport } from '../output/measure-report.ts';
import { ProgressBar, showLine } from '../output/progress-bar.ts';
import { runInThreads } from '../processes/worker-pool.ts';
import { comparisonFiles } from './compare.ts';

const largest = 10_000_000;
const signals = ['SIGINT', 'SIGTERM'] as const;
const usual = { max: '1024', runs: '40', budget: '2000000' };

export async function measureCommand(names: readonly string[], given: MeasureOptions): Promise<number> {
  const chosen = choose(names, given.problem);
  const options = sweepOf(given);
  const measures = chosenMeasures(given.measure);
  const workers = whole(given.workers ?? `${availableParallelism()}`, 'workers', 1024);
  if (given.out !== undefined) assertWritableFolder(given.out);
  const plan = planOf(chosen, options, ({ name }, k) =>
    showLine(process.stderr, `estimating how long runs take: ${name}, ${k + 1} of ${chosen.length}`),
  );
  showLine(process.stderr, '');
  if (plan.points.length === 0)
    throw new InputError('nothing can be measured at these sizes: use smaller ones, or a larger --budget');
  const rows = await measure(plan, options, workers);
  const isGood = summariesOf(rows).every(({ verdict }) => verdict.holds);
  if (given.out !== undefined) {
    const blocks = atlasBlocks({ algorithms: chosen, rows, options, command: commandOf(names, given) });
    const comparison = hasComparison(chosen) ? comparisonFiles(names, given.problem) : [];
    writeFiles(given.out, new Map([...atlasFiles(blocks), ...comparison]));
  }
  if (given.json) console.log(JSON.stringify(rows, null, 2));
  else report(measureReport(rows, measures), plan, given.out);
  return isGood ? 0 : 1;
}

/** Measures all points. Nothing is written before the end, so an interrupted sweep leaves no files. */
async function measure(plan: Plan, options: SweepOptions, workers: number): Promise<Row[]> {
  const tasks = tasksOf(plan, options);
  const progress = new ProgressBar(
    process.stderr,
    tasks.reduce((sum, { work }) => sum + work, 0),
  );
  const script = laboratoryFile('measure-worker.js');
  const { answers, stop } = runInThreads<MeasureTask, RunSample[]>(script, workers, tasks, (task) =>
    progress.advance(task.work, `${task.algorithm}, ${task.case}, n = ${task.n}`),
  );
  const interrupted = (signal: NodeJS.Signals) => {
    stop();
    progress.clear();
    for (const one of signals) process.removeListener(one, interrupted);
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.once(signal, interrupted);
  const samples = await answers.finally(() => {
    progress.clear();
    for (const signal of signals) process.removeListener(signal, interrupted);
  });
  const byPoint = plan.points.map((): RunSample[] => []);
  const bySeed = tasks.map((task, k) => ({ task, k })).sort((a, b) => a.task.firstSeed - b.task.firstSeed);
  for (const { task, k } of bySeed) byPoint[task.point]!.push(...samples[k]!);
  return plan.points.map((point, k) => rowOf(point, byPoint[k]!));
}

function report(tables: string, { leftOut }: Plan, out: string | undefined): void {
  process.stdout.write(tables);
  if (leftOut.length > 0)
    console.log(`${leftOut.length} sizes were left out, being too large for the budget: --budget raises it.`);
  if (out !== undefined)
    console.log(`The report is in ${out}: atlas.md and atlas.html, with figures in atlas/.`);
}

function choose(names: readonly string[], problem: string | undefined): readonly AnyAlgorithm[] {
  const file = names.find(isAlgorithmFile);
  if (file !== undefined)
    throw new InputError(`measure is for the catalogue; baton simulate ${file} counts one run`);
  const named = new Set(names.map((name) => messagePassing(resolve(name))));
  if (problem === undefined) return names.length > 0 ? [...named] : algorithms;
  if (names.length > 0)
    throw new InputError('--problem chooses among all algorithms: leave it out, or the names');
  const all = [...algorithms, ...clockAlgorithms];
  const known = [...new Set(all.map((algorithm) => algorithm.problem))];
  const found = all.filter((algorithm) => algorithm.problem === problem);
  if (found.length > 0) return found;
  throw new InputError(
    `no problem is called '${problem}'${suggest(problem, known)}: choose ${known.join(' or ')}`,
  );
}

function sweepOf({ sizes, max, runs, budget, measuresBudget }: MeasureOptions): SweepOptions {
  if (sizes !== undefined && max !== undefined)
    throw new InputError('--sizes and --max both say how many processes: leave out one');
  return {
    sizes: sizes === undefined ? powersOfTwo(whole(max ?? usual.max, 'max', largest)) : listed(sizes),
    runs: whole(runs ?? usual.runs, 'runs', 1_000_000),
    budget: whole(budget ?? usual.budget, 'budget', 1e12),
    measuresBudget: measuresBudget === undefined ? undefined : whole(measuresBudget, 'measures-budget', 1e12),
  };
}

function powersOfTwo(max: number): number[] {
  const sizes: number[] = [];
  for (let n = 2; n <= max; n *= 2) sizes.push(n);
  if (sizes.length === 0) throw new InputError(`--max must be 2 or more: sizes are 2, 4, 8, ..`);
  return sizes;
}

const listed = (sizes: string): number[] =>
  [...new Set(sizes.split(',').map((size) => whole(size, 'sizes', largest)))].sort((a, b) => a - b);

function whole(text: string, option: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new InputError(`--${option} takes whole numbers from 1 to ${max}, not '${text}'`);
}

/** Returns the command line, without options that do not affect the result. */
function commandOf(names: readonly string[], given: MeasureOptions): string {
  const options = (['problem', 'sizes', 'max', 'runs', 'budget'] as const).flatMap((option) =>
    given[option] === undefined ? [] : [`--${option} ${given[option]}`],
  );
  if (given.measuresBudget !== undefined) options.push(`--measures-budget ${given.measuresBudget}`);
  return ['baton measure', ...names, ...options, '--out DIR'].join(' ');
}
