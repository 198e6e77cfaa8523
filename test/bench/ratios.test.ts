import { describe, expect, test } from 'vitest';
import { combine, compare, geometricMean, spreadOf } from '../../bench/against/ratios.ts';
import { median } from '../../bench/results.ts';

const rounds = (ratio: number, controls: readonly number[]) =>
  controls.map((control) => ({ ratio, control }));

test('the median of an even number is the mean of the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

describe('a comparison of two commits', () => {
  test('the spread leaves out a tenth of the values at each end', () => {
    expect(spreadOf([3, 1, 2])).toEqual([1, 3]);
    expect(spreadOf(Array.from({ length: 15 }, (_, k) => 15 - k))).toEqual([2, 14]);
    expect(spreadOf([7])).toEqual([7, 7]);
  });

  test('reports medians, which one slow round does not move', () => {
    const compared = compare(
      [
        { ratio: 1.01, control: 0.99 },
        { ratio: 0.2, control: 5 },
        { ratio: 1.02, control: 1 },
      ],
      0.97,
    );
    expect(compared).toMatchObject({ ratio: 1.01, control: 1, spread: [0.99, 5], verdict: 'ok' });
  });

  test('a ratio below the floor passes only within the spread of the control', () => {
    expect(compare(rounds(0.97, [1, 1, 1]), 0.97).verdict).toBe('ok');
    expect(compare(rounds(0.96, [0.95, 1, 1.05]), 0.97).verdict).toBe('ok, within the control');
    expect(compare(rounds(0.96, [0.98, 1, 1.02]), 0.97).verdict).toBe('SLOWER');
    expect(compare(rounds(0.96, [0.98, 1, 1.02]), 0.95).verdict).toBe('ok');
  });

  test('workloads are combined by the geometric mean of each round', () => {
    expect(geometricMean([2, 0.5])).toBeCloseTo(1);
    const [first, second] = combine([
      [
        { ratio: 4, control: 1 },
        { ratio: 1, control: 1 },
      ],
      [
        { ratio: 1, control: 9 },
        { ratio: 1, control: 1 },
      ],
    ]);
    expect(first!.ratio).toBeCloseTo(2);
    expect(first!.control).toBeCloseTo(3);
    expect(second).toEqual({ ratio: 1, control: 1 });
  });
});
