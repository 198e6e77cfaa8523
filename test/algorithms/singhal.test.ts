import { expect, test } from 'vitest';
import { singhal } from '../../src/algorithms/mutex/singhal.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';
import { thorough } from '../tiers.ts';

conformsToMutex(singhal, {
  hash: 'd59e9219ee8649a0',
  golden: {
    'er-09': {
      about:
        'ER-09. Over FIFO channels: 2 asks 0 and, slowly, 1; is served, asks again, only 0. The token goes from 0 to 1 and rests there, where the\nold request comes last and is out of date; the new one rests at 0. 2 waits for ever.',
      scenario: {
        n: 3,
        channels: 'fifo',
        start: [
          { process: 0, at: 0 },
          { process: 1, at: 20 },
          { process: 2, at: 4 },
        ],
        entries: 2,
        latency: 'fixed:1',
        slow: [{ between: [1, 2], ticks: 49 }],
        think: 'fixed:7',
        hold: 'fixed:7',
      },
    },
    'two-ask': {
      about: 'The staircase: 1 asks 0, 2 asks 0 and 1.',
      scenario: {
        n: 3,
        start: [
          { process: 1, at: 0 },
          { process: 2, at: 1 },
        ],
      },
    },
  },
  reaches: { best: { n: 4, start: [{ process: 0 }], entries: 3 }, worst: { n: 4, start: [{ process: 3 }] } },
  bypass: [{ n: 4, hold: 'fixed:20', entries: 2, seed: 8 }],
});

thorough('ER-09: over FIFO channels a request can be stranded; causal delivery prevents it', () => {
  const stuck = (channels: 'fifo' | 'causal') => {
    let count = 0;
    for (let seed = 0; seed < 20_000; seed += 1) {
      const run = simulate(singhal, {
        n: 3,
        entries: 4,
        latency: 'uniform:1:60',
        think: 'uniform:0:40',
        channels,
        seed,
      });
      if (run.violations[0]?.property === 'every request enters') count += 1;
    }
    return count;
  };
  expect(stuck('fifo')).toBeGreaterThan(0);
  expect(stuck('causal')).toBe(0);
});

test('n/2 messages per entry under light load, n under heavy load', () => {
  const perEntry = (think: string) => {
    const run = simulate(singhal, { n: 16, entries: 40, think, hold: 'fixed:1', seed: 1 });
    return run.messages.total / run.entries;
  };
  expect(perEntry('exponential:1000000')).toBeLessThan(9);
  expect(perEntry('fixed:0')).toBeGreaterThan(15);
});

holdsEverywhere(singhal, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 10_229],
  [{ n: 4 }, {}, 54_548],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 16_384],
]);
