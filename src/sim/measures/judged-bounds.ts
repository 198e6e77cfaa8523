import type { Bound, Measured } from '../../core/algorithm.ts';
import type { Violation } from '../../problems/monitor.ts';
import { timedCircumstancesOf } from '../scenario/kept-assumptions.ts';
import type { Setup } from '../scenario/setup.ts';
import type { AppliedBound, MeasureBound, Measures, TimedCircumstances } from './measures.ts';
import type { Spread } from './spread.ts';

/** Returns the bounds on measures that apply to a run. There are none if it drops an assumption, or a fault takes time. */
export function measureBoundsOf(setup: Setup): MeasureBound[] {
  const circumstances = timedCircumstancesOf(setup);
  return circumstances === null ? [] : measureBoundsIn(setup.algorithm, circumstances);
}

/** Returns the bounds on measures that apply in some circumstances. */
export function measureBoundsIn(
  algorithm: { readonly bounds: readonly unknown[] },
  { longest, shortest }: TimedCircumstances,
): MeasureBound[] {
  const applies = ({ measures = 'messages', when }: Bound) =>
    measures !== 'messages' && (when === undefined || when.holds(longest));
  return (algorithm.bounds as readonly Bound[])
    .filter(applies)
    .map(({ measures, counts, case: which, formula, source, value }) => ({
      measure: measures!,
      counts,
      formula,
      source,
      atLeast: which === 'worst' ? null : value(shortest),
      atMost: which === 'best' ? null : value(longest),
    }));
}

/** The bounds on one measure. `kind`: on messages of this type. */
export const boundsOnMeasure = (
  bounds: readonly MeasureBound[],
  measure: Measured,
  kind?: string,
): readonly AppliedBound[] =>
  bounds
    .filter((bound) => bound.measure === measure && (kind === undefined || bound.counts.includes(kind)))
    .map(({ counts: _, ...bound }) => bound);

/** Names the measure of chains, for readers. */
export const chainTitle = 'the longest chain';

const titles: Readonly<Record<string, string>> = {
  synchronisationDelay: 'the synchronisation delay',
  waitingTime: 'the waiting time',
  tokenHops: 'the number of token hops',
  responseTime: 'the response time',
  throughput: 'the throughput',
  electionTime: 'the time until the winner knows',
  electionEnd: 'the time until all know',
  chain: chainTitle,
  totalBits: 'the number of bits',
  load: "the busiest process's share",
};

/** Names the size of messages of a type, for readers. */
export const sizeTitle = (measure: 'elements' | 'bits', kind: string): string =>
  `the number of ${measure} of ${kind}`;

/** Returns the figures that the bounds of a measure are about. */
function judgedFigures(
  measures: Measures,
): [what: string, figures: Spread | null, bounds: readonly AppliedBound[]][] {
  const { throughput, electionTime, chain, totalBits, load, boundsOn } = measures;
  const only = (figure: number | null) =>
    figure === null ? null : { least: figure, mean: figure, most: figure };
  const electionBounds = (measure: Measured) =>
    electionTime?.bounds.filter((bound) => bound.measure === measure) ?? [];
  const plain = (['synchronisationDelay', 'waitingTime', 'tokenHops', 'responseTime'] as const).map(
    (name) => [titles[name]!, measures[name], measures[name]?.bounds ?? []] as const,
  );
  const sizes = (['elements', 'bits'] as const).flatMap((name) =>
    Object.entries(measures[name] ?? {}).map(
      ([kind, size]) => [sizeTitle(name, kind), size, size.bounds] as const,
    ),
  );
  return [
    ...plain.map((row) => [...row] as [string, Spread | null, readonly AppliedBound[]]),
    [titles.throughput!, only(throughput), boundsOn.throughput],
    [titles.electionTime!, only(electionTime?.winner ?? null), electionBounds('electionTime')],
    [titles.electionEnd!, only(electionTime?.most ?? null), electionBounds('electionEnd')],
    [titles.chain!, only(chain?.most ?? null), chain?.bounds ?? []],
    [titles.totalBits!, only(totalBits), boundsOn.totalBits],
    [titles.load!, load && load.most > 0 ? only(load.busiestShare) : null, load?.bounds ?? []],
    ...sizes.map((row) => [...row] as [string, Spread | null, readonly AppliedBound[]]),
  ];
}

const tolerance = 1e-9; // figures and formulas are floating-point numbers

/** Whether a figure breaks an upper bound, if there is one. */
export const isAbove = (figure: number, atMost: number | null): boolean =>
  atMost !== null && figure > atMost + tolerance;

/** Whether a figure breaks a lower bound, if there is one. */
export const isBelow = (figure: number, atLeast: number | null): boolean =>
  atLeast !== null && figure < atLeast - tolerance;

/** Returns how figures break a bound, as a sentence; null if they keep all. */
export function brokenFigure(
  what: string,
  { least, most }: Pick<Spread, 'least' | 'most'>,
  bounds: readonly AppliedBound[],
): string | null {
  for (const { formula, source, atLeast, atMost } of bounds) {
    if (isAbove(most, atMost)) return `${what} is ${most}, but at most ${atMost} = ${formula} (${source})`;
    if (isBelow(least, atLeast))
      return `${what} is ${least}, but at least ${atLeast} = ${formula} (${source})`;
  }
  return null;
}

/** Returns the first bound that a measure breaks, as a violation. */
export function measureViolations(measures: Measures | null): Violation[] {
  if (measures === null) return [];
  for (const [what, figures, bounds] of judgedFigures(measures)) {
    const why = figures && brokenFigure(what, figures, bounds);
    if (why !== null) return [{ property: 'the bounds of the measures', why }];
  }
  return [];
}
