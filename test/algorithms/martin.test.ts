import { expect, test } from 'vitest';
import { martin } from '../../src/algorithms/mutex/martin.ts';
import { simulate } from '../../src/sim/index.ts';
import { Adversary } from '../conformance/adversary.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(martin, {
  hash: 'e266d2f0f69cb215',
  golden: {
    reflected: {
      about: '2 asks to the left; the privilege is reflected at 0 and comes back to the right.',
      scenario: { n: 3, start: [{ process: 2, at: 0 }] },
    },
  },
  reaches: { best: { n: 5, start: [{ process: 0 }], entries: 3 }, worst: { n: 5, start: [{ process: 4 }] } },
  bypass: [{ n: 4, seed: 47 }],
});

test('with two contenders the privilege can take more than n-1 hops per entry', () => {
  const run = simulate(martin, {
    n: 3,
    entries: 2,
    start: [
      { process: 1, at: 27 },
      { process: 2, at: 17 },
    ],
    think: 'fixed:0',
    hold: 'fixed:0',
    latency: 'exponential:5',
    seed: 304991798,
  });
  expect(run.ok).toBe(true);
  expect(run.messages.byType.privilege! / run.entries).toBe(2.5);
});

test.each([2, 3, 4, 7])(
  'n = %i: with two contenders, and every request delivered first, an entry takes almost n hops',
  (n) => {
    const adversary = new Adversary(martin, n, 0);
    const rounds = 200;
    const left = { 0: rounds, 1: rounds } as Record<string, number>;
    // Requests arrive first, then processes ask, then the rest happens.
    const first = ({ name }: { name: string }) =>
      name.includes('request') ? 0 : name.startsWith('ask') ? 1 : 2;
    for (;;) {
      const may = adversary
        .steps()
        .filter(({ name }) => !name.startsWith('ask') || (left[name.slice(4)] ?? 0) > 0);
      const [step] = may.sort((a, b) => first(a) - first(b));
      if (step === undefined) break;
      if (step.name.startsWith('ask')) left[step.name.slice(4)]! -= 1;
      step.take();
    }
    const perEntry = adversary.delivered.privilege! / adversary.entered.length;
    expect(perEntry).toBeGreaterThan(n - 0.2);
    expect(perEntry).toBeLessThanOrEqual(n);
  },
);

holdsEverywhere(martin, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 3421],
  [{ n: 4 }, {}, 2114],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 9867],
]);
