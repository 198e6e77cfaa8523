// A search keeps to its limits also where few worlds take much, and before its first event.
import { expect, test } from 'vitest';
import { dijkstraKState, lamport } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';

test('a run can begin in more worlds than may be looked at', () => {
  expect(check(dijkstraKState, { n: 3 }, { corrupted: true, maxStates: 5000 })).toMatchObject({
    states: 5000,
    leftOut: 'more than 5000 states',
  });
  expect(check(lamport, {}, { maxStates: 0 })).toMatchObject({ leftOut: 'more than 0 states' });
});

test('the ways to begin are weighed', () => {
  const maxBytes = 2 ** 20;
  const { states, leftOut } = check(dijkstraKState, { n: 3 }, { corrupted: true, maxBytes });
  expect(leftOut).toBe('what needs more than 1048576 bytes');
  expect(states).toBeLessThan(100_000);
});

test('so are states and messages, and not only now and then', () => {
  const maxBytes = 30 * 2 ** 20;
  const { states, bytes, leftOut } = check(lamport, { n: 99 }, { maxBytes });
  expect(leftOut).toBe('what needs more than 31457280 bytes');
  expect(states).toBeLessThan(20_000); // 45 MB of objects and arrays, as measured
  expect(bytes).toBeLessThan(maxBytes);
});
