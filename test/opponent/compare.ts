// Compares the checker with the opponent.
import { type CheckOptions, check, type Space } from '../../src/check/index.ts';
import { type Case, totalOf, verdictOf } from './verdict.ts';

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

export function compare(given: Case, limit?: number): Comparison {
  const wanted = verdictOf(given, { ...(limit && { limit }), coins: 'random' });
  if (wanted === null) return { disagreements: [], verdict: 'too large', compared: 0, states: 0 };
  const isMemory = 'program' in given.algorithm; // waiting is reading there, so no state is at rest while a process waits
  const safety = wanted.safety !== null ? 'violated' : wanted.isVacuous ? 'vacuous' : 'holds';
  const total = totalOf(wanted);
  const expected: [CheckOptions, string][] = [
    [{}, total],
    [{ reduction: false }, total],
    ...(isMemory
      ? []
      : ([
          [{ progress: false }, safety],
          [{ progress: false, reduction: false }, safety],
        ] as [CheckOptions, string][])),
  ];
  let compared = 0;
  const disagreements = expected.flatMap(([asked, opponent]): Disagreement[] => {
    const { space, options } = argumentsOf(given, asked);
    const report = check(given.algorithm, space, options);
    if (report.verdict === 'incomplete') return [];
    compared += 1;
    const checker = report.verdict;
    if (checker === opponent) return [];
    const { violation } = report;
    const says =
      wanted.safety ??
      Object.entries(wanted)
        .flatMap(([k, is]) => (is === true ? [k] : []))
        .join(' ');
    return [
      {
        options: asked,
        opponent: `${opponent} (${says})`,
        checker: violation ? `${checker} (${violation.property}: ${violation.why})` : checker,
        trace: violation?.trace ?? null,
      },
    ];
  });
  return { disagreements, verdict: total, compared, states: wanted.states };
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
