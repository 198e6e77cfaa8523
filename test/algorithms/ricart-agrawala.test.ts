import { expect, test } from 'vitest';
import { ricartAgrawala } from '../../src/algorithms/mutex/ricart-agrawala.ts';
import { check } from '../../src/check/index.ts';
import { countInFlight } from '../../src/core/world-queries.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex, countsExactly } from '../conformance/mutex.ts';

conformsToMutex(ricartAgrawala, {
  hash: '73672c031ddc8379',
  reaches: { best: { n: 4, entries: 3 }, worst: { n: 4, entries: 3 } },
  bypass: [
    { n: 4, think: 'fixed:0' },
    { n: 3, channels: 'fifo', entries: 3, think: 'fixed:0', latency: 'uniform:1:100', seed: 140 },
  ],
  golden: {
    'three-ask': {
      about: 'Three ask at once; equal numbers, so positions decide: 0, 1, 2.',
      scenario: { n: 3, think: 'fixed:0' },
    },
    'er-05': {
      about:
        'ER-05. 1 answers request 2 of 0 and asks with 1, not 3: 0 yields, 1 enters, and the late reply of 2 lets 0 enter too.',
      scenario: {
        n: 3,
        channels: 'fifo',
        start: [
          { process: 0, at: 0 },
          { process: 1, at: 34 },
        ],
        entries: 2,
        think: 'fixed:0',
        hold: 'fixed:20',
        latency: 'fixed:1',
        slow: [{ between: [0, 2], ticks: 6 }],
      },
      of: 'ricart-agrawala-no-clock-update',
    },
    'no-tie-break': {
      about: 'Without the tie-break each gives way to the other, and both enter.',
      scenario: { n: 2, think: 'fixed:0', seed: 4 },
      of: 'ricart-agrawala-no-tie-break',
    },
  },
});

countsExactly(ricartAgrawala, ({ n, entries }) => ({ request: (n - 1) * entries, reply: (n - 1) * entries }));

holdsEverywhere(ricartAgrawala, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 8119],
  [{ n: 4 }, {}, 7618],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 76_987],
]);

/** It reads every message in flight, so no reduction is left. That is why it is not among the invariants of the algorithm. */
test('each reply that is missing is asked for, deferred or on its way', () => {
  const isAccountedFor: NonNullable<typeof ricartAgrawala.invariants>[string] = (world) =>
    world.states.every((s, i) => {
      const coming = countInFlight(world, 'request', { from: i }) + countInFlight(world, 'reply', { to: i });
      return s.outstandingReplyCount === coming + world.states.filter((t) => t.replyDeferred[i]).length;
    });
  const algorithm = { ...ricartAgrawala, invariants: { isAccountedFor } };
  expect(check(algorithm, { n: 3, entries: 2 })).toMatchObject({ verdict: 'holds', states: 44_833 });
});
