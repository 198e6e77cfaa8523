// What the measure view asks for, in the address and in words.
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
const maxAlgorithms = 12; // algorithms in one picture

/** The view draws messages of locks and elections. */
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

/** What can be understood of it; the rest is as usual. */
export function parseSweep(text: string, usual: Pick<AnyAlgorithm, 'name' | 'problem'>): Sweep {
  const [list = '', max, runs] = text.split(':');
  const known = list.split(',').flatMap((name) => measurableAlgorithm(name) ?? []);
  const chosen = known.filter(({ problem }) => problem === known[0]!.problem).slice(0, maxAlgorithms);
  return {
    names: chosen.length > 0 ? [...new Set(chosen.map(({ name }) => name))] : comparableAlgorithms(usual),
    max: sweepSizes.find((size) => `${size}` === max) ?? 128,
    runs: runCounts.find((count) => `${count}` === runs) ?? 20,
  };
}

const classics: Readonly<Record<Problem, readonly string[]>> = {
  mutex: ['ricart-agrawala', 'maekawa', 'raymond'],
  election: ['chang-roberts', 'hirschberg-sinclair', 'peterson'],
  clocks: ['ricart-agrawala', 'maekawa', 'raymond'], // they are not drawn here: what one sees first
};

/** The algorithm in company that one knows it from. */
export function comparableAlgorithms({ name, problem }: Pick<AnyAlgorithm, 'name' | 'problem'>): string[] {
  const own = measurableAlgorithm(name) ? [name] : [];
  return [...new Set([...own, ...classics[problem]])].slice(0, 3);
}

export const toggleAlgorithm = (sweep: Sweep, name: string): Sweep => {
  const names = sweep.names.includes(name)
    ? sweep.names.filter((one) => one !== name)
    : [...sweep.names, name].slice(-maxAlgorithms);
  return names.length === 0 ? sweep : { ...sweep, names };
};

/** Doubling, from 2. */
export function sizesUpTo(max: number): number[] {
  const list: number[] = [];
  for (let n = 2; n <= max; n *= 2) list.push(n);
  return list;
}
