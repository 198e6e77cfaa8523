import { setTimeout as pause } from 'node:timers/promises';
import type { Group } from 'batonjs/cluster';
import { describe, expect, test } from 'vitest';
import { grantsIn, longestGap } from '../../bench/locks/grants.ts';
import { columns, judge } from '../../bench/locks/judge.ts';
import { LockUse } from '../../bench/locks/lock-use.ts';

const millisecond = 1e6;
const at = (...milliseconds: readonly number[]) => milliseconds.map((one) => one * millisecond);
const window = { from: 10 * millisecond, to: 20 * millisecond };

describe('the longest time without a lock', () => {
  test('is that between two grants of which a part lies in the window', () => {
    expect(longestGap(at(9, 12, 14, 19, 21), window)).toBe(5);
    expect(longestGap(at(0, 11, 14, 19, 21), window)).toBe(11);
    expect(longestGap(at(9, 12, 14, 19, 40), window)).toBe(21);
    expect(longestGap(at(1, 30), window)).toBe(29);
  });

  test('is not that before or after the window', () => {
    expect(longestGap(at(-90, 9, 12, 14, 19, 21, 90), window)).toBe(5);
  });

  test('is unknown until the grants reach over the window', () => {
    expect(longestGap(at(9, 12, 19), window)).toBeNaN();
    expect(longestGap(at(11, 12, 21), window)).toBeNaN();
    expect(longestGap([], window)).toBeNaN();
  });

  test('is found in a log that came in pieces', () => {
    const piece = (...entered: readonly number[]) =>
      new Float64Array(entered.flatMap((one) => [one - 1, one, one + 1, 0, 0]));
    expect(grantsIn([piece(1, 2), piece(), piece(5)])).toEqual([1, 2, 5]);
  });
});

describe('a lock in use', () => {
  /** A group that answers each request for a lock in turn: with a fence, or with the code of an error. */
  function groupOf(...answers: readonly (number | string)[]) {
    const rest = [...answers];
    const group = {
      state: 'member',
      lock: async () => {
        const answer = rest.shift() ?? 'left';
        if (answer === 'left') group.state = 'left';
        if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer });
        return { fence: answer, release: async () => {} };
      },
    };
    return group as unknown as Group;
  }
  const pace = { holdMs: 0, pauseMs: 1 };

  test('logs every grant, in the columns of the judge', async () => {
    const use = new LockUse(groupOf(5, 6, 7), 'stock', pace);
    while (use.grants < 3) await pause(1);
    await use.stop();
    const log = use.takeLog();
    expect(log).toHaveLength(3 * columns);
    expect([4, 9, 14].map((place) => log[place])).toEqual([5, 6, 7]);
    expect(judge([{ log, alone: null }], 1, { from: 0, to: Number.MAX_VALUE }).violations).toBe(0);
    expect(use.takeLog()).toHaveLength(0);
  });

  test('counts an error, unless the process itself has left', async () => {
    const group = groupOf(5, 'lost', 6, 'left');
    const use = new LockUse(group, 'stock', pace);
    while (group.state !== 'left') await pause(1);
    await use.stop();
    expect(use.grants).toBe(2);
    expect(use.errors).toEqual(['stock: lost']);
  });
});
