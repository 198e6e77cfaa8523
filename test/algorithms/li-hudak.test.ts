import { expect, test } from 'vitest';
import { liHudak } from '../../src/algorithms/mutex/li-hudak.ts';
import type { Circumstances } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { simulate } from '../../src/sim/index.ts';
import { Adversary } from '../conformance/adversary.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(liHudak, {
  hash: 'b5eb84d4514b04b9',
  golden: {
    'with-the-page': {
      about:
        '1 travels in the page that goes to 2; the next request of 0 goes the same way, and is kept there.',
      scenario: {
        n: 3,
        start: [
          { process: 0, at: 0 },
          { process: 1, at: 1 },
          { process: 2, at: 2 },
        ],
        entries: 2,
        think: 'fixed:0',
        hold: 'fixed:20',
      },
    },
  },
  reaches: {
    best: { n: 5, start: [{ process: 0 }], entries: 3 },
    worst: { n: 2, start: [{ process: 1 }] },
  },
  bypass: [{ n: 5, entries: 4, think: 'fixed:0', seed: 88 }],
});

test('isolated requests take H_n - 1 request messages on average', () => {
  for (const n of [4, 16, 64]) {
    const light = { think: 'exponential:1000000', hold: 'fixed:1', latency: 'fixed:1' };
    const run = simulate(liHudak, { n, entries: Math.round(4000 / n), ...light, seed: n });
    const [mean] = liHudak.bounds.filter((bound) => bound.case === 'mean');
    const expected = mean!.value({ n } as Circumstances);
    expect(run.messages.byType.request! / run.entries / expected).toBeGreaterThan(0.9);
    expect(run.messages.byType.request! / run.entries / expected).toBeLessThan(1.1);
  }
});

test.each([4, 16, 64])('n = %i: an entry takes about one request if all processes ask again at once', (n) => {
  const run = simulate(liHudak, { n, entries: 50, think: 'fixed:0', seed: n });
  expect(run.messages.byType.request! / run.entries).toBeGreaterThan(0.95);
  expect(run.messages.byType.request! / run.entries).toBeLessThan(1.05);
});

test.each([3, 4, 5, 6, 9])(
  'n = %i: isolated requests can make probOwner a line, and the next request takes n-1 messages',
  (n) => {
    const adversary = new Adversary(liHudak, n, 0);
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

test.each([2, 3, 4, 5, 8, 16])(
  'n = %i: others enter (n-1)(n-2)/2 + 1 times while 0 waits behind a chain of n-1 waiters',
  (n) => {
    const adversary = new Adversary(liHudak, n, 0);
    const ask = (process: number) => {
      adversary.follow([`ask ${process}`]);
      adversary.walk(new Random(n, 'heard'), 10 * n, ({ sent }) => sent?.message.type === 'request');
    };
    ask(0);
    ask(1);
    adversary.follow(['leave 0']); // the page is in flight to 1
    for (let process = 2; process < n; process += 1) ask(process); // through 0, to the previous process
    ask(0);
    for (;;) {
      adversary
        .steps()
        .find(({ sent }) => sent?.message.type === 'page')!
        .take(); // there is only one
      const inside = adversary.entered.at(-1)!;
      if (inside === 0) break;
      adversary.follow([`leave ${inside}`]);
      ask(inside);
    }
    expect(adversary.broken).toEqual([]);
    expect(adversary.monitor.bypassed.quiet).toBe(((n - 1) * (n - 2)) / 2 + 1);
  },
);

holdsEverywhere(liHudak, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 1694],
  [{ n: 4 }, { lemmas: true }, 1626],
  [{ n: 4, entries: 2 }, {}, 57_816],
  [{ n: 3, entries: 3 }, { bounds: true, bypass: true }, 51_408],
  [{ n: 4, entries: 2 }, { bounds: true, bypass: true }, 407_280],
]);
