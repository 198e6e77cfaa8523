import { describe, expect, test } from 'vitest';
import { dijkstraThreeState } from '../../src/algorithms/index.ts';
import { threeStateRules } from '../../src/algorithms/shared/dijkstra-three-state.ts';
import { isClosed, longestTurn, mayRise, mostSteps } from '../conformance/daemons.ts';
import { conformsToShared } from '../conformance/shared.ts';

conformsToShared(dijkstraThreeState, {
  hash: '26bf3123e4efe35f',
  registers: { 3: 3, 4: 4, 10: 10 },
  spaces: [
    { n: 3, entries: 1, states: 556 },
    { n: 3, states: 208 },
    { n: 4, entries: 1, states: 2462 },
  ],
  corrupted: [
    { n: 3, entries: 1, states: 1158 },
    { n: 4, entries: 0, states: 81 },
    { n: 5, entries: 0, states: 243 },
  ],
  bypass: {
    'three machines: 2n-3 entries at the ends': {
      space: { n: 3 },
      lines: ['wait for the privilege'],
      most: [3, 1, 3],
    },
  },
  scenarios: [{ n: 3, hold: 'uniform:1:60' }],
  golden: {
    'one-asks': {
      about:
        'The privilege goes up and down. Machine 1 asks, keeps it while it is inside, and moves when it leaves.',
      scenario: { n: 3, start: [{ process: 1, at: 8 }], latency: 'fixed:3', hold: 'fixed:5' },
    },
    'one-sided': {
      about: 'The top machine moves although L and R differ, and has the privilege beside another machine.',
      scenario: { n: 3, seed: 3 },
      of: 'dijkstra-three-state-one-sided',
    },
  },
});

describe('dijkstra-three-state', () => {
  test('from every state, with every choice of a central daemon, there is one privilege after at most 2, 10, 22 and 39 moves', () => {
    expect([3, 4, 5, 6].map((n) => mostSteps(threeStateRules, n, 'central'))).toEqual([2, 10, 22, 39]);
  });

  test('a distributed daemon takes as many steps', () => {
    expect([3, 4, 5, 6].slice(0, -1).map((n) => mostSteps(threeStateRules, n, 'distributed'))).toEqual(
      [2, 10, 22, 39].slice(0, -1),
    );
  });

  test('one privilege stays one', () => {
    for (const n of [3, 4, 5, 6]) expect(isClosed(threeStateRules, n)).toBe(true);
  });

  test('the number of privileges may rise on the way', () => {
    expect([3, 4, 5, 6].map((n) => mayRise(threeStateRules, n))).toEqual([false, true, true, true]);
  });

  test('a machine has the privilege again after at most 2(n-1) moves', () => {
    for (const n of [3, 4, 5, 6]) expect(longestTurn(threeStateRules, n)).toBe(2 * (n - 1));
  });
});
