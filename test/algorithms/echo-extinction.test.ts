import { describe, expect, test } from 'vitest';
import { echoExtinction } from '../../src/algorithms/election/echo-extinction.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyInterleaving } from '../conformance/interleavings.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** Makes links so slow that each wave goes as far as it can before the next larger one arrives. */
function oneAfterTheOther(topology: 'star' | 'complete', n: number): Scenario {
  const before = (j: number) => (topology === 'star' ? [0] : upTo(j).map((i) => i - 1));
  return {
    ids: upTo(n),
    topology,
    slow: upTo(n - 1).flatMap((j) => before(j).map((i) => ({ between: [i, j] as const, ticks: 4 ** j }))),
  };
}

conformsToElection(echoExtinction, {
  hash: '8a9cfaa676363f69',
  scenarios: [
    { topology: 'random:3' },
    { topology: 'ring' },
    { topology: 'line', start: [{ process: 0 }] },
    { topology: 'star' },
    { topology: 'complete' },
  ],
  reaches: {
    best: { ids: [2, 1, 5, 4, 3], start: [{ process: 2 }] },
    worst: oneAfterTheOther('star', 6),
  },
  golden: {
    'ring-of-four': {
      about:
        'A ring of four. Smaller waves are swallowed; the largest echoes home, and its tree tells the leader.',
      scenario: { ids: [2, 4, 1, 3], topology: 'ring' },
    },
    'closes-too-early': {
      about: 'A message of a smaller wave counts for the own one: 3 and 2 both believe theirs is complete.',
      scenario: { n: 3, topology: 'line', seed: 22 },
      of: 'echo-extinction-counts-all',
    },
    'wakes-and-joins': {
      about: 'Whom a wave wakes joins it: 1 starts and wins, although 2 is there.',
      scenario: { ids: [1, 2], topology: 'line', start: [{ process: 0 }] },
      of: 'echo-extinction-joins',
    },
  },
});

/** Returns every connected graph on 0 .. n-1 with ids 1 .. n, as the neighbours of each process. */
function* graphs(n: number): Iterable<number[][]> {
  const pairs = upTo(n - 1).flatMap((j) => upTo(j).map((i) => [i - 1, j] as const));
  for (let set = 0; set < 1 << pairs.length; set += 1) {
    const links = upTo(n).map((): number[] => []);
    for (const [index, [i, j]] of pairs.entries()) {
      if ((set & (1 << index)) === 0) continue;
      links[i]!.push(j);
      links[j]!.push(i);
    }
    const reached = new Set([0]);
    for (const i of reached) for (const j of links[i]!) reached.add(j);
    if (reached.size === n) yield links;
  }
}

const elections = (scenario: Scenario) => {
  const run = simulate(echoExtinction, scenario);
  expect(run.violations).toEqual([]);
  return run.messages.byType.wave! + (run.messages.byType.echo ?? 0);
};

describe('echo-extinction', () => {
  test('every interleaving on every graph up to n = 3: a star or the complete graph costs the most', () => {
    const most: Record<string, number> = {};
    for (const n of [1, 2, 3]) {
      for (const links of graphs(n)) {
        const found = everyInterleaving(echoExtinction, { ids: upTo(n), links });
        expect(found.failure).toBeNull();
        const key = `n ${n}, e ${links.flat().length / 2}`;
        most[key] = Math.max(most[key] ?? 0, found.most);
      }
    }
    expect(most).toEqual({ 'n 1, e 0': 0, 'n 2, e 1': 3, 'n 3, e 2': 8, 'n 3, e 3': 11 });
  });

  test('every interleaving on lines of four', () => {
    for (const links of [
      [[1], [0, 2], [1, 3], [2]],
      [[1, 3], [0, 2], [1], [0]],
      [[2, 3], [3], [0], [0, 1]],
    ])
      expect(everyInterleaving(echoExtinction, { ids: [1, 2, 3, 4], links }).failure).toBeNull();
  });

  test.each([2, 3, 5, 8, 12])('n = %i: the most messages on a star and on the complete graph', (n) => {
    const star = 2 * (n - 1) * n - (n * (n - 1)) / 2 - (n - 2);
    const whole = (n * n * (n - 1)) / 2 + n - 1;
    expect(elections(oneAfterTheOther('star', n))).toBe(star);
    expect(elections(oneAfterTheOther('complete', n))).toBe(whole);
  });

  test('only the largest starts: exactly 2e messages, on any graph with any delays', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const n = 2 + (seed % 30);
      const ids = upTo(n).reverse();
      const scenario = {
        ids,
        topology: 'random:4',
        start: [{ process: 0 }],
        latency: 'exponential:20',
        seed,
      };
      const run = simulate(echoExtinction, scenario);
      expect(run.messages.total).toBe(run.bounds.atLeast);
    }
  });

  test('a thousand processes on a random graph: within the bounds', () => {
    const run = simulate(echoExtinction, { n: 1000, topology: 'random:6', seed: 3 });
    expect(run).toMatchObject({ ok: true, leader: 1000 });
  });
});

holdsForAllIds(echoExtinction, { inFull: { 2: 42, 3: 29_310 } });
