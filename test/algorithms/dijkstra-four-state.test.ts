import { describe, expect, test } from 'vitest';
import { dijkstraFourState } from '../../src/algorithms/index.ts';
import { fourStateRules } from '../../src/algorithms/shared/dijkstra-four-state.ts';
import { isClosed, longestTurn, mayRise, mostSteps } from '../conformance/daemons.ts';
import { conformsToShared } from '../conformance/shared.ts';

conformsToShared(dijkstraFourState, {
  hash: '8b5d850786004329',
  registers: { 2: 2, 3: 3, 10: 10 },
  spaces: [
    { n: 3, entries: 1, states: 360 },
    { n: 3, states: 128 },
    { n: 4, entries: 1, states: 1620 },
  ],
  corrupted: [
    { n: 3, entries: 1, states: 812 },
    { n: 4, entries: 0, states: 64 },
    { n: 5, entries: 0, states: 256 },
  ],
  bypass: {
    'two machines: at most once': { space: { n: 2 }, lines: ['wait for the privilege'], most: 1 },
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
    'no-direction': {
      about: 'The bottom machine moves again before the privilege is back, and two machines are inside.',
      scenario: { n: 3, seed: 3 },
      of: 'dijkstra-four-state-no-direction',
    },
  },
});

describe('dijkstra-four-state', () => {
  test('from every state, with every choice of a central daemon, there is one privilege after at most 2, 7, 13 and 21 moves', () => {
    expect([3, 4, 5, 6].map((n) => mostSteps(fourStateRules, n, 'central'))).toEqual([2, 7, 13, 21]);
  });

  test('a distributed daemon takes as many steps', () => {
    expect([3, 4, 5, 6].slice(0, -1).map((n) => mostSteps(fourStateRules, n, 'distributed'))).toEqual(
      [2, 7, 13, 21].slice(0, -1),
    );
  });

  test('one privilege stays one', () => {
    for (const n of [3, 4, 5, 6]) expect(isClosed(fourStateRules, n)).toBe(true);
  });

  test('no move makes more privileges', () => {
    expect([3, 4, 5, 6].map((n) => mayRise(fourStateRules, n))).toEqual([false, false, false, false]);
  });

  test('a machine has the privilege again after at most 2(n-1) moves', () => {
    for (const n of [3, 4, 5, 6]) expect(longestTurn(fourStateRules, n)).toBe(2 * (n - 1));
  });
});
