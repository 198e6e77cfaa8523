// With default options every algorithm of the catalogue holds, or has no end of states.
import { expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { check, type Space, timerCapacity } from '../../src/check/index.ts';

const endless = ['misra-k-tokens']; // numbers that grow: docs/check.md says so
const smaller: Readonly<Record<string, Space>> = { 'raft-election': { n: 2 } }; // 3 processes have millions of states: test/algorithms

const checkable = [...algorithms, ...sharedAlgorithms].filter(({ problem }) => problem !== 'clocks');

test.each(checkable.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (name, algorithm) => {
  const isEndless = endless.includes(name);
  const maxStates = isEndless ? 20_000 : 1_000_000;
  const { verdict, notChecked } = check(algorithm, smaller[name] ?? {}, {
    ...timerCapacity(algorithm),
    maxStates,
  });
  expect({ verdict, notChecked }).toEqual({ verdict: isEndless ? 'incomplete' : 'holds', notChecked: null });
});
