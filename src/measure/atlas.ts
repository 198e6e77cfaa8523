import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { claimTables, measureColumns, measureFigures, measureTable } from './atlas-measures.ts';
import { boundHead, boundRow } from './bound-rows.ts';
import { casesOf } from './cases.ts';
import { hasComparison } from './comparison.ts';
import { boundsFigure, comparisonFigure } from './figures.ts';
import { measureList, occasions } from './measure-list.ts';
import { formatInteger } from './number-format.ts';
import type { SweepOptions } from './plan.ts';
import type { Block } from './report-block.ts';
import type { Row } from './row.ts';
import { rowCells, summariesOf } from './summary.ts';

export interface Atlas {
  readonly algorithms: readonly AnyAlgorithm[];
  readonly rows: readonly Row[];
  readonly options: SweepOptions;
  readonly command: string; // that reproduces it
}

const chapters: readonly {
  readonly problem: Problem;
  readonly title: string;
  readonly file: string;
}[] = [
  { problem: 'election', title: 'Elections', file: 'elections' },
  { problem: 'mutex', title: 'Mutual exclusion', file: 'mutual-exclusion' },
  { problem: 'clocks', title: 'Clocks', file: 'clocks' },
];

export function atlasBlocks(atlas: Atlas): Block[] {
  const { rows, options, command } = atlas;
  const runs = rows.reduce((sum, row) => sum + row.runs, 0);
  const bad = summariesOf(rows).filter(({ verdict }) => !verdict.holds).length;
  return [
    { type: 'heading', level: 1, text: 'Atlas' },
    {
      type: 'paragraph',
      text: `Messages, times, sizes and load, measured in ${formatInteger(runs)} simulated runs, beside what the papers say. ${bad === 0 ? 'Every bound holds.' : `**${bad} of the cases below violate what is said of them.**`}`,
    },
    {
      type: 'paragraph',
      text: `A table ends where a few runs of one more size would take more than ${formatInteger(options.budget)} events, or more links than the simulator holds.${measuredUpTo(options)} Messages take 1 to 10 ticks, each as likely. \`${command}\` makes this page again, byte for byte.`,
    },
    {
      type: 'paragraph',
      text: `Times are in T, the longest time of a message: 10 ticks. A bound from below is computed with the shortest, 1 tick.${hasComparison(atlas.algorithms) ? ' [The comparison](comparison.md) has all algorithms side by side, where every message takes T.' : ''}`,
    },
    {
      type: 'table',
      head: ['measure', 'unit', 'what it is'],
      rows: measureList.map(({ title, unit, isPerOccasion, about }) => [
        title,
        isPerOccasion ? `${unit} per entry, election or synchronisation` : unit,
        about,
      ]),
    },
    ...chapters.flatMap((chapter) => chapterOf(chapter, atlas)),
  ];
}

const measuredUpTo = ({ measuresBudget }: SweepOptions): string =>
  measuresBudget === undefined
    ? ''
    : ` Times, sizes and load are measured where all runs of a size take at most ${formatInteger(measuresBudget)} events; at larger sizes only messages are counted.`;

function chapterOf({ problem, title, file }: (typeof chapters)[number], atlas: Atlas): Block[] {
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
    ...measureFigures(problem, title, file, algorithms, rows),
    { type: 'table', head: ['case', 'what happens'], rows: [...cases] },
    ...(perpetualNames.length === 0
      ? []
      : [
          {
            type: 'paragraph' as const,
            text: `The messages of ${perpetualNames.join(' and ')} never cease: ${untilWhen[problem]}.`,
          },
        ]),
    ...algorithms.flatMap((algorithm) =>
      sectionOf(
        algorithm,
        rows.filter((row) => row.algorithm === algorithm.name),
      ),
    ),
  ];
}

/** What the number of messages says of an algorithm that never stops sending. */
const untilWhen: Readonly<Record<Problem, string>> = {
  mutex: 'under light load their counts say how long nobody asked',
  election: 'their counts say how long a run lasts, until its leader has stayed for a while',
  clocks: 'their counts say how long a run lasts',
};

function sectionOf(algorithm: AnyAlgorithm, rows: readonly Row[]): Block[] {
  if (rows.length === 0) return [];
  const { name, problem, paper, assumes, bounds } = algorithm;
  const { heads, cells } = measureColumns(problem, rows);
  return [
    { type: 'heading', level: 3, text: name },
    {
      type: 'paragraph',
      text: `${paper}. Network: ${assumes.topology}. Messages are counted per ${occasions[problem]}.`,
    },
    { type: 'table', head: boundHead, rows: bounds.map(boundRow) },
    {
      type: 'table',
      head: ['case', 'n', 'runs', 'least', 'mean', 'most', 'said', 'verdict, over all sizes'],
      rows: summariesOf(rows).map(({ case: which, largest, verdict }) => [
        which,
        ...rowCells(largest),
        verdict.holds ? verdict.sentence : `**${verdict.sentence}**`,
      ]),
    },
    ...measureTable(problem, rows),
    ...claimTables(problem, rows),
    {
      type: 'details',
      summary: 'every size',
      blocks: [
        {
          type: 'table',
          head: ['case', 'n', 'runs', 'least', 'mean', 'most', 'said', ...heads],
          rows: rows.map((row) => [row.case, ...rowCells(row), ...cells(row)]),
        },
      ],
    },
  ];
}
