import type { AnyAlgorithm, Bound, Problem } from '../core/algorithm.ts';
import { casesOf } from './cases.ts';
import { compare, confront } from './figures.ts';
import { grouped, written } from './numbers.ts';
import type { Options } from './plan.ts';
import type { Row } from './row.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** The report, before it is known whether it becomes Markdown or a page. `code` in a text stands between backticks. */
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
  readonly options: Options;
  readonly command: string; // that makes it again
}

/** What all sizes of a case came to, the largest in figures. */
export interface Summary {
  readonly algorithm: string;
  readonly case: string;
  readonly largest: Row;
  readonly verdict: Verdict;
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
    verdict: verdictOf(group),
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

export function blocksOf(atlas: Atlas): Block[] {
  const { rows, options, command } = atlas;
  const runs = rows.reduce((sum, row) => sum + row.runs, 0);
  const bad = summariesOf(rows).filter(({ verdict }) => !verdict.holds).length;
  return [
    { type: 'heading', level: 1, text: 'Atlas' },
    {
      type: 'paragraph',
      text: `Messages counted in ${grouped(runs)} simulated runs, beside what the papers say. ${bad === 0 ? 'Every bound holds.' : `**${bad} of the cases below violate what is said of them.**`}`,
    },
    {
      type: 'paragraph',
      text: `A table ends where a few runs of one more size would take more than ${grouped(options.budget)} events, or more links than the simulator holds. Messages take 1 to 10 ticks, each as likely. \`${command}\` makes this page again, byte for byte.`,
    },
    ...chapters.flatMap((chapter) => chapterOf(chapter, atlas)),
  ];
}

function chapterOf({ problem, title, file, unit }: (typeof chapters)[number], atlas: Atlas): Block[] {
  const algorithms = atlas.algorithms.filter((algorithm) => algorithm.problem === problem);
  const rows = atlas.rows.filter((row) => row.problem === problem);
  if (rows.length === 0) return [];
  const cases = new Map(algorithms.flatMap(casesOf).map(({ name, about }) => [name, about]));
  const restless = algorithms.filter(({ perpetual }) => perpetual).map(({ name }) => `\`${name}\``);
  return [
    { type: 'heading', level: 2, text: title },
    { type: 'figure', name: file, title: `${title}, compared`, svg: compare(problem, algorithms, rows) },
    {
      type: 'figure',
      name: `${file}-bounds`,
      title: `${title}, against what the papers say`,
      svg: confront(problem, algorithms, rows),
    },
    { type: 'table', head: ['case', 'what happens'], rows: [...cases] },
    ...(restless.length === 0
      ? []
      : [
          {
            type: 'paragraph' as const,
            text: `The messages of ${restless.join(' and ')} never cease: under light load their counts say how long nobody asked.`,
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
        ...cellsOf(largest),
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
          rows: rows.map((row) => [row.case, ...cellsOf(row)]),
        },
      ],
    },
  ];
}

const words = { best: 'at least', worst: 'at most', always: 'exactly', mean: 'on average' };

const boundRow = ({ counts, case: which, formula, when, source }: Bound): string[] => [
  counts.join(' + '),
  words[which],
  `\`${formula}\``,
  when?.condition ?? '',
  source,
];

/** n, runs, least, mean, most, and what was said. */
export function cellsOf({ n, runs, messages: { min, mean, max }, bounds }: Row): string[] {
  const { atLeast, atMost } = bounds;
  const range =
    atLeast === atMost
      ? written(atLeast)
      : atMost === null
        ? `at least ${written(atLeast)}`
        : atLeast === 0
          ? `at most ${written(atMost)}`
          : `${written(atLeast)} .. ${written(atMost)}`;
  const said = bounds.mean === null ? range : `${range}, mean ${written(bounds.mean)}`;
  return [grouped(n), grouped(runs), written(min), written(mean), written(max), said];
}
