// A search keeps its limits even if few worlds need much memory, and before its first event.
import { expect, test } from 'vitest';
import { dijkstraKState, lamport } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';

test('the limit of states applies to the initial worlds', () => {
  expect(check(dijkstraKState, { n: 3 }, { corrupted: true, maxStates: 5000 })).toMatchObject({
    states: 5000,
    leftOut: 'more than 5000 states',
  });
  expect(check(lamport, {}, { maxStates: 0 })).toMatchObject({ leftOut: 'more than 0 states' });
});

test('the limit of memory applies to the initial worlds', () => {
  const maxBytes = 2 ** 20;
  const { states, leftOut } = check(dijkstraKState, { n: 3 }, { corrupted: true, maxBytes });
  expect(leftOut).toBe('what needs more than 1048576 bytes');
  expect(states).toBeLessThan(100_000);
});

test('it applies to states and messages, and the search checks it often enough', () => {
  const maxBytes = 30 * 2 ** 20;
  const { states, bytes, leftOut } = check(lamport, { n: 99 }, { maxBytes });
  expect(leftOut).toBe('what needs more than 31457280 bytes');
  expect(states).toBeLessThan(20_000);
  expect(bytes).toBeLessThan(1.1 * maxBytes); // with objects: the search sees that it has passed the limit a little later
});
