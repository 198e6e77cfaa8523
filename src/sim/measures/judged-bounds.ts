import type { AnyAlgorithm, Bound, Measured } from '../../core/algorithm.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { AppliedBound, Judged, Measures, TimedCircumstances } from './measures.ts';
import type { Spread } from './spread.ts';

/** The bounds on a measure that apply to a run. `kind`: on messages of this type. */
export function appliedBounds(
  { bounds }: Pick<AnyAlgorithm, 'bounds'>,
  measure: Measured,
  { longest, shortest }: TimedCircumstances,
  kind?: string,
): AppliedBound[] {
  const applies = ({ measures, counts, when }: Bound) =>
    measures === measure &&
    (kind === undefined || counts.includes(kind)) &&
    (when === undefined || when.holds(longest));
  return (bounds as readonly Bound[]).filter(applies).map(({ case: which, formula, source, value }) => ({
    formula,
    source,
    atLeast: which === 'worst' ? null : value(shortest),
    atMost: which === 'best' ? null : value(longest),
  }));
}

/** Names the measure of chains, for readers. */
export const chainTitle = 'the longest chain';

const titles: Readonly<Record<string, string>> = {
  synchronisationDelay: 'the synchronisation delay',
  waitingTime: 'the waiting time',
  responseTime: 'the response time',
  throughput: 'the throughput',
  electionTime: 'the time until the winner knows',
  chain: chainTitle,
  load: "the busiest process's share",
};

/** Names the size of messages of a type, for readers. */
export const sizeTitle = (measure: 'elements' | 'bits', kind: string): string =>
  `the number of ${measure} of ${kind}`;

/** Returns the figures that the bounds of a measure are about. */
function judgedFigures(measures: Measures): [what: string, figures: Spread | null, bounds: Judged | null][] {
  const { electionTime, chain, load } = measures;
  const only = (figure: number) => ({ least: figure, mean: figure, most: figure });
  const plain = (['synchronisationDelay', 'waitingTime', 'responseTime'] as const).map(
    (name) => [titles[name]!, measures[name], measures[name]] as [string, Spread | null, Judged | null],
  );
  const sizes = (['elements', 'bits'] as const).flatMap((name) =>
    Object.entries(measures[name] ?? {}).map(
      ([kind, size]) => [sizeTitle(name, kind), size, size] as [string, Spread, Judged],
    ),
  );
  return [
    ...plain,
    [titles.electionTime!, electionTime && only(electionTime.least), electionTime],
    [titles.chain!, chain && only(chain.most), chain],
    [titles.load!, load && load.most > 0 ? only(load.busiestShare) : null, load],
    ...sizes,
  ];
}

const tolerance = 1e-9; // figures and formulas are floating-point numbers

/** Returns how figures break a bound, as a sentence; null if they keep all. */
export function brokenFigure(
  what: string,
  { least, most }: Pick<Spread, 'least' | 'most'>,
  bounds: readonly AppliedBound[],
): string | null {
  for (const { formula, source, atLeast, atMost } of bounds) {
    if (atMost !== null && most > atMost + tolerance)
      return `${what} is ${most}, but at most ${atMost} = ${formula} (${source})`;
    if (atLeast !== null && least < atLeast - tolerance)
      return `${what} is ${least}, but at least ${atLeast} = ${formula} (${source})`;
  }
  return null;
}

/** Returns the first bound that a measure breaks, as a violation. */
export function measureViolations(measures: Measures | null): Violation[] {
  if (measures === null) return [];
  for (const [what, figures, judged] of judgedFigures(measures)) {
    const why = figures && brokenFigure(what, figures, judged?.bounds ?? []);
    if (why !== null) return [{ property: 'the bounds of the measures', why }];
  }
  return [];
}
