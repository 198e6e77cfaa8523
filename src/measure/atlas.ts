import type { AnyAlgorithm, Bound, Problem } from '../core/algorithm.ts';
import { type CaseVerdict, caseVerdict } from './case-verdict.ts';
import { casesOf } from './cases.ts';
import { boundsFigure, comparisonFigure } from './figures.ts';
import { formatInteger, formatNumber } from './number-format.ts';
import type { SweepOptions } from './plan.ts';
import type { Row } from './row.ts';

/** A part of the report, for Markdown and HTML alike. Backticks in a text mark code. */
export type Block =
  | { readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'figure'; readonly name: string; readonly title: string; readonly svg: string }
  | {
      readonly type: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly type: 'details'; readonly summary: string; readonly blocks: readonly Block[] };

export interface Atlas {
  readonly algorithms: readonly AnyAlgorithm[];
  readonly rows: readonly Row[];
  readonly options: SweepOptions;
  readonly command: string; // that reproduces it
}

/** The verdict over all sizes of a case, and the row of the largest. */
export interface Summary {
  readonly algorithm: string;
  readonly case: string;
  readonly largest: Row;
  readonly verdict: CaseVerdict;
}

export function summariesOf(rows: readonly Row[]): Summary[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.algorithm}, ${row.case}`;
    const group = groups.get(key) ?? [];
    group.push(row);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({
    algorithm: group[0]!.algorithm,
    case: group[0]!.case,
    largest: group.reduce((a, b) => (b.n > a.n ? b : a)),
    verdict: caseVerdict(group),
  }));
}

const chapters: readonly {
  readonly problem: Problem;
  readonly title: string;
  readonly file: string;
  readonly unit: string;
}[] = [
  { problem: 'election', title: 'Elections', file: 'elections', unit: 'election' },
  { problem: 'mutex', title: 'Mutual exclusion', file: 'mutual-exclusion', unit: 'entry' },
  { problem: 'clocks', title: 'Clocks', file: 'clocks', unit: 'synchronisation' },
];

export function atlasBlocks(atlas: Atlas): Block[] {
  const { rows, options, command } = atlas;
  const runs = rows.reduce((sum, row) => sum + row.runs, 0);
  const bad = summariesOf(rows).filter(({ verdict }) => !verdict.holds).length;
  return [
    { type: 'heading', level: 1, text: 'Atlas' },
    {
      type: 'paragraph',
      text: `Messages counted in ${formatInteger(runs)} simulated runs, beside what the papers say. ${bad === 0 ? 'Every bound holds.' : `**${bad} of the cases below violate what is said of them.**`}`,
    },
    {
      type: 'paragraph',
      text: `A table ends where a few runs of one more size would take more than ${formatInteger(options.budget)} events, or more links than the simulator holds. Messages take 1 to 10 ticks, each as likely. \`${command}\` makes this page again, byte for byte.`,
    },
    ...chapters.flatMap((chapter) => chapterOf(chapter, atlas)),
  ];
}

function chapterOf({ problem, title, file, unit }: (typeof chapters)[number], atlas: Atlas): Block[] {
  const algorithms = atlas.algorithms.filter((algorithm) => algorithm.problem === problem);
  const rows = atlas.rows.filter((row) => row.problem === problem);
  if (rows.length === 0) return [];
  const cases = new Map(algorithms.flatMap(casesOf).map(({ name, about }) => [name, about]));
  const perpetualNames = algorithms.filter(({ perpetual }) => perpetual).map(({ name }) => `\`${name}\``);
  return [
    { type: 'heading', level: 2, text: title },
    {
      type: 'figure',
      name: file,
      title: `${title}, compared`,
      svg: comparisonFigure(problem, 'messages', algorithms, rows),
    },
    {
      type: 'figure',
      name: `${file}-bounds`,
      title: `${title}, against what the papers say`,
      svg: boundsFigure(problem, 'messages', algorithms, rows),
    },
    { type: 'table', head: ['case', 'what happens'], rows: [...cases] },
    ...(perpetualNames.length === 0
      ? []
      : [
          {
            type: 'paragraph' as const,
            text: `The messages of ${perpetualNames.join(' and ')} never cease: under light load their counts say how long nobody asked.`,
          },
        ]),
    ...algorithms.flatMap((algorithm) =>
      sectionOf(
        algorithm,
        unit,
        rows.filter((row) => row.algorithm === algorithm.name),
      ),
    ),
  ];
}

function sectionOf(algorithm: AnyAlgorithm, unit: string, rows: readonly Row[]): Block[] {
  if (rows.length === 0) return [];
  const { name, paper, assumes, bounds } = algorithm;
  return [
    { type: 'heading', level: 3, text: name },
    { type: 'paragraph', text: `${paper}. Network: ${assumes.topology}. Messages per ${unit}:` },
    { type: 'table', head: ['counted', 'said', 'formula', 'when', 'by'], rows: bounds.map(boundRow) },
    {
      type: 'table',
      head: ['case', 'n', 'runs', 'least', 'mean', 'most', 'said', 'verdict, over all sizes'],
      rows: summariesOf(rows).map(({ case: which, largest, verdict }) => [
        which,
        ...rowCells(largest),
        verdict.holds ? verdict.sentence : `**${verdict.sentence}**`,
      ]),
    },
    {
      type: 'details',
      summary: 'every size',
      blocks: [
        {
          type: 'table',
          head: ['case', 'n', 'runs', 'least', 'mean', 'most', 'said'],
          rows: rows.map((row) => [row.case, ...rowCells(row)]),
        },
      ],
    },
  ];
}

const claimTexts = { best: 'at least', worst: 'at most', always: 'exactly', mean: 'on average' };

const boundRow = ({ counts, case: which, formula, when, source }: Bound): string[] => [
  counts.join(' + '),
  claimTexts[which],
  `\`${formula}\``,
  when?.condition ?? '',
  source,
];

/** The cells n, runs, least, mean, most, and the bounds of the papers. */
export function rowCells({ n, runs, messages: { min, mean, max }, bounds }: Row): string[] {
  const { atLeast, atMost } = bounds;
  const range =
    atLeast === atMost
      ? formatNumber(atLeast)
      : atMost === null
        ? `at least ${formatNumber(atLeast)}`
        : atLeast === 0
          ? `at most ${formatNumber(atMost)}`
          : `${formatNumber(atLeast)} .. ${formatNumber(atMost)}`;
  const claims = bounds.mean === null ? range : `${range}, mean ${formatNumber(bounds.mean)}`;
  return [
    formatInteger(n),
    formatInteger(runs),
    formatNumber(min),
    formatNumber(mean),
    formatNumber(max),
    claims,
  ];
}
