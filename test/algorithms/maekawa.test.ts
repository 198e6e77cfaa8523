import { expect, test } from 'vitest';
import { maekawa } from '../../src/algorithms/mutex/maekawa.ts';
import { simulate } from '../../src/sim/index.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(maekawa, {
  hash: '27ed05e12bef5a79',
  golden: {
    'asked-back': {
      about: 'A vote is asked back for an earlier request.',
      scenario: { n: 4, think: 'uniform:0:6', seed: 3 },
    },
    sanders: {
      about:
        'As in the paper, before Sanders: a request overtaken in a queue is not told, and all wait for each other.',
      scenario: { n: 4, seed: 106 },
      of: 'maekawa-tells-one-only',
    },
  },
  reaches: { best: { n: 1 }, worst: 'not everybody can be refused, overtaken and asked back by all' },
});

test('light: 3(K-1) messages an entry, K about 2 sqrt(n)', () => {
  for (const [n, K] of [
    [9, 5],
    [16, 7],
    [100, 19],
  ] as const) {
    const run = simulate(maekawa, { n, start: [{ process: 0 }], entries: 5 });
    expect(run.messages.total).toBe(5 * 3 * (K - 1));
  }
});
