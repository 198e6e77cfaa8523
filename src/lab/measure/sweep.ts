// The sweep of the measure view, and its text in a permalink.
import { isMutant, listed, messagePassing, resolveOrNull, titleOf } from '../../catalogue/index.ts';
import type { AnyAlgorithm, Problem } from '../../core/algorithm.ts';
import { type MeasureId, measuresOf } from '../../measure/index.ts';
import { isPlottable, type OwnAlgorithm } from './own-algorithm.ts';

export interface Sweep {
  readonly names: readonly string[]; // of one problem, at least one
  readonly max: number; // processes
  readonly runs: number;
  readonly measure: MeasureId; // what is plotted: every run takes all measures
}

export const sweepSizes = [16, 32, 64, 128, 256, 512] as const;
export const runCounts = [5, 20, 40] as const;
const maxAlgorithms = 12; // in one figure
const ownInText = 'own'; // the algorithm from the editor, in the text of a sweep

export const measurableAlgorithms = listed
  .filter((algorithm) => isPlottable(algorithm) && !isMutant(algorithm))
  .map(messagePassing);

/** Returns the algorithm of the catalogue with this name, or undefined if it cannot be plotted. */
export function measurableAlgorithm(name: string): AnyAlgorithm | undefined {
  const found = resolveOrNull(name);
  return found && isPlottable(found) && !isMutant(found) ? messagePassing(found) : undefined;
}

/** The same, or the algorithm from the editor. */
const plottableAlgorithm = (name: string, own: OwnAlgorithm | null): AnyAlgorithm | undefined =>
  name === own?.algorithm.name ? own.algorithm : measurableAlgorithm(name);

export const sweptAlgorithms = ({ names }: Sweep, own: OwnAlgorithm | null): AnyAlgorithm[] =>
  names.map((name) => plottableAlgorithm(name, own)!);

export const sweptTitle = (algorithm: Pick<AnyAlgorithm, 'name'>, own: OwnAlgorithm | null): string =>
  algorithm.name === own?.algorithm.name ? own.title : titleOf(algorithm);

export const sweepProblem = (sweep: Sweep, own: OwnAlgorithm | null): Problem =>
  sweptAlgorithms(sweep, own)[0]!.problem;

/** `raymond,lamport:128:20`, and `raymond,own:128:20:delay` for another measure than messages */
export const sweepText = ({ names, max, runs, measure }: Sweep, own: OwnAlgorithm | null): string => {
  const list = names.map((name) => (name === own?.algorithm.name ? ownInText : name)).join(',');
  return [list, max, runs, ...(measure === 'messages' ? [] : [measure])].join(':');
};

/** Parses the text of a sweep. Invalid parts fall back to defaults. */
export function parseSweep(
  text: string,
  fallback: Pick<AnyAlgorithm, 'name' | 'problem'>,
  own: OwnAlgorithm | null,
): Sweep {
  const [list = '', max, runs, measure] = text.split(':');
  const known = list
    .split(',')
    .flatMap((name) => (name === ownInText ? own?.algorithm : measurableAlgorithm(name)) ?? []);
  const chosen = known.filter(({ problem }) => problem === known[0]!.problem).slice(0, maxAlgorithms);
  const isGiven = chosen.length > 0;
  const { problem } = isGiven ? chosen[0]! : fallback;
  return {
    names: isGiven ? [...new Set(chosen.map(({ name }) => name))] : comparableAlgorithms(fallback, own),
    max: sweepSizes.find((size) => `${size}` === max) ?? 128,
    runs: runCounts.find((count) => `${count}` === runs) ?? 20,
    measure: measureFor(problem, measure),
  };
}

/** Returns a measure if it applies to the problem, else messages. */
const measureFor = (problem: Problem, measure: string | undefined): MeasureId =>
  (problem === 'clocks' ? null : measuresOf(problem).find(({ id }) => id === measure)?.id) ?? 'messages';

const classics: Readonly<Record<Problem, readonly string[]>> = {
  mutex: ['ricart-agrawala', 'maekawa', 'raymond'],
  election: ['chang-roberts', 'hirschberg-sinclair', 'peterson'],
  clocks: ['ricart-agrawala', 'maekawa', 'raymond'], // clocks are not plotted: the view shows locks
};

/** Returns the algorithm from the editor, else the one given, if it can be plotted, and classics to compare it with: three at most. */
function comparableAlgorithms(
  { name, problem }: Pick<AnyAlgorithm, 'name' | 'problem'>,
  own: OwnAlgorithm | null,
): string[] {
  const isOwn = own?.algorithm.problem === problem;
  const first = isOwn ? [own.algorithm.name] : measurableAlgorithm(name) ? [name] : [];
  return [...new Set([...first, ...classics[problem]])].slice(0, 3);
}

/** Returns a sweep of another problem, with the same sizes and, if it applies, the same measure. */
export const withProblem = (sweep: Sweep, problem: Problem, own: OwnAlgorithm | null): Sweep => ({
  ...sweep,
  names: comparableAlgorithms({ name: '', problem }, own),
  measure: measureFor(problem, sweep.measure),
});

/** Returns a sweep with the algorithm from the editor among its algorithms. */
export function withOwn(sweep: Sweep, own: OwnAlgorithm): Sweep {
  const { name, problem } = own.algorithm;
  if (sweep.names.includes(name)) return sweep;
  if (sweepProblem(sweep, own) !== problem) return withProblem(sweep, problem, own);
  return { ...sweep, names: [name, ...sweep.names].slice(0, maxAlgorithms) };
}

export const toggleAlgorithm = (sweep: Sweep, name: string): Sweep => {
  const names = sweep.names.includes(name)
    ? sweep.names.filter((one) => one !== name)
    : [...sweep.names, name].slice(-maxAlgorithms);
  return names.length === 0 ? sweep : { ...sweep, names };
};

/** Returns the powers of two from 2 to `max`. */
export function sizesUpTo(max: number): number[] {
  const list: number[] = [];
  for (let n = 2; n <= max; n *= 2) list.push(n);
  return list;
}
