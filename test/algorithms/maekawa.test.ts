import { expect, test } from 'vitest';
import { maekawa } from '../../src/algorithms/mutex/maekawa.ts';
import { gridQuorum } from '../../src/core/quorum.ts';
import { simulate } from '../../src/sim/index.ts';
import { Adversary } from '../conformance/adversary.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

// 0 enters alone until its clock is far ahead, then waits for the votes of 1 and 2. Process 3, whose requests are older, leaves and asks
// again. Processes 1 and 2 vote for 0, receive the request of 3, and ask for their votes back before 0 has both.
function passed(times: number): number {
  const adversary = new Adversary(maekawa, 4, 0);
  const alone = ['ask 0', '0>1 request', '0>2 request', '1>0 locked', '2>0 locked'];
  const over = ['leave 0', '0>1 release', '0>2 release'];
  for (let k = 0; k <= times; k += 1) adversary.follow([...alone, ...over]);
  adversary.follow(['ask 3', '3>1 request', '3>2 request', '1>3 locked', '2>3 locked']);
  adversary.follow(['ask 0', '0>1 request', '0>2 request', '1>0 failed', '2>0 failed']);
  const askedBack = (j: number) => [
    ...[`3>${j} release`, `3>${j} request`, `${j}>0 locked`, `${j}>0 inquire`],
    ...[`0>${j} relinquish`, `${j}>3 locked`],
  ];
  for (let k = 0; k < times; k += 1) {
    adversary.follow(['leave 3', 'ask 3', ...askedBack(1), ...askedBack(2)]);
  }
  adversary.follow(['leave 3', '3>1 release', '3>2 release', '1>0 locked', '2>0 locked']);
  expect(adversary.broken).toEqual([]);
  return adversary.monitor.bypassed.quiet;
}

conformsToMutex(maekawa, {
  bypass: [passed],
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
  reaches: {
    best: { n: 1 },
    worst: 'not all requests can be refused, overtaken and asked back by all voters',
  },
});

test('any two quorums intersect, even if n is not a square', () => {
  for (let n = 1; n <= 40; n += 1) {
    const quorums = Array.from({ length: n }, (_, i) => gridQuorum(i, n));
    for (const one of quorums)
      for (const other of quorums) expect(one.some((j) => other.includes(j))).toBe(true);
  }
});

test.each([2, 3, 5, 6, 7, 8, 10, 11, 13, 20])(
  'n = %i: an isolated entry takes 3(K-1) messages, and all enter if all ask at once',
  (n) => {
    for (let process = 0; process < n; process += 1) {
      const { byType } = simulate(maekawa, { n, start: [{ process }], entries: 2 }).messages;
      const each = 2 * (gridQuorum(process, n).length - 1);
      expect(byType).toMatchObject({ request: each, locked: each, release: each, failed: 0, inquire: 0 });
    }
    for (let seed = 0; seed < 30; seed += 1) {
      const run = simulate(maekawa, {
        n,
        entries: 3,
        think: 'uniform:0:20',
        latency: 'exponential:20',
        seed,
      });
      expect(run.violations).toEqual([]);
      expect(run.entries).toBe(3 * n);
    }
  },
);

test('light load: 3(K-1) messages per entry, K about 2 sqrt(n)', () => {
  for (const [n, K] of [
    [9, 5],
    [16, 7],
    [100, 19],
  ] as const) {
    const run = simulate(maekawa, { n, start: [{ process: 0 }], entries: 5 });
    expect(run.messages.total).toBe(5 * 3 * (K - 1));
  }
});

holdsEverywhere(maekawa, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 27_031],
  [{ n: 4 }, {}, 342_432],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 113_973],
]);
