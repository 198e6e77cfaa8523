// Ids are whole numbers from 0: only their order matters.
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { prepare, simulate } from '../../src/sim/index.ts';
import { rings } from '../conformance/conformance.ts';

const withIds = algorithms.filter(
  (one): one is AnyAlgorithm => 'on' in one && one.problem === 'election' && one.knows.includes('id'),
);
const numberedFrom = (least: number) =>
  withIds
    .filter(({ assumes }) => (assumes.timing === 'archimedean' ? 1 : 0) === least)
    .map((one) => [one.name, one] as const);

describe.each(numberedFrom(0))('%s', (_name, algorithm) => {
  test('an id may be 0, and only the order of ids matters', () => {
    for (let n = 1; n <= 5; n += 1) {
      for (const [seed, ids] of [...rings(n)].entries()) {
        const large = simulate(algorithm, { ids, seed });
        const small = simulate(algorithm, { ids: ids.map((id) => id - 1), seed }, { invariants: true });
        expect(small.violations).toEqual([]);
        if (algorithm.elects === undefined) continue; // an id also says which neighbour is asked first
        expect(small.messages).toEqual(large.messages);
        expect(small.leader).toBe(large.leader! - 1);
      }
    }
  });

  test('the checker accepts 0', () => {
    expect(
      check(algorithm, {
        ids: [1, 0],
        ...(algorithm.assumes.topology === 'connected' && { topology: 'line' }),
      }),
    ).toMatchObject({ ok: true, complete: true });
  });
});

test.each(numberedFrom(1))('%s numbers its processes from 1', (name, algorithm) => {
  expect(() => prepare(algorithm, { ids: [2, 0, 1] })).toThrow(
    `the ids of ${name} are whole numbers from 1; 0 is not`,
  );
});

test('there are elections of both sorts', () => {
  expect([numberedFrom(0).length > 5, numberedFrom(1).length > 0]).toEqual([true, true]);
});
