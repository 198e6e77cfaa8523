import { describe, expect, test } from 'vitest';
import { jain, judge, type Raced } from '../../bench/locks/judge.ts';

const millisecond = 1e6;
/** Takes entries as [asked, entered, left, name, fence], in milliseconds. */
const raced = (...entries: readonly (readonly [number, number, number, number, number])[]): Raced => ({
  log: new Float64Array(
    entries.flatMap(([asked, entered, left, name, fence]) => [
      asked * millisecond,
      entered * millisecond,
      left * millisecond,
      name,
      fence,
    ]),
  ),
  alone: null,
});
const second = { from: 0, to: 1000 * millisecond };

describe('the judge of races', () => {
  test('counts entries before another process has left, on the same name only', () => {
    const one = raced([0, 1, 10, 0, 0], [10, 30, 40, 1, 0]);
    expect(judge([one, raced([0, 10, 20, 0, 0])], 2, second).violations).toBe(0);
    expect(judge([one, raced([0, 9, 20, 0, 0])], 2, second).violations).toBe(1);
    expect(judge([one, raced([0, 35, 38, 0, 0])], 2, second).violations).toBe(0);
  });

  test('finds an entry inside a longer one that began before another', () => {
    const long = raced([0, 0, 100, 0, 0]);
    expect(judge([long, raced([0, 10, 20, 0, 0]), raced([0, 50, 60, 0, 0])], 1, second).violations).toBe(2);
  });

  test('counts fences that do not rise, also within one process', () => {
    const one = raced([0, 1, 2, 0, 5], [2, 3, 4, 0, 5]);
    expect(judge([one], 1, second).violations).toBe(1);
    expect(judge([one, raced([0, 6, 7, 0, 4])], 1, second).violations).toBe(2);
  });

  test('distinguishes handovers from acquisitions, measures waits from the request, and does not count entries outside the window', () => {
    const one = raced([0, 1, 2, 0, 0], [2, 3, 4, 0, 0], [900, 1100, 1101, 0, 0]);
    const verdict = judge([one, raced([0, 5, 6, 0, 0])], 1, second);
    expect(verdict).toMatchObject({ acquisitions: 3, handovers: 1, p50: 5, max: 200, violations: 0 });
  });

  test("measures fairness by Jain's index", () => {
    expect(jain([5, 5, 5, 5])).toBe(1);
    expect(jain([20, 0, 0, 0])).toBe(0.25);
  });
});
