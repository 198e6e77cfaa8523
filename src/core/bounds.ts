import type { Bound, Bypass, Circumstances, Counting, Measured } from './algorithm.ts';

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
    if ((bound.measures ?? 'messages') !== 'messages') continue;
    const key = bound.counts.join(' ');
    let limits = groups.get(key) ?? {
      counts: bound.counts,
      atLeast: 0,
      atMost: Infinity,
      lower: null,
      upper: null,
    };
    if (bound.case !== 'mean' && (bound.when === undefined || bound.when.holds(circumstances))) {
      const messages = bound.value(circumstances) * times;
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

/** The most bits of a message of this kind, by the bounds that the algorithm declares; Infinity if it declares none. */
export const mostBits = (
  algorithm: { readonly bounds: readonly unknown[] },
  kind: string,
  circumstances: Circumstances,
): number =>
  (algorithm.bounds as readonly Bound[])
    .filter(
      ({ measures, counts, case: which }) => measures === 'bits' && which !== 'best' && counts.includes(kind),
    )
    .filter(({ when }) => when === undefined || when.holds(circumstances))
    .reduce((least, { value }) => Math.min(least, value(circumstances)), Infinity);

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
  value: Bound['value'],
  when?: Bound['when'],
) => Bound<Kind>;

const boundOf =
  (which: Bound['case'], measures: Measured = 'messages'): Make =>
  (counts, formula, source, value, when) => ({
    measures,
    case: which,
    counts,
    formula,
    source,
    value,
    when,
  });

/**
 * Declares a lower bound on messages: the best case of the paper.
 *
 * @param counts the types of messages that the paper counts
 * @param formula the formula, for readers
 * @param source where the paper states it
 * @param value the formula as a function
 * @param when the condition of the bound. Defaults to none: it applies to every run.
 *
 * @example
 * import { atLeast } from 'batonjs/core';
 *
 * const bound = atLeast(['election'], '2n - 1', 'p. 281', ({ n }) => 2 * n - 1);
 * bound.case; // → 'best'
 */
export const atLeast = boundOf('best');

/**
 * Declares an upper bound on messages: the worst case of the paper.
 *
 * @param counts the types of messages that the paper counts
 * @param formula the formula, for readers
 * @param source where the paper states it
 * @param value the formula as a function
 * @param when the condition of the bound. Defaults to none: it applies to every run.
 *
 * @example
 * import { atMost } from 'batonjs/core';
 *
 * const bound = atMost(['request', 'privilege'], '2d', 'section 3', ({ diameter }) => 2 * diameter);
 * bound.case; // → 'worst'
 */
export const atMost = boundOf('worst');

/**
 * Declares an exact number of messages.
 *
 * @param counts the types of messages that the paper counts
 * @param formula the formula, for readers
 * @param source where the paper states it
 * @param value the formula as a function
 * @param when the condition of the bound. Defaults to none: it applies to every run.
 *
 * @example
 * import { exactly } from 'batonjs/core';
 *
 * const bound = exactly(['request', 'reply'], '2(n-1)', 'p. 11', ({ n }) => 2 * (n - 1));
 * bound.case; // → 'always'
 */
export const exactly = boundOf('always');

/**
 * Declares the mean number of messages over all arrangements. Runs are not held to it one by one.
 *
 * @param counts the types of messages that the paper counts
 * @param formula the formula, for readers
 * @param source where the paper states it
 * @param value the formula as a function
 * @param when the condition of the bound. Defaults to none: it applies to every run.
 *
 * @example
 * import { onAverage } from 'batonjs/core';
 *
 * const bound = onAverage(['election'], 'about n/2', 'p. 283', ({ n }) => n / 2);
 * bound.case; // → 'mean'
 */
export const onAverage = boundOf('mean');

/** The bounds on a measure of a run: from above, from below, or both. */
const boundsOn = (measures: Measured) => {
  const over =
    (which: Bound['case']) =>
    (formula: string, source: string, value: Bound['value'], when?: Bound['when']): Bound<never> =>
      boundOf(which, measures)([], formula, source, value, when);
  return { atLeast: over('best'), atMost: over('worst'), exactly: over('always') };
};

/** The bounds on what messages of some types have, or form. */
const boundsOnKinds = (measures: Measured) => ({
  atLeast: boundOf('best', measures),
  atMost: boundOf('worst', measures),
  exactly: boundOf('always', measures),
});

/**
 * Declares the time from a release, while another process waits, to the next entry by another process.
 * @example
 * import { synchronisationDelay } from 'batonjs/core';
 *
 * synchronisationDelay.atMost('dT', 'section 3', ({ diameter, T }) => diameter * T).measures; // → 'synchronisationDelay'
 */
export const synchronisationDelay = boundsOn('synchronisationDelay');

/** Declares the time from a request to its entry. */
export const waitingTime = boundsOn('waitingTime');

/** Declares the time from a request to its release. */
export const responseTime = boundsOn('responseTime');

/** Declares the entries per tick, from the first request to the last exit. */
export const throughput = boundsOn('throughput');

/** Declares the time from the first start of an election until the winner knows. */
export const electionTime = boundsOn('electionTime');

/** Declares the time from the first start of an election until the last process knows the leader. */
export const electionEnd = boundsOn('electionEnd');

/** Declares the share that the busiest process has of all messages sent and received. */
export const busiestShare = boundsOn('load');

/** Declares the longest causal chain of messages of some types. */
export const longestChain = boundsOnKinds('chain');

/**
 * Declares the hops of the token from a request to its entry: the messages of some types that arrive anywhere in between, the last of them at
 * the process that asked.
 */
export const tokenHops = boundsOnKinds('tokenHops');

/** Declares the number of elements of each message of some types: fields, with the entries of lists counted one by one. */
export const elementsOf = boundsOnKinds('elements');

/** Declares the number of bits of each message of some types. */
export const bitsOf = boundsOnKinds('bits');

/** Declares the number of bits of all messages of a run. */
export const totalBits = boundsOn('totalBits');

/**
 * Declares a bound on bypasses: each other requesting process enters at most `times` times while a process waits.
 *
 * @param from which entries count. See {@link Counting}.
 * @param source where the paper states it
 * @param when the condition of the bound. Defaults to none: it applies to every run.
 *
 * @example
 * import { eachOther } from 'batonjs/core';
 *
 * eachOther(1, 'heard', 'section 4').formula; // → 'a-1'
 */
export const eachOther = (times: number, from: Counting, source: string, when?: Bypass['when']): Bypass => ({
  from,
  formula: times === 1 ? 'a-1' : `${times}(a-1)`,
  source,
  when,
  entries: ({ initiators }) => times * Math.max(0, initiators - 1),
});

/**
 * Declares that the entries of others while a process waits have no bound.
 *
 * @param why the reason, for readers
 *
 * @example
 * import { noBypassBound } from 'batonjs/core';
 *
 * noBypassBound('a request may stay in flight while others enter').formula; // → 'none'
 */
export const noBypassBound = (why: string): Bypass => ({
  from: 'quiet',
  formula: 'none',
  source: why,
  entries: () => Infinity,
});

/** A condition of bounds: all processes start at the same time. */
export const allStart: Bound['when'] = {
  condition: 'all start at once',
  holds: ({ initiators, n, together }) => initiators === n && together,
};

/** A condition of bounds: all processes ask at the same time, each asks again as soon as it leaves, and every message takes the same time. */
export const heavyLoad: NonNullable<Bound['when']> = {
  condition: 'all ask again at once, and each message takes T',
  holds: ({ initiators, n, together, isHeavy, isUniform }) =>
    isHeavy && isUniform && together && initiators === n && n > 1,
};

/** A condition of bounds: heavy load, and a process stays inside long enough for the next request to arrive. */
export const saturated: Bound['when'] = {
  condition: 'all ask again at once, each message takes T, and E > T',
  holds: (c) => heavyLoad.holds(c) && c.E > c.T,
};

/** A condition of bounds: one process requests, and no process crashes. */
export const alone: Bound['when'] = {
  condition: 'nobody else asks',
  holds: ({ initiators, living, n }) => initiators === 1 && living === n,
};

/** A condition of bounds: of several processes one requests. */
export const aloneOfMany: Bound['when'] = {
  condition: 'nobody else asks, n > 1',
  holds: ({ initiators, n }) => initiators === 1 && n > 1,
};

/** A condition of bounds: one process requests, and every message takes the same time. */
export const aloneInTime: Bound['when'] = {
  condition: 'nobody else asks, and each message takes T',
  holds: ({ initiators, isUniform }) => initiators === 1 && isUniform,
};

/** A condition of bounds: no process crashes. */
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
