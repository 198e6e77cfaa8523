// The runs of the comparison: all algorithms in the same few settings, where every message takes the same time.
import type { Bound, Problem } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { prepare, type Scenario } from '../sim/index.ts';
import type { MeasureId } from './measure-list.ts';
import { type Row, rowOf } from './row.ts';
import { type Measurable, sampleRun } from './run-sample.ts';

export interface ComparisonSetting {
  readonly name: string;
  readonly about: string;
  readonly typical: boolean; // ids are random, so that a mean given by a paper applies
  readonly scenarios: (n: number) => Scenario[];
}

/** Algorithms that are compared with each other. */
export interface ComparisonGroup {
  readonly title: string;
  readonly problem: Problem;
  readonly hasMessages: boolean; // processes send messages, and do not share memory
  readonly sizes: readonly number[];
  readonly settings: readonly ComparisonSetting[];
  readonly columns: readonly { readonly setting: string; readonly measure: MeasureId }[];
}

const times = { latency: 'fixed:10', hold: 'fixed:20' };
const entries = 5;
const elections = 20;
const eachInTurn = (n: number, scenario: (process: number) => Scenario): Scenario[] =>
  Array.from({ length: n }, (_, process) => ({ ...scenario(process), n, start: [{ process }] }));

const heavy: ComparisonSetting = {
  name: 'all ask',
  about: `Every process asks ${entries} times, again as soon as it has left.`,
  typical: false,
  scenarios: (n) => [{ ...times, n, seed: 1, entries, think: 'fixed:0' }],
};

const alone: ComparisonSetting = {
  name: 'one asks',
  about: 'One process asks once, and no other. There is a run for each process.',
  typical: false,
  scenarios: (n) => eachInTurn(n, () => ({ ...times, seed: 1 })),
};

const allStart: ComparisonSetting = {
  name: 'all start',
  about: `All processes start at once; ids are placed at random. There are ${elections} runs.`,
  typical: true,
  scenarios: (n) =>
    Array.from({ length: elections }, (_, k) => ({
      latency: times.latency,
      n,
      seed: k + 1,
      start: 'all' as const,
    })),
};

const oneStarts: ComparisonSetting = {
  name: 'one starts',
  about: 'One process starts; ids are placed at random. There is a run for each process.',
  typical: false,
  scenarios: (n) => eachInTurn(n, (process) => ({ latency: times.latency, seed: process + 1 })),
};

export const comparisonGroups: readonly ComparisonGroup[] = [
  {
    title: 'Locks by messages',
    problem: 'mutex',
    hasMessages: true,
    sizes: [9, 36], // squares: the grid of maekawa is full
    settings: [heavy, alone],
    columns: [
      { setting: heavy.name, measure: 'messages' },
      { setting: alone.name, measure: 'messages' },
      { setting: heavy.name, measure: 'delay' },
      { setting: alone.name, measure: 'waiting' },
      { setting: heavy.name, measure: 'bits' },
      { setting: heavy.name, measure: 'elements' },
      { setting: heavy.name, measure: 'busiest' },
    ],
  },
  {
    title: 'Elections',
    problem: 'election',
    hasMessages: true,
    sizes: [8, 32], // powers of two: their logarithms are whole
    settings: [allStart, oneStarts],
    columns: [
      { setting: allStart.name, measure: 'messages' },
      { setting: oneStarts.name, measure: 'messages' },
      { setting: allStart.name, measure: 'elected' },
      { setting: allStart.name, measure: 'chain' },
      { setting: allStart.name, measure: 'bits' },
      { setting: allStart.name, measure: 'message-bits' },
      { setting: allStart.name, measure: 'busiest' },
    ],
  },
  {
    title: 'Locks on shared memory',
    problem: 'mutex',
    hasMessages: false,
    sizes: [2, 8],
    settings: [heavy, alone],
    columns: [
      { setting: heavy.name, measure: 'messages' },
      { setting: alone.name, measure: 'messages' },
      { setting: heavy.name, measure: 'delay' },
      { setting: alone.name, measure: 'waiting' },
    ],
  },
];

/** An algorithm to compare: of either contract. */
export interface Compared {
  readonly algorithm: Measurable & { readonly bounds: readonly Bound[] };
  readonly hasMessages: boolean;
}

export const comparedIn = (
  { problem, hasMessages }: ComparisonGroup,
  compared: readonly Compared[],
): Compared['algorithm'][] =>
  compared
    .filter((one) => one.hasMessages === hasMessages && one.algorithm.problem === problem)
    .map(({ algorithm }) => algorithm);

/** Whether some of these algorithms are locks or elections, which are compared. */
export const hasComparison = (algorithms: readonly { readonly problem: Problem }[]): boolean =>
  algorithms.some(({ problem }) => comparisonGroups.some((group) => group.problem === problem));

/** Runs every algorithm of a group in each setting, at each size that it supports. Returns a row for each. */
export const comparisonRows = (group: ComparisonGroup, compared: readonly Compared[]): Row[] =>
  comparedIn(group, compared).flatMap((algorithm) =>
    group.sizes
      .filter((n) => supports(algorithm, n))
      .flatMap((n) =>
        group.settings.map((setting) => {
          const options = { typical: setting.typical, isMeasured: true };
          const samples = setting.scenarios(n).map((scenario) => sampleRun(algorithm, scenario, options));
          return rowOf({ algorithm, case: setting, n }, samples);
        }),
      ),
  );

function supports(algorithm: Measurable, n: number): boolean {
  try {
    prepare(algorithm, { n });
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
