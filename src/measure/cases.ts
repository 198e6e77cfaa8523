import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { logCeil } from '../core/bounds.ts';
import { Random } from '../core/random.ts';
import type { Scenario } from '../sim/index.ts';

/** A workload for an algorithm, for any size and seed. */
export interface Case {
  readonly name: string;
  readonly about: string;
  readonly typical: boolean; // the workload is random, so that a mean given by a paper applies
  readonly fits: (algorithm: AnyAlgorithm) => boolean;
  readonly scenario: (algorithm: AnyAlgorithm, n: number, seed: number) => Scenario;
}

const always = () => true;
const onRing = ({ assumes }: AnyAlgorithm): boolean => /ring/.test(assumes.topology);
const onRingWithIds = (algorithm: AnyAlgorithm): boolean =>
  onRing(algorithm) && algorithm.knows.includes('id');

const elections: readonly Case[] = [
  {
    name: 'all start',
    about: 'everybody starts at once; ids at random',
    typical: true,
    fits: always,
    scenario: () => ({ start: 'all' }),
  },
  {
    name: 'one starts',
    about: 'somebody starts; ids at random',
    typical: true,
    fits: always,
    scenario: (_algorithm, n, seed) => ({ start: [{ process: randomProcess(n, seed) }] }),
  },
  {
    name: 'winner starts',
    about: 'only the process starts that is to win; ids at random',
    typical: false,
    fits: ({ elects = 'any', knows }) => elects !== 'any' && (knows.includes('id') || knows.includes('me')),
    scenario: winnerStarts,
  },
  {
    name: 'ids ascending',
    about: 'everybody starts; ids grow in the direction of sending',
    typical: false,
    fits: onRingWithIds,
    scenario: (_algorithm, n) => ({ ids: Array.from({ length: n }, (_, i) => i + 1) }),
  },
  {
    name: 'ids descending',
    about: 'everybody starts; ids fall in the direction of sending',
    typical: false,
    fits: onRingWithIds,
    scenario: (_algorithm, n) => ({ ids: Array.from({ length: n }, (_, i) => n - i) }),
  },
  {
    name: 'ids bit-reversed',
    about: 'everybody starts; ids in the order of their positions read backwards in binary',
    typical: false,
    fits: onRingWithIds,
    scenario: (_algorithm, n) => ({ ids: bitReversed(n) }),
  },
];

const entries = 3;
const gap = 100; // ticks between two requests under light load, per hop of an entry
const longestThink = 1e12 - 1; // the longest that a scenario accepts

const mutexes: readonly Case[] = [
  {
    name: 'light load',
    about: `everybody asks ${entries} times, so rarely that hardly two ever want to enter at once`,
    typical: true,
    fits: always,
    scenario: (algorithm, n) => ({ entries, think: `exponential:${lightThink(algorithm, n)}` }),
  },
  {
    name: 'heavy load',
    about: `everybody asks ${entries} times, again as soon as it has left`,
    typical: true,
    fits: always,
    scenario: () => ({ entries, think: 'fixed:0' }),
  },
  {
    name: 'one asks',
    about: 'somebody asks once, and nobody else ever does',
    typical: true,
    fits: always,
    scenario: (_algorithm, n, seed) => ({ start: [{ process: randomProcess(n, seed) }] }),
  },
];

const synchronisations: readonly Case[] = [
  {
    name: 'once',
    about: 'everybody whose call begins something calls once',
    typical: true,
    fits: always,
    scenario: () => ({}),
  },
  {
    name: 'again',
    about: `the same, ${entries} times`,
    typical: true,
    fits: always,
    scenario: () => ({ rounds: entries }),
  },
];

const cases: Readonly<Record<Problem, readonly Case[]>> = {
  mutex: mutexes,
  election: elections,
  clocks: synchronisations,
};

export const casesOf = (algorithm: AnyAlgorithm): readonly Case[] =>
  cases[algorithm.problem].filter(({ fits }) => fits(algorithm));

/** The two cases that the comparison figure shows. */
export const comparedCases: Readonly<Record<Problem, readonly [string, string]>> = {
  mutex: ['light load', 'heavy load'],
  election: ['all start', 'one starts'],
  clocks: ['once', 'again'],
};

/** A generator for each size, so that sizes are independent. */
const randomFor = (n: number, seed: number): Random => new Random(seed, `measure ${n}`);
const randomProcess = (n: number, seed: number): number => randomFor(n, seed).below(n);

/** The mean think time, so that n processes together make one request per gap. */
const lightThink = (algorithm: AnyAlgorithm, n: number): number =>
  Math.min(n * gap * (onRing(algorithm) ? n : 1 + logCeil(n)), longestThink);

function winnerStarts({ elects, knows }: AnyAlgorithm, n: number, seed: number): Scenario {
  if (!knows.includes('id')) return { start: [{ process: elects === 'largest' ? n - 1 : 0 }] };
  const ids = [...randomFor(n, seed).permutation(n)];
  return { ids, start: [{ process: ids.indexOf(elects === 'largest' ? n : 1) }] };
}

function bitReversed(n: number): number[] {
  const bits = logCeil(n);
  const reversed = new Int32Array(n);
  for (let i = 0; i < n; i += 1) {
    for (let bit = 0; bit < bits; bit += 1) if (i & (1 << bit)) reversed[i]! |= 1 << (bits - 1 - bit);
  }
  const rank = new Map([...reversed].sort((a, b) => a - b).map((value, k) => [value, k + 1]));
  return [...reversed].map((value) => rank.get(value)!);
}
