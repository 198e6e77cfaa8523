import { describe, expect, test } from 'vitest';
import { vitanyi } from '../../src/algorithms/election/vitanyi.ts';
import { dyadic, dyadicBits, fromDyadic } from '../../src/algorithms/election/vitanyi-dyadic.ts';
import { Random } from '../../src/core/random.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, k) => from + k);

/** Returns the number of bits sent in a run. */
const bits = (scenario: Scenario): number => {
  let sum = 0;
  const trace = (line: string) => {
    for (const [, type, j] of line.matchAll(/#\d+ to \d+ (\w+)(?:\(j=(\d+)\))?/g))
      sum += dyadicBits({ type: type!, j: Number(j) });
  };
  expect(simulate(vitanyi, scenario, { trace }).ok).toBe(true);
  return sum;
};
const digits = (i: number) => dyadic(i).length;
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe('the dyadic code of Vitanyi, section 2', () => {
  test('W6, ER-33: 1, 2, 11, 21, 12, 22 are the numbers from 1 to 6, least significant digit first', () => {
    expect(range(1, 6).map(dyadic)).toEqual(['1', '2', '11', '21', '12', '22']);
    expect(fromDyadic('21')).toBe(4);
  });

  test('every number has one code, and every word over the digits 1 and 2 is a code', () => {
    const words = (length: number): string[] =>
      length === 0 ? [''] : words(length - 1).flatMap((word) => [`${word}1`, `${word}2`]);
    for (let length = 1; length <= 8; length += 1) {
      expect(
        words(length)
          .map(fromDyadic)
          .sort((a, b) => a - b),
      ).toEqual(range(2 ** length - 1, 2 ** (length + 1) - 2));
    }
    for (const i of [...range(1, 5000), 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      expect(fromDyadic(dyadic(i))).toBe(i);
    }
  });

  test('ER-31: i has floor(log(i+1)) digits: one for 1, where log i is 0', () => {
    for (const i of range(1, 5000)) expect(digits(i)).toBe(Math.floor(Math.log2(i + 1)));
  });
});

describe('bits sent in an election', () => {
  test('ER-31: 2N + 3N log l would be 2N for l = 1; M_1 alone takes N more', () => {
    expect(bits({ ids: [1], latency: 'fixed:0' })).toBe(3);
    for (const n of [2, 5, 20]) expect(bits({ n, latency: 'fixed:0' })).toBeGreaterThanOrEqual(3 * n);
  });

  test('the correct bound: 2N, one pass of every name, N-1 more of l, and the passes of others before M_l meets them', () => {
    const random = new Random(1, 'bits');
    for (let seed = 0; seed < 1000; seed += 1) {
      const n = 1 + random.below(12);
      const l = 1 + random.below(6);
      const ids = range(l, l + n - 1).sort(() => random.below(3) - 1);
      const clocks = ids.map(() => 1 + random.below(8));
      const delay = random.below(8);
      const ratio = (Math.max(...clocks) + delay) / Math.min(...clocks);
      const others = ids.filter((i) => i !== l);
      const waiting = others.map((i) => (digits(i) * n * (2 ** l + 1) * ratio) / 2 ** i);
      const most = 2 * n + sum(ids.map(digits)) + (n - 1) * digits(l) + sum(waiting);
      expect(bits({ ids, clocks, latency: `uniform:0:${delay}`, seed })).toBeLessThanOrEqual(most);
    }
  });

  test('O(N u/m (1 + log l)) does not hold: every name makes one pass, and names can be long', () => {
    const passed = [4, 8, 16, 32].map((k) =>
      bits({ ids: [1, ...range(2 ** k, 2 ** k + 8)], latency: 'fixed:0' }),
    );
    for (const [i, k] of [4, 8, 16, 32].entries()) expect(passed[i]).toBeGreaterThan(9 * k);
    for (const n of [64, 256, 1024]) {
      expect(bits({ n, latency: 'fixed:0' })).toBeGreaterThan(n * (Math.log2(n) - 2));
    }
  });
});
