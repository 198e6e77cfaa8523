// The comparison as a page: each measured figure beside the claim of its source.
import { boundHead, boundRow } from './bound-rows.ts';
import {
  type Compared,
  type ComparisonGroup,
  comparedIn,
  comparisonGroups,
  comparisonRows,
} from './comparison.ts';
import { type MeasureId, measureHeading, measureList, measureOf } from './measure-list.ts';
import { formatBriefly, formatFigure } from './number-format.ts';
import type { Block } from './report-block.ts';
import { figuresOf, type Row } from './row.ts';
import type { MeasureClaim } from './run-sample.ts';

/** Returns the page about some algorithms. */
export function comparisonBlocks(compared: readonly Compared[], command: string): Block[] {
  const groups = comparisonGroups
    .map((group) => ({ group, rows: comparisonRows(group, compared) }))
    .filter(({ rows }) => rows.length > 0);
  return [
    { type: 'heading', level: 1, text: 'Comparison' },
    ...introduction(command),
    ...groups.flatMap(({ group, rows }) => groupBlocks(group, rows, perpetualElections(group, compared))),
    ...furtherBounds(groups),
    ...sources(groups.map(({ group }) => [group.title, comparedIn(group, compared)])),
  ];
}

const introduction = (command: string): Block[] => [
  {
    type: 'paragraph',
    text: `How do the algorithms compare in the measures of the textbooks: messages, time, size and load? Every figure here is measured in simulated runs. Beside it stands what the source of the algorithm claims. \`${command}\` makes this page again, byte for byte.`,
  },
  {
    type: 'table',
    head: ['a cell', 'means'],
    rows: [
      ['**24** = `3(n-1)`', 'the source claims exactly `3(n-1)`, and 24 was measured'],
      ['5 ≤ 6 = `2d`', 'the source claims at most `2d`, which is 6 here, and 5 was measured'],
      ['8 = `n` ≤ 9', 'the source claims at least `n`, which is 8 here, and 9 was measured'],
      ['**6** ≤ 6 = `2d`', 'the claim is attained: a figure in **bold** is equal to what is claimed'],
      ['3 (1 to 5)', 'the mean, with the least and the most if runs, entries, messages or processes differ'],
      ['3 —', 'no claim is declared'],
    ],
  },
  {
    type: 'paragraph',
    text: 'Every message takes the same time T, here 10 ticks, and a critical section takes 2T. Times are in T. Bits are those of all fields but the type. In formulas n is the number of processes, e that of links, d the most hops between two processes, and K the size of a quorum; other letters are explained on the page of the algorithm. [Each algorithm](algorithms/README.md) has a page, and [the atlas](atlas.md) has more sizes and cases, where messages take 1 to 10 ticks.',
  },
];

/** Says of which elections the messages never cease; an empty text if of none. */
function perpetualElections(group: ComparisonGroup, compared: readonly Compared[]): string {
  const perpetual = comparedIn(group, compared).filter(
    (algorithm) => algorithm.problem === 'election' && 'perpetual' in algorithm && algorithm.perpetual,
  );
  const names = perpetual.map(({ name }) => `\`${name}\``).join(' and ');
  return names === ''
    ? ''
    : ` The messages of ${names} never cease: a run ends when its leader has stayed for a while.`;
}

function groupBlocks(group: ComparisonGroup, rows: readonly Row[], perpetual: string): Block[] {
  const settings = group.settings.map(({ name, about }) => `**${name}**: ${about}`).join(' ');
  const step = group.hasMessages ? '' : ' T is the time of one access to a register.';
  const sizes = [...new Set(rows.map(({ n }) => n))].sort((a, b) => a - b);
  return [
    { type: 'heading', level: 2, text: group.title },
    { type: 'paragraph', text: `${settings}${step}${perpetual}` },
    ...sizes.flatMap((n): Block[] => [
      { type: 'heading', level: 3, text: `${group.title}, n = ${n}` },
      sizeTable(
        group,
        rows.filter((row) => row.n === n),
      ),
    ]),
  ];
}

function sizeTable(group: ComparisonGroup, rows: readonly Row[]): Block {
  const names = [...new Set(rows.map(({ algorithm }) => algorithm))];
  return {
    type: 'table',
    head: ['algorithm', ...group.columns.map((column) => headOf(group, column))],
    rows: names.map((name) => [
      `\`${name}\``,
      ...group.columns.map(({ setting, measure }) => {
        const row = rows.find((one) => one.algorithm === name && one.case === setting)!;
        return cellOf(row, measure);
      }),
    ]),
  };
}

function headOf(
  { problem, hasMessages }: ComparisonGroup,
  { setting, measure }: ComparisonGroup['columns'][number],
): string {
  const heading = hasMessages
    ? measureHeading(measureOf(measure), problem)
    : measureHeading(measureOf(measure), problem).replace('messages', 'accesses');
  return `${heading}, ${setting}`;
}

const shown = (value: number, measure: MeasureId): string =>
  measure === 'messages' ? formatBriefly(value) : formatFigure(value, measure);

/** A side of a claim: its value, its formula, and whether a run attains it. */
interface ClaimedSide {
  readonly value: number;
  readonly formula: string;
  readonly isAttained: boolean;
}

interface ClaimedRange {
  readonly low: ClaimedSide | null;
  readonly high: ClaimedSide | null;
}

/** Returns the measured figure of a row, beside the claims about it. */
function cellOf(row: Row, measure: MeasureId): string {
  const figures = figuresOf(row, measure);
  if (row.violation !== null) return `**VIOLATED: ${row.violation}**`;
  if (figures === null) return 'no figure';
  if (measure === 'messages') {
    const { mean } = row.bounds;
    const about =
      mean === null ? '' : `, mean ${sideText({ value: mean, formula: row.formulas.mean! }, measure)}`;
    return `${besideClaims(figures, messageRange(row), measure)}${about}`;
  }
  const claims = row.measures![measure]!.claims;
  const kinds = [...new Set(claims.flatMap(({ kind }) => kind ?? []))];
  const whole = besideClaims(figures, tightest(claims.filter(({ kind }) => kind === null)), measure);
  if (kinds.length === 0) return whole;
  return kinds
    .map((kind) => {
      const own = claims.filter((claim) => claim.kind === kind);
      return `\`${kind}\`: ${besideClaims(own[0]!.measured, tightest(own), measure)}`;
    })
    .join('; ');
}

const messageRange = ({ bounds, formulas, reached }: Row): ClaimedRange => ({
  low:
    bounds.atLeast > 0
      ? { value: bounds.atLeast, formula: formulas.atLeast, isAttained: reached.atLeast }
      : null,
  high:
    bounds.atMost === null
      ? null
      : { value: bounds.atMost, formula: formulas.atMost!, isAttained: reached.atMost },
});

/** Returns the largest bound from below and the smallest from above. */
function tightest(claims: readonly MeasureClaim[]): ClaimedRange {
  let [low, high]: (ClaimedSide | null)[] = [null, null];
  for (const { formula, atLeast, atMost, reached } of claims) {
    if (atLeast !== null && atLeast > (low?.value ?? -Infinity))
      low = { value: atLeast, formula, isAttained: reached.atLeast };
    if (atMost !== null && atMost < (high?.value ?? Infinity))
      high = { value: atMost, formula, isAttained: reached.atMost };
  }
  return { low: low ?? null, high: high ?? null };
}

function besideClaims(
  { least, mean, most }: { readonly least: number; readonly mean: number; readonly most: number },
  { low, high }: ClaimedRange,
  measure: MeasureId,
): string {
  const figure = (value: number, side: ClaimedSide | null) => {
    const text = shown(value, measure);
    return side?.isAttained ? `**${text}**` : text;
  };
  const attained = low?.isAttained ? low : high;
  const isConstant = shown(least, measure) === shown(most, measure);
  const measured = isConstant
    ? figure(most, attained)
    : `${shown(mean, measure)} (${figure(least, low)} to ${figure(most, high)})`;
  if (low === null && high === null) return `${measured} —`;
  if (low !== null && high !== null && low.value === high.value) return `${measured} = \`${high.formula}\``;
  const from = low === null ? '' : `${sideText(low, measure)} ≤ `;
  const until = high === null ? '' : ` ≤ ${sideText(high, measure)}`;
  return `${from}${measured}${until}`;
}

function sideText({ value, formula }: Pick<ClaimedSide, 'value' | 'formula'>, measure: MeasureId): string {
  const text = shown(value, measure);
  return text === formula ? `\`${formula}\`` : `${text} = \`${formula}\``;
}

interface MeasuredGroup {
  readonly group: ComparisonGroup;
  readonly rows: readonly Row[];
}

/** Returns a table of the claims on measures that the tables above do not show. */
function furtherBounds(groups: readonly MeasuredGroup[]): Block[] {
  const lines = groups.flatMap(({ group, rows }) => {
    const inTables = new Set(
      rows.flatMap((row) => columnsOf(group, row).flatMap((id) => claimKeys(row, id))),
    );
    return rows.flatMap((row) =>
      measureList
        .filter(({ id }) => claimKeys(row, id).some((key) => !inTables.has(key)))
        .map((measure) => [
          `\`${row.algorithm}\``,
          `${row.n}`,
          `${measureHeading(measure, row.problem)}, ${row.case}`,
          cellOf(row, measure.id),
        ]),
    );
  });
  if (lines.length === 0) return [];
  return [
    { type: 'heading', level: 2, text: 'Further claims' },
    {
      type: 'paragraph',
      text: 'These claims are about other measures, or other settings, than the columns above.',
    },
    { type: 'table', head: ['algorithm', 'n', 'measure', 'measured and claimed'], rows: lines },
  ];
}

const columnsOf = ({ columns }: ComparisonGroup, row: Row): MeasureId[] =>
  columns.filter(({ setting }) => setting === row.case).map(({ measure }) => measure);

/** Returns a text for each claim on a measure other than messages. */
const claimKeys = ({ algorithm, n, measures }: Row, id: MeasureId): string[] =>
  (id === 'messages' ? [] : (measures?.[id]?.claims ?? [])).map(({ kind, formula }) =>
    [algorithm, n, id, kind, formula].join(' '),
  );

/** Returns every claim, with its condition and where it is stated. */
const sources = (groups: readonly (readonly [string, readonly Compared['algorithm'][]])[]): Block[] => [
  { type: 'heading', level: 2, text: 'Claims and sources' },
  {
    type: 'paragraph',
    text: 'Every claim that is declared, with its condition. A claim stands in the tables above if its condition holds in the setting.',
  },
  ...groups.map(
    ([title, algorithms]): Block => ({
      type: 'details',
      summary: title,
      blocks: [
        {
          type: 'table',
          head: ['algorithm', ...boundHead],
          rows: algorithms.flatMap(({ name, bounds }) =>
            (bounds as Parameters<typeof boundRow>[0][]).map((bound) => [`\`${name}\``, ...boundRow(bound)]),
          ),
        },
      ],
    }),
  ),
];
