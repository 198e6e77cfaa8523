import { expect, test } from 'vitest';
import { naimiTrehel } from '../../src/algorithms/mutex/naimi-trehel.ts';
import type { Circumstances } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { simulate } from '../../src/sim/index.ts';
import { Adversary } from '../conformance/adversary.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(naimiTrehel, {
  hash: '7f6fb7f92be48202',
  golden: {
    'two-in-turn': {
      about: 'Both ask at once: 2 becomes the root and, as next of 1, enters after it.',
      scenario: {
        n: 3,
        start: [
          { process: 1, at: 0 },
          { process: 2, at: 1 },
        ],
      },
    },
  },
  reaches: {
    best: { n: 5, start: [{ process: 0 }], entries: 3 },
    worst: { n: 2, start: [{ process: 1 }] },
  },
  bypass: [{ n: 4, seed: 51 }],
});

test('isolated requests take H_n - 1 request messages on average', () => {
  for (const n of [4, 16, 64]) {
    const light = { think: 'exponential:1000000', hold: 'fixed:1', latency: 'fixed:1' };
    const run = simulate(naimiTrehel, { n, entries: Math.round(4000 / n), ...light, seed: n });
    const [mean] = naimiTrehel.bounds.filter((bound) => bound.case === 'mean');
    const expected = mean!.value({ n } as Circumstances);
    expect(run.messages.byType.request! / run.entries / expected).toBeGreaterThan(0.9);
    expect(run.messages.byType.request! / run.entries / expected).toBeLessThan(1.1);
  }
});

test.each([3, 4, 5, 6, 9])(
  'n = %i: isolated requests can make `last` a line, and the next request takes n-1 messages',
  (n) => {
    const adversary = new Adversary(naimiTrehel, n, 0);
    const enter = (process: number) => {
      adversary.follow([`ask ${process}`]);
      adversary.walk(new Random(n, 'isolated'), 10 * n, ({ name }) => !name.startsWith('ask'));
    };
    for (let process = 1; process < n - 1; process += 1) enter(process);
    enter(0);
    enter(n - 1);
    const before = adversary.delivered.request!;
    enter(1);
    expect(adversary.delivered.request! - before).toBe(n - 1);
  },
);

holdsEverywhere(naimiTrehel, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 1530],
  [{ n: 4 }, {}, 858],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 3502],
]);
