// The opponent agrees with the checker on random algorithms. npm run soak -- algorithms runs many more.
import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { seedsOf } from '../tiers.ts';
import { compare, disagreementText } from './compare.ts';
import { compareSeed } from './random-cases.ts';
import type { Case } from './verdict.ts';

const seeds = seedsOf(1000);
const parts = 5;

describe('random algorithms', () => {
  test.each(Array.from({ length: parts }, (_, part) => part))('part %i', (part) => {
    for (let seed = part + 1; seed <= seeds; seed += parts) expect(compareSeed(seed).text).toBe('');
  });

  test('some hold, and some are violated', () => {
    const verdicts = new Set(Array.from({ length: 60 }, (_, seed) => compareSeed(seed).verdict));
    expect(verdicts).toContain('holds');
    expect(verdicts).toContain('violated');
  });
});

const election: Omit<AnyAlgorithm, 'name' | 'knows' | 'calls' | 'on'> = {
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  bounds: [],
  init: () => ({}),
};

const agrees = (given: Case) =>
  expect(compare(given).disagreements.map(disagreementText).join('\n')).toBe('');

describe('mistakes of the checker that the opponent has found', () => {
  /** Both processes decide when they hear of each other. Process 1 may do so first, and nobody leads then. */
  const deciding: AnyAlgorithm = {
    ...election,
    name: 'each-decides',
    knows: ['me'],
    calls: { start: (_s, p) => p.send(1 - p.me, { type: 'hello' }) },
    on: { hello: (_s, p) => p.emit({ type: 'elected', leader: p.me === 0 ? 'me' : 'another' }) },
  };

  test('ample sets on FIFO channels do not leave out that a process hears of a leader before there is one', () => {
    agrees({ algorithm: deciding, n: 2, together: true });
  });

  const naming: AnyAlgorithm = {
    ...election,
    name: 'names-itself',
    knows: ['id'],
    calls: { start: (_s, p) => p.emit({ type: 'elected', leader: 'me' }) },
    on: {},
  };

  test('a leader named as me has an id', () => {
    agrees({ algorithm: naming, n: 1 });
  });

  /** All processes know the leader from the start, and it crashes. */
  const following: AnyAlgorithm = {
    ...election,
    name: 'all-follow',
    knows: ['me'],
    calls: { start: (_s, p) => p.emit({ type: 'elected', leader: p.me === 0 ? 'me' : 'another' }) },
    on: {},
  };

  test('a leader named as another is remembered when it crashes', () => {
    agrees({ algorithm: following, n: 2, together: true, crashes: 1 });
  });

  test('and with the position of the leader instead, both agree', () => {
    const calls: AnyAlgorithm['calls'] = { start: (_s, p) => p.emit({ type: 'elected', leader: 0 }) };
    agrees({ algorithm: { ...following, calls }, n: 2, together: true, crashes: 1 });
  });
});
