// The sweep of the measure view, and its text in a permalink.
import {
  algorithmInfo,
  type EitherAlgorithm,
  isMutant,
  listed,
  messagePassing,
  resolveOrNull,
} from '../../catalogue/index.ts';
import type { AnyAlgorithm, Problem } from '../../core/algorithm.ts';

export interface Sweep {
  readonly names: readonly string[]; // of one problem, at least one
  readonly max: number; // processes
  readonly runs: number;
}

export const sweepSizes = [16, 32, 64, 128, 256, 512] as const;
export const runCounts = [5, 20, 40] as const;
const maxAlgorithms = 12; // in one figure

/** Whether the view can plot an algorithm: it counts messages of locks and elections. */
const isMeasurable = (algorithm: EitherAlgorithm) =>
  algorithmInfo(algorithm).hasLinks && algorithm.problem !== 'clocks' && !isMutant(algorithm);

export const measurableAlgorithms = listed.filter(isMeasurable).map(messagePassing);

export function measurableAlgorithm(name: string): AnyAlgorithm | undefined {
  const found = resolveOrNull(name);
  return found && isMeasurable(found) ? messagePassing(found) : undefined;
}

export const sweepProblem = ({ names }: Sweep): Problem => measurableAlgorithm(names[0]!)!.problem;

/** `raymond,lamport:128:20` */
export const sweepText = ({ names, max, runs }: Sweep): string => [names.join(','), max, runs].join(':');

/** Parses the text of a sweep. Invalid parts fall back to defaults. */
export function parseSweep(text: string, fallback: Pick<AnyAlgorithm, 'name' | 'problem'>): Sweep {
  const [list = '', max, runs] = text.split(':');
  const known = list.split(',').flatMap((name) => measurableAlgorithm(name) ?? []);
  const chosen = known.filter(({ problem }) => problem === known[0]!.problem).slice(0, maxAlgorithms);
  return {
    names: chosen.length > 0 ? [...new Set(chosen.map(({ name }) => name))] : comparableAlgorithms(fallback),
    max: sweepSizes.find((size) => `${size}` === max) ?? 128,
    runs: runCounts.find((count) => `${count}` === runs) ?? 20,
  };
}

const classics: Readonly<Record<Problem, readonly string[]>> = {
  mutex: ['ricart-agrawala', 'maekawa', 'raymond'],
  election: ['chang-roberts', 'hirschberg-sinclair', 'peterson'],
  clocks: ['ricart-agrawala', 'maekawa', 'raymond'], // clocks are not plotted: the view shows locks
};

/** Returns the algorithm, if it can be measured, and classics to compare it with: three at most. */
export function comparableAlgorithms({ name, problem }: Pick<AnyAlgorithm, 'name' | 'problem'>): string[] {
  const measurable = measurableAlgorithm(name) ? [name] : [];
  return [...new Set([...measurable, ...classics[problem]])].slice(0, 3);
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
