import { describe, expect, test } from 'vitest';
import { vitanyi, vitanyiMinimalTime } from '../../src/algorithms/election/vitanyi.ts';
import { Random } from '../../src/core/random.ts';
import { scenarioKeepsAssumptions, simulate } from '../../src/sim/index.ts';

const digits = (i: number) => i.toString(2).length;

/** Draws rings with some long names, clocks, start times, and delays that depend on the length. */
function* drawn(seed: number, count: number) {
  const random = new Random(seed, 'walk time');
  for (let k = 0; k < count; k += 1) {
    const n = 1 + random.below(10);
    const l = 1 + random.below(4);
    const ids = [...random.permutation(n)].map(
      (i) => l - 1 + i + (i > 1 && random.below(3) === 0 ? 64 * 2 ** (i + 30) : 0),
    );
    yield {
      ids,
      latency: `bits:${random.below(30)}:${random.below(30)}`,
      clocks: ids.map(() => 1 + random.below(1 + random.below(20))),
      start: ids.map((_, process) => ({ process, at: random.below(200) })).slice(0, 1 + random.below(n)),
    };
  }
}

describe('Vitanyi, section 3: the walk-time model', () => {
  test.each([
    [vitanyi.name, vitanyi],
    [vitanyiMinimalTime.name, vitanyiMinimalTime],
  ])('%s: the corrected bounds on time hold in a thousand runs, and are judged', (_, algorithm) => {
    for (const scenario of drawn(3, 1000)) {
      expect(scenarioKeepsAssumptions(algorithm, scenario)).toBe(true);
      const run = simulate(algorithm, scenario);
      expect(run.violations, JSON.stringify(scenario)).toEqual([]);
      expect(run.measures!.electionTime!.bounds.map(({ formula }) => formula)[1]).toMatch(/w_p/);
    }
  });

  test('the printed time is exceeded: M_l follows a longer name, which it cannot overtake', () => {
    const scenario = { ids: [2 ** 20, 1], latency: 'bits:0:100', start: [{ process: 0 }] };
    const { electionTime } = simulate(vitanyiMinimalTime, scenario).measures!;
    const w = 2 * 100;
    expect(electionTime!.most).toBe(2204);
    expect(electionTime!.most).toBeGreaterThan(3 * w + 2 * 100 * (digits(1) - 1));
    expect(electionTime!.bounds[1]!.atMost).toBe(3 * w + 2 * 100 * 20 + 3 * 2);
  });

  test('with names of equal length the printed time is exceeded by units for reading only', () => {
    const ids = [5, 7, 4, 6];
    const w = 4 * (3 + 100);
    const { most } = simulate(vitanyiMinimalTime, { ids, latency: 'bits:3:100' }).measures!.electionTime!;
    expect(most).toBeLessThanOrEqual(3 * w + 4 * 100 * (digits(4) - 1) + 3 * 4);
  });

  test('the printed average is exceeded on average; the corrected bound holds in every run', () => {
    const [n, runs] = [100, 100];
    const ids = Array.from({ length: n }, (_, i) => i + 1);
    const time = (i: number) => 2 ** i * digits(i); // w_p f(i) log i, with w_s = 0 and w_p = 1
    const printed = 2 * n + n * ids.reduce((sum, i) => sum + (1 + time(1)) / time(i), 0);
    let total = 0;
    for (let seed = 0; seed < runs; seed += 1) {
      const run = simulate(vitanyi, { n, latency: 'bits:0:1', seed });
      expect(run.violations).toEqual([]);
      total += run.messages.total;
    }
    expect(printed).toBeCloseTo(418.6, 0);
    expect(total / runs).toBeCloseTo(454.56, 2);
  });

  test('a pass may take less than f(i)+1 of the shortest units: a message that arrives late in a unit is read at its end', () => {
    const times: number[] = [];
    const trace = (line: string) => {
      if (/to \d+ M\(j=2\)/.test(line)) times.push(Number(line.split(' ')[0]));
    };
    const scenario = {
      ids: [2, 30, 31, 32, 33, 1],
      clocks: [100, 101, 100, 101, 100, 100000],
      latency: 'fixed:0',
    };
    expect(simulate(vitanyi, scenario, { trace }).ok).toBe(true);
    expect(Math.min(...times.slice(1).map((time, k) => time - times[k]!))).toBeLessThan((2 ** 2 + 1) * 100);
  });
});
