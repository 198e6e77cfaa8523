import type { Bound, Bypass, Circumstances, Counting } from './algorithm.ts';

export interface Limits {
  readonly counts: readonly string[];
  readonly atLeast: number;
  readonly atMost: number;
  readonly lower: Bound | null; // the bound it comes from
  readonly upper: Bound | null;
}

/**
 * The tightest bounds that apply, one pair for each group of message kinds that the papers count together. The groups of
 * an algorithm are disjoint, so their sums bound the total. `times` is the number of entries or elections.
 */
export function limitsOf(
  algorithm: { readonly bounds: readonly Bound[] },
  circumstances: Circumstances,
  times = 1,
): Limits[] {
  const groups = new Map<string, Limits>();
  for (const bound of algorithm.bounds) {
    const key = bound.counts.join(' ');
    let limits = groups.get(key) ?? {
      counts: bound.counts,
      atLeast: 0,
      atMost: Infinity,
      lower: null,
      upper: null,
    };
    if (bound.case !== 'mean' && (bound.when === undefined || bound.when.holds(circumstances))) {
      const messages = bound.messages(circumstances) * times;
      if (bound.case !== 'worst' && messages >= limits.atLeast)
        limits = { ...limits, atLeast: messages, lower: bound };
      if (bound.case !== 'best' && messages <= limits.atMost)
        limits = { ...limits, atMost: messages, upper: bound };
    }
    groups.set(key, limits);
  }
  return [...groups.values()];
}

/** Bounds on the total number of messages. There is no upper bound if some kind is in no group. */
export function totalOf(
  limits: readonly Limits[],
  kinds: readonly string[],
): { atLeast: number; atMost: number } {
  const isCovered = kinds.every((kind) => limits.some(({ counts }) => counts.includes(kind)));
  return {
    atLeast: limits.reduce((sum, { atLeast }) => sum + atLeast, 0),
    atMost: isCovered ? limits.reduce((sum, { atMost }) => sum + atMost, 0) : Infinity,
  };
}

/** The first bound that the counts break, as a sentence; null if all hold. */
export function brokenBound(
  limits: readonly Limits[],
  byType: Readonly<Record<string, number>>,
  what = 'messages',
): string | null {
  for (const { counts, atLeast, atMost, lower, upper } of limits) {
    const sent = counts.reduce((sum, kind) => sum + (byType[kind] ?? 0), 0);
    const kinds = counts.join(' + ');
    if (sent > atMost)
      return `${sent} ${kinds} ${what}, but at most ${atMost} = ${upper?.formula} (${upper?.source})`;
    if (sent < atLeast)
      return `${sent} ${kinds} ${what}, but at least ${atLeast} = ${lower?.formula} (${lower?.source})`;
  }
  return null;
}

/** The bypass bounds that apply, as numbers. */
export const bypassLimits = (
  algorithm: { readonly bypass?: readonly Bypass[] | undefined },
  circumstances: Circumstances,
) =>
  (algorithm.bypass ?? [])
    .filter(({ when }) => when === undefined || when.holds(circumstances))
    .map((bypass) => ({ ...bypass, most: bypass.entries(circumstances) }));

type Make = <Kind extends string>(
  counts: readonly Kind[],
  formula: string,
  source: string,
  messages: Bound['messages'],
  when?: Bound['when'],
) => Bound<Kind>;

const boundOf =
  (which: Bound['case']): Make =>
  (counts, formula, source, messages, when) => ({ case: which, counts, formula, source, messages, when });

/** How an algorithm declares its bounds: the kinds counted, the formula, its source, the formula as a function, and its condition. */
export const atLeast = boundOf('best');
export const atMost = boundOf('worst');
export const exactly = boundOf('always');
export const onAverage = boundOf('mean');

/** Each other requesting process enters at most `times` times while a process waits. */
export const eachOther = (times: number, from: Counting, source: string, when?: Bypass['when']): Bypass => ({
  from,
  formula: times === 1 ? 'a-1' : `${times}(a-1)`,
  source,
  when,
  entries: ({ initiators }) => times * Math.max(0, initiators - 1),
});

export const noBypassBound = (why: string): Bypass => ({
  from: 'quiet',
  formula: 'none',
  source: why,
  entries: () => Infinity,
});

/** Conditions that many bounds share. */
export const allStart: Bound['when'] = {
  condition: 'all start at once',
  holds: ({ initiators, n, together }) => initiators === n && together,
};

export const alone: Bound['when'] = {
  condition: 'nobody else asks',
  holds: ({ initiators, living, n }) => initiators === 1 && living === n,
};

export const nobodyCrashes: Bound['when'] = {
  condition: 'nobody crashes',
  holds: ({ living, n }) => living === n,
};
export const notAlone: Bound['when'] = { condition: 'n > 1', holds: ({ n }) => n > 1 };

/** The binary logarithm, rounded up. */
export const logCeil = (n: number): number => (n <= 1 ? 0 : 32 - Math.clz32(n - 1));

/** The binary logarithm, rounded down. */
export const logFloor = (n: number): number => 31 - Math.clz32(n);

/** The binary logarithm, by squaring. Unlike Math.log2 it is the same on every machine. */
export function log(n: number): number {
  let result = logFloor(n);
  let rest = n / 2 ** result;
  for (let bit = 1 / 2; bit > 2 ** -50; bit /= 2) {
    rest *= rest;
    if (rest >= 2) {
      rest /= 2;
      result += bit;
    }
  }
  return result;
}

/** The index of the largest Fibonacci number up to n: floor(log_phi(sqrt5(n + 1/2))), in whole numbers. */
export function fibonacciIndex(n: number): number {
  let index = 2;
  for (let [low, high] = [1, 2]; high <= n; [low, high] = [high, low + high]) index += 1;
  return index;
}

/** H_n = 1 + 1/2 + .. + 1/n */
export function harmonic(n: number): number {
  let sum = 0;
  for (let k = n; k >= 1; k -= 1) sum += 1 / k;
  return sum;
}
