import { describe, expect, test } from 'vitest';
import {
  algorithms,
  bully,
  changRoberts,
  lamport,
  maekawa,
  raymond,
  vitanyi,
} from '../../src/algorithms/index.ts';
import type { AnyAlgorithm, Bound } from '../../src/core/algorithm.ts';
import { onAverage } from '../../src/core/bounds.ts';
import { sumOf } from '../../src/measure/formula.ts';
import {
  atlasBlocks,
  atlasHtml,
  atlasMarkdown,
  casesOf,
  measuresOf,
  planOf,
  type Row,
  rowOf,
  type SweepOptions,
  samplesOf,
  summariesOf,
  tasksOf,
} from '../../src/measure/index.ts';
import { bullyShortCut } from '../../src/mutants/bully.ts';
import { changRobertsLostNegation } from '../../src/mutants/chang-roberts.ts';
import { simulate } from '../../src/sim/index.ts';

const usual: SweepOptions = { sizes: [2, 4, 8, 16], runs: 25, budget: 1_000_000 };

function measure(algorithm: AnyAlgorithm, options: SweepOptions = usual): Row[] {
  const plan = planOf([algorithm], options);
  const byPoint = plan.points.map((): ReturnType<typeof samplesOf> => []);
  const tasks = tasksOf(plan, options).sort((a, b) => a.firstSeed - b.firstSeed);
  for (const task of tasks) byPoint[task.point]!.push(...samplesOf(algorithm, task));
  return plan.points.map((point, k) => rowOf(point, byPoint[k]!));
}
const verdicts = (algorithm: AnyAlgorithm, options?: SweepOptions) =>
  Object.fromEntries(
    summariesOf(measure(algorithm, options)).map(({ case: which, verdict }) => [which, verdict]),
  );

describe('the verdict', () => {
  test('chang-roberts: the mean is as predicted, and sorted ids reach both bounds', () => {
    const results = verdicts(changRoberts);
    expect(Object.values(results).every(({ holds }) => holds)).toBe(true);
    expect(results['all start']!.sentence).toMatch(/mean as predicted, within [0-4]\.\d standard errors/);
    expect(results['ids ascending']!.sentence).toMatch(/least reached,/);
    expect(results['ids descending']!.sentence).toMatch(/most reached$/);
    expect(results['winner starts']!.sentence).toMatch(/least reached,/);
  });

  test('exact counts are reported as exact', () => {
    for (const { sentence } of Object.values(verdicts(lamport)))
      expect(sentence).toBe('exactly as predicted');
  });

  test('a mutant that sends too many messages is detected', () => {
    const results = verdicts(bullyShortCut, { ...usual, sizes: [4, 8] });
    expect(results['all start']).toEqual({
      holds: false,
      sentence: expect.stringMatching(/VIOLATED: the message bound: \d+/),
    });
    expect(results['winner starts']!.holds).toBe(true);
    expect(verdicts(bully, { ...usual, sizes: [4, 8] })['all start']!.holds).toBe(true);
  });

  test('a mutant that elects no leader is detected', () => {
    const [results] = Object.values(verdicts(changRobertsLostNegation));
    expect(results!.holds).toBe(false);
  });

  test('a wrong mean is detected from twenty runs on', () => {
    const isMean = (bound: Bound) => bound.case === 'mean';
    const wrong = onAverage(['election'], 'n log n', 'nobody', ({ n }) => 1.6 * n * Math.sqrt(n));
    const bounds = changRoberts.bounds.map((bound) => (isMean(bound) ? wrong : bound));
    const liar: AnyAlgorithm = { ...changRoberts, bounds };
    expect(verdicts(liar)['all start']).toEqual({
      holds: false,
      sentence: expect.stringMatching(/the mean is .+, not .+ = n log n/),
    });
    expect(verdicts(liar, { ...usual, runs: 10 })['all start']!.holds).toBe(true);
  });

  test('a bound that is one too low is detected', () => {
    const bounds = changRoberts.bounds.map((bound) =>
      bound.case === 'worst' && bound.measures === 'messages'
        ? { ...bound, value: ({ n }: { n: number }) => (n * (n + 1)) / 2 - 1 }
        : bound,
    );
    expect(verdicts({ ...changRoberts, bounds })['ids descending']!.holds).toBe(false);
  });
});

describe('cases', () => {
  test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s keeps its bounds in each case',
    (_name, algorithm) => {
      for (const which of casesOf(algorithm)) {
        for (const n of [1, 2, 3, 7, 8]) {
          const run = simulate(algorithm, { n, seed: 3, ...which.scenario(algorithm, n, 3) });
          expect(run.violations, `${which.name}, n = ${n}`).toEqual([]);
        }
      }
    },
  );

  test('the winner starts, and wins', () => {
    const which = casesOf(changRoberts).find(({ name }) => name === 'winner starts')!;
    const { ids, start } = which.scenario(changRoberts, 9, 5);
    expect(ids![(start as { process: number }[])[0]!.process]).toBe(9);
  });

  test('bit-reversed ids', () => {
    const which = casesOf(changRoberts).find(({ name }) => name === 'ids bit-reversed')!;
    expect(which.scenario(changRoberts, 8, 1).ids).toEqual([1, 5, 3, 7, 2, 6, 4, 8]);
    expect([...which.scenario(changRoberts, 11, 1).ids!].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 11 }, (_, i) => i + 1),
    );
  });
});

describe('the plan', () => {
  const wide: SweepOptions = { sizes: [16, 256, 4096, 65536], runs: 30, budget: 300_000 };

  test('chooses sizes by cost, with fewer runs of expensive ones', () => {
    const plan = planOf([lamport, raymond], wide);
    const largest = (name: string, which: string) =>
      plan.points.filter((point) => point.algorithm.name === name && point.case.name === which).at(-1)!;
    expect(largest('lamport', 'heavy load').n).toBeLessThan(4096); // n^2 messages, and networks end at 4000
    expect(largest('raymond', 'heavy load').n).toBeGreaterThan(256);
    expect(plan.leftOut.length + plan.points.length).toBe(2 * 3 * 4);
    for (const { runs, work } of plan.points) expect(runs * work).toBeLessThanOrEqual(wide.budget);
    expect(largest('raymond', 'one asks').runs).toBeLessThan(30);
  });

  test('the largest tasks come first, and together they have all runs', () => {
    const plan = planOf([lamport, raymond], wide);
    const tasks = tasksOf(plan, wide);
    const work = tasks.map((task) => task.work);
    expect(work).toEqual([...work].sort((a, b) => b - a));
    const runs = plan.points.map((_, k) =>
      tasks
        .filter(({ point }) => point === k)
        .flatMap(({ firstSeed, runs }) => Array.from({ length: runs }, (_, i) => firstSeed + i)),
    );
    for (const [k, seeds] of runs.entries())
      expect(seeds.sort((a, b) => a - b)).toEqual(
        Array.from({ length: plan.points[k]!.runs }, (_, i) => i + 1),
      );
  });
});

test.each([
  [['n-1', 'n-1', 'n-1'], '3(n-1)'],
  [['n-1', '1'], 'n'],
  [['2n-1', 'n'], '3n-1'],
  [['1', '1', '0', '1'], '3'],
  [['K-1', 'K-1', '2(K-1)'], '4(K-1)'],
  [['n(n+1)/2', 'n'], 'n(n+1)/2 + n'],
  [['N', '2N + 1.5(N+1)u/m', 'N'], '4N + 1.5(N+1)u/m'],
  [['8n(1 + ceil(log n))', 'n'], '8n(1 + ceil(log n)) + n'],
  [['0'], '0'],
])('%j add up to %s', (formulas, sum) => {
  expect(sumOf(formulas)).toBe(sum);
});

test('the bound on the total is the sum of the bounds on the kinds', () => {
  const [row] = measure(maekawa, { ...usual, sizes: [16], runs: 1 });
  expect(row!.formulas.atMost).toBe('7(K-1)');
  expect(row!.bounds.atMost).toBe(7 * 6); // K = 7 for 16 in a square
});

describe('the report', () => {
  const options: SweepOptions = { sizes: [4, 8], runs: 3, budget: 100_000 };
  const rows = algorithms.flatMap((algorithm) => measure(algorithm, options));
  const atlas = { algorithms, rows, options, command: 'baton measure' };
  const blocks = atlasBlocks(atlas);
  const svgs = blocks.flatMap((block) => (block.type === 'figure' ? [block] : []));
  const page = atlasHtml(blocks);

  test('has a figure for each measure of a problem, and one against the papers if they bound it', () => {
    const figures = svgs.map(({ name }) => name);
    for (const [file, problem] of [
      ['elections', 'election'],
      ['mutual-exclusion', 'mutex'],
    ] as const) {
      const others = measuresOf(problem).filter(({ id }) => id !== 'messages');
      expect(figures).toEqual(
        expect.arrayContaining([file, `${file}-bounds`, ...others.map(({ id }) => `${file}-${id}`)]),
      );
    }
    expect(figures).toContain('mutual-exclusion-delay-bounds');
    expect(figures).not.toContain('elections-load-bounds'); // no paper bounds it
    expect(new Set(figures).size).toBe(figures.length);
  });

  test('has columns for delay, time, bits and load', () => {
    const text = atlasMarkdown(blocks, 'atlas');
    const section = text.split('### lamport\n')[1]!.split('### ')[0]!;
    const heads = section.split('\n').filter((line) => line.startsWith('| case'));
    for (const head of heads.slice(1))
      for (const column of [
        'synchronisation delay in T',
        'waiting time in T',
        'bits per entry',
        "busiest process's share",
      ])
        expect(head).toContain(column);
    expect(heads).toHaveLength(3); // messages, the means of the others, every size
    expect(section).toMatch(/^\| synchronisation delay in T \| heavy load \|.*at most 3T, (not )?attained/m);
    expect(section).toContain('| synchronisation delay | exactly | `T` | all ask again at once');
  });

  test.each(algorithms.map(({ name, problem }) => [name, problem] as const))(
    'names %s everywhere',
    (name, problem) => {
      const file = problem === 'mutex' ? 'mutual-exclusion' : 'elections';
      const own = svgs.filter((svg) => [file, `${file}-bounds`, `${file}-load`].includes(svg.name));
      for (const { svg } of own) expect(svg).toContain(`>${name}</text>`);
      expect(page).toContain(`<h3 id="${name}">`);
      expect(atlasMarkdown(blocks, 'atlas')).toContain(`### ${name}\n`);
    },
  );

  const panelOf = (name: string) =>
    svgs
      .filter((svg) => ['elections-bounds', 'mutual-exclusion-bounds'].includes(svg.name))
      .flatMap(({ svg }) => svg.split('<g class="panel">'))
      .find((panel) => panel.includes(`>${name}</text>`))!;
  const curves = (name: string, style: string) => [
    ...panelOf(name).matchAll(new RegExp(`class="curve ${style}" d="(M[^"h]+)"`, 'g')),
  ];

  test('a formula of several cases has a curve for each different value', () => {
    expect(curves('list-carrying-ring', 'exactly')).toHaveLength(2); // all start, one starts
    expect(curves('le-lann', 'exactly')).toHaveLength(1);
  });

  test('the curve continues where the formula changes', () => {
    const wide = measure(vitanyi, { ...options, sizes: [16, 32, 64, 128] });
    const [, figure] = atlasBlocks({ ...atlas, algorithms: [vitanyi], rows: wide }).flatMap((block) =>
      block.type === 'figure' ? [block.svg] : [],
    );
    const [square, linear] = [...figure!.matchAll(/class="curve at-most" d="M([^"h]+)"/g)].map(([, path]) =>
      path!.split('L'),
    );
    expect(linear![0]).toBe(square!.at(-1));
  });

  test('fetches nothing, and contains no NaN', () => {
    for (const text of [page, ...svgs.map(({ svg }) => svg)]) {
      expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
        /https?:|src=|url\(|@import|<script/,
      );
      expect(text).not.toMatch(/NaN|undefined|Infinity/);
    }
    expect(atlasMarkdown(blocks, 'atlas')).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('says where a bound is broken', () => {
    const broken = measure(bullyShortCut, options);
    const text = atlasMarkdown(
      atlasBlocks({ algorithms: [bullyShortCut], rows: broken, options, command: 'baton measure' }),
      'atlas',
    );
    expect(text).toContain('violate what is said of them');
    expect(text).toContain('**VIOLATED: the message bound');
  });
});
