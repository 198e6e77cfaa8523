// Compares the checker with the opponent.
import { type CheckOptions, check, type Space } from '../../src/check/index.ts';
import { type Case, totalOf, type Verdict, verdictOf } from './verdict.ts';

export interface Disagreement {
  readonly options: CheckOptions;
  readonly opponent: string;
  readonly checker: string;
  readonly trace: string | null;
}

export interface Comparison {
  readonly disagreements: readonly Disagreement[];
  readonly verdict: 'violated' | 'vacuous' | 'holds' | 'too large';
  readonly compared: number; // verdicts
  readonly states: number;
}

const largest = 100_000; // states of the checker: far more than the opponent has

/** A check, and what the opponent says. */
interface Expectation {
  readonly options: CheckOptions;
  readonly verdict: string;
  readonly invariants?: Readonly<Record<string, unknown>>; // in place of the algorithm's
}

export function compare(given: Case, limit?: number): Comparison {
  const wanted = verdictOf(given, { ...(limit && { limit }), coins: 'random' });
  if (wanted === null) return { disagreements: [], verdict: 'too large', compared: 0, states: 0 };
  let compared = 0;
  const disagreements = expectations(given, wanted).flatMap(
    ({ options: asked, verdict, invariants }): Disagreement[] => {
      const { space, options } = argumentsOf(given, asked);
      const algorithm = invariants ? { ...given.algorithm, invariants } : given.algorithm;
      const report = check(algorithm as Case['algorithm'], space, options);
      if (report.verdict === 'incomplete') return [];
      compared += 1;
      if (report.verdict === verdict) return [];
      const { violation } = report;
      const lemma = invariants ? ` ${Object.keys(invariants)}` : '';
      return [
        {
          options: asked,
          opponent: `${verdict} (${reasonOf(wanted)}${lemma})`,
          checker: violation ? `${report.verdict} (${violation.property}: ${violation.why})` : report.verdict,
          trace: violation?.trace ?? null,
        },
      ];
    },
  );
  return { disagreements, verdict: totalOf(wanted), compared, states: wanted.states };
}

function expectations(given: Case, wanted: Verdict): Expectation[] {
  const { invariants = {} } = given.algorithm;
  const isMemory = 'program' in given.algorithm; // waiting is reading there, so no state is at rest while a process waits
  const safety = wanted.safety !== null ? 'violated' : wanted.isVacuous ? 'vacuous' : 'holds';
  const total = totalOf(wanted);
  const expected: Expectation[] = [{ options: { lemmas: false }, verdict: total }];
  if (!isMemory) expected.push({ options: { lemmas: false, progress: false }, verdict: safety });
  const isSeen = isMemory || (!given.crashes && !given.repeats); // a copy is in flight before the receipt here, and after it there
  const lemmas = isSeen && wanted.safety === null ? Object.keys(invariants) : [];
  const verdictWith = wanted.falseLemmas.size === 0 ? total : 'violated';
  if (lemmas.length > 0) expected.push({ options: { lemmas: true }, verdict: verdictWith });
  const withoutReduction = expected.map(({ options, verdict }) => ({
    options: { ...options, reduction: false },
    verdict,
  }));
  const eachLemma = lemmas.map((lemma) => ({
    options: { lemmas: true, progress: false },
    verdict: wanted.falseLemmas.has(lemma) ? 'violated' : safety,
    invariants: { [lemma]: invariants[lemma]! },
  }));
  return [...expected, ...withoutReduction, ...(isMemory ? [] : eachLemma)];
}

function reasonOf(wanted: Verdict): string {
  const seen = Object.entries(wanted).flatMap(([what, is]) => (is === true ? [what] : []));
  return wanted.safety ?? [...seen, ...wanted.falseLemmas].join(' ');
}

function argumentsOf(given: Case, asked: CheckOptions): { space: Space; options: CheckOptions } {
  const { algorithm, n, entries, channels, ids, topology, ...faults } = given;
  const isMemory = 'program' in algorithm;
  const place = {
    ...(channels && { channels }),
    ...('knows' in algorithm && algorithm.knows.includes('id') && { ids: ids ?? upTo(n) }),
    ...(topology && { topology }),
    root: 0,
  };
  const space = { n, ...(entries !== undefined && { entries }), ...(!isMemory && place) };
  return { space, options: { ...faults, ...asked, maxStates: largest } };
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

export const disagreementText = ({ options, opponent, checker, trace }: Disagreement): string =>
  [
    `with ${JSON.stringify(options)}`,
    `  the opponent says: ${opponent}`,
    `  the checker says:  ${checker}`,
    ...(trace === null ? [] : [trace]),
  ].join('\n');

/** Returns the property that the checker finds violated where the bounds of the algorithm are checked. */
export function violatedBound(given: Case, reduction: boolean): string | null {
  const { space, options } = argumentsOf(given, { bounds: true, lemmas: false, progress: false, reduction });
  return check(given.algorithm, space, options).violation?.property ?? null;
}
