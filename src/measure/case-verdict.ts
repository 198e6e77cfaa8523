import { claimLabel } from './claim-text.ts';
import type { MeasureId } from './measure-list.ts';
import { formatNumber } from './number-format.ts';
import type { Row } from './row.ts';

/** The verdict over all sizes of one case. */
export interface CaseVerdict {
  readonly holds: boolean;
  readonly sentence: string;
}

export function caseVerdict(rows: readonly Row[], measure: MeasureId = 'messages'): CaseVerdict {
  const bad = rows.find(({ violation }) => violation !== null);
  if (bad) return { holds: false, sentence: `VIOLATED: ${bad.violation}` };
  if (measure !== 'messages') return { holds: true, sentence: claimsSentence(rows, measure) };
  const means = rows.flatMap((row) => row.means.map((mean) => ({ ...mean, n: row.n })));
  const wrong = means.find(({ agrees }) => agrees === false);
  if (wrong) {
    const away = wrong.standardError === 0 ? '' : `, ${deviation(wrong).toFixed(1)} standard errors away`;
    const mean = `${formatNumber(wrong.measured)}, not ${formatNumber(wrong.value)} = ${wrong.formula}${away}`;
    return { holds: false, sentence: `VIOLATED: the mean is ${mean} (n = ${wrong.n})` };
  }
  const agreeing = means.filter(({ agrees }) => agrees);
  const parts = [boundsSentence(rows)];
  if (agreeing.length > 0) parts.push(`mean as predicted, ${farthest(agreeing)}`);
  return { holds: true, sentence: parts.join('; ') };
}

const deviation = ({ measured, value, standardError }: Row['means'][number]): number =>
  measured === value ? 0 : Math.abs(measured - value) / standardError;

const farthest = (means: Row['means']): string =>
  `within ${Math.max(...means.map(deviation)).toFixed(1)} standard errors`;

function boundsSentence(rows: readonly Row[]): string {
  const isExact = rows.every(({ bounds }) => bounds.atLeast === bounds.atMost);
  if (isExact) return 'exactly as predicted';
  const least = rows.some(({ bounds }) => bounds.atLeast > 0) ? reaching(rows, 'atLeast', 'least') : null;
  const most = rows.every(({ bounds }) => bounds.atMost === null)
    ? 'no bound from above'
    : reaching(rows, 'atMost', 'most');
  return ['within', ...[least, most].filter((part) => part !== null)].join(', ');
}

function reaching(rows: readonly Row[], bound: 'atLeast' | 'atMost', label: string): string {
  const reached = rows.filter((row) => row.reached[bound]);
  if (reached.length === 0) return `${label} not reached`;
  if (reached.length === rows.length) return `${label} reached`;
  return `${label} reached up to n = ${reached.at(-1)!.n}`;
}

/** Says of each bound on a measure whether a run attains it, and up to which size. */
function claimsSentence(rows: readonly Row[], measure: Exclude<MeasureId, 'messages'>): string {
  const sides = new Map<string, { readonly n: number; readonly isAttained: boolean }[]>();
  for (const { n, measures } of rows) {
    for (const claim of measures?.[measure]?.claims ?? []) {
      const { atLeast, atMost, reached } = claim;
      const add = (which: string, isAttained: boolean) => {
        const side = `${which} ${claimLabel(claim)}`;
        sides.set(side, [...(sides.get(side) ?? []), { n, isAttained }]);
      };
      if (atLeast === atMost) add('exactly', true);
      else if (atMost !== null) add('at most', reached.atMost);
      if (atLeast !== null && atLeast !== atMost) add('at least', reached.atLeast);
    }
  }
  return [...sides]
    .map(([side, sizes]) => (side.startsWith('exactly') ? side : `${side}, ${attained(sizes)}`))
    .join('; ');
}

function attained(sizes: readonly { readonly n: number; readonly isAttained: boolean }[]): string {
  const some = sizes.filter(({ isAttained }) => isAttained);
  if (some.length === 0) return 'not attained';
  return some.length === sizes.length ? 'attained' : `attained up to n = ${some.at(-1)!.n}`;
}
