// Numbers of states that are known from elsewhere, with which the search must agree.
import { describe, expect, test } from 'vitest';
import { changRoberts, dolevKlaweRodeh } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';

/** Leaves out the announcement: the winner knows its victory, and no other process learns it. */
const unannounced = (algorithm: AnyAlgorithm): AnyAlgorithm => ({
  ...algorithm,
  on: Object.fromEntries(
    Object.entries(algorithm.on).map(([type, handler]) => [
      type,
      (s, p, m, from) => {
        const send = (to: number, sent: { type: string }) => sent.type === 'leader' || p.send(to, sent);
        handler(s, { ...p, emit: p.emit.bind(p), send }, m, from);
      },
    ]),
  ),
});

const states = (algorithm: AnyAlgorithm, ids: readonly number[]): number =>
  check(unannounced(algorithm), { ids, channels: 'fifo' }, { together: true, reduction: false }).states;

const descending = (n: number) => Array.from({ length: n }, (_, i) => n - i);
const ascending = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe('all processes start on a FIFO ring, without an announcement', () => {
  const catalan = (n: number): number => (n === 0 ? 1 : (catalan(n - 1) * 2 * (2 * n - 1)) / (n + 1));
  const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));

  test.each([2, 3, 4, 5, 6, 7])('chang-roberts, n = %i', (n) => {
    expect(states(changRoberts, descending(n))).toBe(catalan(n + 1));
    expect(states(changRoberts, ascending(n))).toBe(3 * 2 ** (n - 1) - 1);
  });

  test.each([2, 3, 4, 5, 6])('dolev-klawe-rodeh, n = %i', (n) => {
    expect(states(dolevKlaweRodeh, descending(n))).toBe(fibonacci(2 * n + 2) + 1);
  });
});
