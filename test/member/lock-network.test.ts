import { expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { LockNetwork } from '../../src/member/index.ts';

const lock: AnyAlgorithm = centralCoordinator;

test('the root of an idle coordinator enters without messages', () => {
  const network = new LockNetwork(lock, 3);
  expect([0, 1, 2].map((position) => network.entersWithoutMessages(position))).toEqual([true, true, true]);
});

test('a root that suspects has not entered', () => {
  const request = (_s: unknown, p: { emit(event: object): void }) => p.emit({ type: 'suspects' });
  const network = new LockNetwork({ ...lock, calls: { ...lock.calls, request } }, 3);
  expect(network.entersWithoutMessages(0)).toBe(false);
});
