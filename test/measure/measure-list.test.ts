// Delay, time, bits and load: one list of measures, and their figures over many runs.
import { describe, expect, test } from 'vitest';
import {
  afekGafni,
  centralCoordinator,
  changRoberts,
  lamport,
  peterson,
  raymond,
  ricartAgrawala,
  suzukiKasami,
} from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { synchronisationDelay } from '../../src/core/bounds.ts';
import {
  boundsFigure,
  comparisonFigure,
  figuresOf,
  measureHeading,
  measureList,
  measureOf,
  measuresOf,
  oneAxisFigure,
  planOf,
  type Row,
  rowOf,
  samplesOf,
  tasksOf,
} from '../../src/measure/index.ts';
import { simulate } from '../../src/sim/index.ts';

function rowsOf(algorithm: AnyAlgorithm, sizes: readonly number[], runs = 3, measuresBudget?: number): Row[] {
  const options = { sizes, runs, budget: 1_000_000, measuresBudget };
  const plan = planOf([algorithm], options);
  const tasks = tasksOf(plan, options);
  return plan.points.map((point, k) =>
    rowOf(
      point,
      tasks.filter((task) => task.point === k).flatMap((task) => samplesOf(algorithm, task)),
    ),
  );
}

const rowIn = (rows: readonly Row[], which: string, n: number): Row =>
  rows.find((row) => row.case === which && row.n === n)!;

describe('the list of measures', () => {
  test('has each once, and every problem has messages, bits and load', () => {
    expect(new Set(measureList.map(({ id }) => id)).size).toBe(measureList.length);
    for (const problem of ['mutex', 'election', 'clocks'] as const) {
      const ids = measuresOf(problem).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(['messages', 'bits', 'load', 'busiest']));
      expect(ids.includes('delay')).toBe(problem === 'mutex');
      expect(ids.includes('elected')).toBe(problem === 'election');
    }
  });

  test('headings have units', () => {
    expect(measureHeading(measureOf('delay'), 'mutex')).toBe('synchronisation delay in T');
    expect(measureHeading(measureOf('throughput'), 'mutex')).toBe('throughput in entries per T');
    expect(measureHeading(measureOf('bits'), 'election')).toBe('bits per election');
    expect(measureHeading(measureOf('elements'), 'mutex')).toBe('elements of a message');
  });
});

describe('figures', () => {
  test('are those of the runs, times in units of T', () => {
    const row = rowIn(rowsOf(lamport, [4], 1), 'one asks', 4);
    const run = simulate(lamport, { n: 4, seed: 1, start: [{ process: 0 }] });
    expect(row.T).toBe(10); // messages take 1 to 10 ticks
    expect(row.measures!.delay).toBeUndefined(); // nobody else waits
    expect(row.measures!.load!.most).toBeGreaterThanOrEqual(run.measures!.load!.mean);
    expect(figuresOf(row, 'messages')).toEqual({ least: 9, mean: 9, most: 9 });
    expect(figuresOf(row, 'delay')).toBeNull();
    const { waiting, response } = row.measures!;
    expect(response!.mean).toBeGreaterThan(waiting!.mean);
    expect(waiting!.most).toBeLessThanOrEqual(2);
  });

  test('of the least, mean and most over all runs', () => {
    const samples = [1, 2, 3].map((seed) => rowIn(rowsOf(changRoberts, [8], seed), 'all start', 8));
    const { elected, learned } = samples[2]!.measures!;
    expect(elected!.least).toBeLessThanOrEqual(elected!.mean);
    expect(elected!.mean).toBeLessThanOrEqual(elected!.most);
    expect(learned!.mean).toBeGreaterThan(elected!.mean);
    expect(elected!.most).toBe(Math.max(...samples.map(({ measures }) => measures!.elected!.most)));
  });

  test('bits of all messages are those of single messages together', () => {
    const { messages, measures } = rowIn(rowsOf(suzukiKasami, [8], 1), 'heavy load', 8);
    const { bits, 'message-bits': size } = measures!;
    expect(bits!.mean).toBeCloseTo(size!.mean * messages.mean, 6);
  });

  test('are null where only messages are counted', () => {
    const rows = rowsOf(changRoberts, [4, 64], 3, 1000);
    expect(rowIn(rows, 'all start', 4).measures).not.toBeNull();
    expect(rowIn(rows, 'all start', 64).measures).toBeNull();
    expect(rowIn(rows, 'all start', 64).messages.mean).toBeGreaterThan(64);
  });
});

describe('bounds', () => {
  test('stand beside the figures, with whether a run attains them', () => {
    const heavy = rowIn(rowsOf(centralCoordinator, [8]), 'heavy load', 8).measures!;
    expect(heavy.delay!.claims).toContainEqual(
      expect.objectContaining({ kind: null, formula: '2T', atLeast: null, atMost: 2 }),
    );
    expect(heavy.busiest).toMatchObject({ mean: 0.5 });
    expect(heavy.busiest!.claims).toContainEqual(
      expect.objectContaining({
        formula: '1/2',
        atLeast: 0.5,
        atMost: 0.5,
        reached: { atLeast: true, atMost: true },
      }),
    );
  });

  test('on sizes name the kind of message', () => {
    const { elements } = rowIn(rowsOf(suzukiKasami, [8]), 'heavy load', 8).measures!;
    expect(elements!.claims.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['request', 'privilege']),
    );
  });

  test('a broken one is a violation of the row', () => {
    const bound = synchronisationDelay.atMost('T/2', 'nobody', ({ T }) => T / 2);
    const liar = { ...lamport, bounds: [...lamport.bounds, bound] } as AnyAlgorithm;
    const row = rowIn(rowsOf(liar, [8]), 'heavy load', 8);
    expect(row.violation).toMatch(/^the bounds of the measures: .* but at most 5 = T\/2/);
  });
});

describe('figures of a measure', () => {
  const algorithms: AnyAlgorithm[] = [changRoberts, peterson];
  const rows = algorithms.flatMap((algorithm) => rowsOf(algorithm, [4, 16, 64]));

  test.each(measuresOf('election').map(({ id }) => [id] as const))('%s compares algorithms', (id) => {
    const svg = comparisonFigure('election', id, algorithms, rows);
    for (const { name } of algorithms) expect(svg).toContain(`>${name}</text>`);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('the lower bound of Burns is drawn for elections on rings, and for no other network or measure', () => {
    const large = algorithms.flatMap((algorithm) => rowsOf(algorithm, [4, 256, 4096]));
    const label = />Burns: 0\.15n log n<\/text>/;
    expect(comparisonFigure('election', 'messages', algorithms, large)).toMatch(label);
    expect(oneAxisFigure('election', 'messages', algorithms, large)).toMatch(label);
    expect(comparisonFigure('election', 'chain', algorithms, large)).not.toMatch(label);
    const complete: AnyAlgorithm[] = [afekGafni];
    const others = complete.flatMap((algorithm) => rowsOf(algorithm, [4, 256]));
    expect(comparisonFigure('election', 'messages', complete, others)).not.toMatch(label);
    expect(oneAxisFigure('election', 'messages', [...complete, peterson], [...others, ...large])).not.toMatch(
      label,
    );
  });

  test('algorithms on different networks share one axis; long names move into a legend', () => {
    const both: AnyAlgorithm[] = [raymond, ricartAgrawala];
    const measured = both.flatMap((algorithm) => rowsOf(algorithm, [4, 16]));
    const svg = oneAxisFigure('mutex', 'delay', both, measured);
    expect(svg.match(/class="panel"/g)).toHaveLength(2);
    expect(svg.match(/>raymond<\/text>/g)).toHaveLength(2); // beside the lines
    const narrow = oneAxisFigure('mutex', 'delay', both, measured, 340);
    expect(narrow.match(/>ricart-agrawala<\/text>/g)).toHaveLength(1);
    expect(oneAxisFigure('mutex', 'delay', both, [])).toBe('');
    const onlyOne = measured.filter((row) => row.case === 'heavy load');
    expect(oneAxisFigure('mutex', 'delay', both, onlyOne).match(/class="panel"/g)).toHaveLength(1);
  });

  test('bounds are curves, only of algorithms that have them', () => {
    const svg = boundsFigure('election', 'elected', algorithms, rows);
    expect(svg).toContain('at least nT');
    expect(boundsFigure('election', 'load', algorithms, rows)).toBe('');
  });
});
