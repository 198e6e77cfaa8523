// Every interleaving of small groups: views change while members request, enter, leave, die and join.
import { describe, expect, test } from 'vitest';
import { naimiTrehel, ricartAgrawala } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { faultyVariants } from '../cluster/simulation/faulty-variants.ts';
import { checked, type Fate, type Instance } from './group-as-algorithm.ts';

function ask(inner: AnyAlgorithm, instance: Instance) {
  const { members, fate, lastAsks } = instance;
  const askers = members - (lastAsks || fate === 'joins' ? 0 : 1);
  const start = Array.from({ length: askers }, (_, process) => ({ process }));
  return check(checked(inner, instance), { n: members + 1, start }, { lemmas: true });
}

const both = [true, false];
const fates: readonly Fate[] = ['leaves', 'dies', 'joins'];
const instances = [
  ...fates.map((fate) => ({ inner: naimiTrehel, members: 3, fate, lastAsks: true })),
  ...fates.flatMap((fate) => both.map((lastAsks) => ({ inner: ricartAgrawala, members: 2, fate, lastAsks }))),
  { inner: ricartAgrawala, members: 3, fate: 'leaves', lastAsks: false },
] as const;

test.each(instances)('$inner.name, $members members, the last $fate (asks: $lastAsks)', (instance) => {
  const report = ask(instance.inner, instance);
  expect(report.violation?.trace ?? null).toBe(null);
  expect(report.complete).toBe(true);
  expect(report.sometimes.at(-1)).toEqual({ what: 'all have entered as often as they may', seen: true });
});

describe('a faulty variant is found', () => {
  test.each([
    ['epoch not checked', 'leaves'],
    ['fence not raised from entry to entry', 'leaves'],
    ['fence not raised from view to view', 'leaves'],
    ['install before every flush arrived', 'joins'],
  ] as const)('%s', (fault, fate) => {
    const { member } = faultyVariants[fault]!;
    const report = ask(naimiTrehel, { members: 3, fate, lastAsks: true, member });
    expect(report.violation, JSON.stringify(report)).not.toBe(null);
  });
});
