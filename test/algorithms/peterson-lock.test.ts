import { describe, expect, test } from 'vitest';
import { petersonLock } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import { conformsToShared, mostPassed } from '../conformance/shared.ts';
import { bypasses, deadlock, explore } from '../explore.ts';

const waiting = ['wait until not Q[j]', 'or TURN = j'];

conformsToShared(petersonLock, {
  hash: 'd27e9c82f2539bc5',
  alone: { 2: { read: 1, write: 3 } },
  registers: { 2: 3 },
  spaces: [
    { n: 2, states: 58 },
    { n: 2, entries: 2, states: 233 },
  ],
  bypass: {
    'once, after TURN was written': { space: { n: 2 }, lines: waiting, most: 1 },
    'once, after Q was written': { space: { n: 2 }, lines: ['TURN := i', ...waiting], most: 1 },
  },
  scenarios: [{ hold: 'uniform:1:60' }],
  golden: {
    'two-ask': {
      about: 'Both ask; 0 writes TURN last and lets 1 go first.',
      scenario: { think: 'fixed:0', seed: 3 },
    },
    'turn-first': {
      about: 'TURN is written before Q: 0 sees no Q of 1 and enters, 1 sees that 0 came last and enters too.',
      scenario: { hold: 'fixed:40', seed: 37 },
      of: 'peterson-lock-turn-first',
    },
    crash: {
      about: 'Process 1 stops inside. Its Q stays, and 0 came last: it waits for ever.',
      scenario: { seed: 3, think: 'fixed:0', faults: [{ type: 'crash', process: 1, at: 20 }] },
    },
  },
});

describe('peterson-lock', () => {
  test('at random speeds no process is bypassed more than once', () => {
    const heavy = { entries: 20, think: 'fixed:0', latency: 'exponential:20' };
    expect(mostPassed(petersonLock, heavy, 'TURN := i', 50)).toBe(1);
  });

  test('the two conditions of the wait may be read in either order', () => {
    const turned = {
      ...petersonLock,
      program: (place: { me: number; n: number }) => {
        const lines = petersonLock.program(place);
        return { ...lines, 'TURN := i': { ...lines['TURN := i'], goto: 'or TURN = j' } };
      },
    };
    expect(check(turned, { entries: Infinity }).ok).toBe(true);
    const graph = explore(turned, { n: 2 });
    expect([0, 1].map((i) => bypasses(graph, i, waiting))).toEqual([1, 1]);
  });

  test('if a crash reset Q, it would harm no other process', () => {
    const falling = { ...petersonLock, owned: ['Q'] };
    expect(check(falling, { entries: Infinity }, { crashes: 3 }).ok).toBe(true);
    expect(deadlock(explore(falling, { n: 2, crashes: 3 }))).toBeUndefined();
  });
});
