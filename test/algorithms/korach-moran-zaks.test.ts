import { describe, expect, test } from 'vitest';
import { korachMoranZaks } from '../../src/algorithms/election/korach-moran-zaks.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { korachMoranZaksHurries } from '../../src/mutants/korach-moran-zaks.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import {
  completeNetworks,
  everyInterleaving,
  randomInterleaving,
  randomNetwork,
} from '../conformance/interleavings.ts';
import { long } from '../tiers.ts';

const lostWay: Scenario = {
  n: 5,
  start: [57, 120, 9, 24, 15].map((at, process) => ({ process, at })),
  latency: 'uniform:0:100',
  seed: 14601,
};

conformsToElection(korachMoranZaks, {
  hash: 'aaef2ede13a692e8',
  scenarios: [
    {},
    { start: [{ process: 0 }] },
    { n: 4, start: [0, 50, 0, 50].map((at, process) => ({ process, at })) },
  ],
  reaches: {
    best: { n: 5, start: [{ process: 0 }] },
    worst: { n: 7, start: [{ process: 3 }] }, // one initiator; tests below have more
  },
  foundOut: { 'korach-moran-zaks-hurries': (one) => !simulate(one, lostWay).ok },
  golden: {
    'four-kings': {
      about: 'Four kings. Who is asked goes over with all its citizens, or passes the ask on to its king.',
      scenario: { n: 4, seed: 1 },
    },
    'left-behind': {
      about: 'A kingdom goes over to a king that has gone over itself, and never hears of its new rank.',
      scenario: { n: 3, seed: 7 },
      of: 'korach-moran-zaks-leaves-behind',
    },
    'lost-way': {
      about:
        'Two asks are under way through one process. The first is accepted, and its way back is forgotten.',
      scenario: lostWay,
      of: 'korach-moran-zaks-hurries',
    },
  },
});

/** Tries random orders over random links. Counts those that leave a process without a leader, and returns the largest part of the bound used. */
function manyOrders(
  algorithm: AnyAlgorithm,
  runs: number,
  draw: (random: Random) => { n: number; k: number },
) {
  let stuck = 0;
  let largestShare = 0;
  for (let seed = 0; seed < runs; seed += 1) {
    const random = new Random(seed, 'orders');
    const { n, k } = draw(random);
    const end = randomInterleaving(algorithm, randomNetwork(n, random), k, random);
    if (end.failure !== null) stuck += 1;
    const F = Math.floor(Math.log2(k));
    largestShare = Math.max(largestShare, end.sent / ((5 * n - 3) * F + 2 * (n - 2 ** F)) || 0);
  }
  return { stuck, largestShare };
}

describe('korach-moran-zaks, long tests', () => {
  long('n = 4: every interleaving and every numbering of the links', () => {
    let [most, networks, worlds] = [0, 0, 0];
    for (const network of completeNetworks(4)) {
      const found = everyInterleaving(korachMoranZaks, network);
      expect(found.failure, JSON.stringify(network)).toBeNull();
      most = Math.max(most, found.most);
      networks += 1;
      worlds += found.worlds;
    }
    expect({ most, networks }).toEqual({ most: 18, networks: 1296 });
    expect(worlds).toBeGreaterThan(7e6);
  });

  long('100 000 random orders, n up to 64: never a deadlock, never above the bound', () => {
    const found = manyOrders(korachMoranZaks, 100_000, (random) => {
      const n = 1 + random.below(64);
      return { n, k: 1 + random.below(n) };
    });
    expect(found).toEqual({ stuck: 0, largestShare: 1 });
  });
});

describe('korach-moran-zaks', () => {
  test('n up to 3: every interleaving and every numbering of the links', () => {
    const most = [1, 2, 3].map((n) => {
      const all = Array.from(completeNetworks(n), (network) => everyInterleaving(korachMoranZaks, network));
      for (const { failure } of all) expect(failure).toBeNull();
      return Math.max(...all.map((found) => found.most));
    });
    expect(most).toEqual([0, 4, 11]);
  });

  test.each([1, 2])('n = 4: every interleaving, with a random numbering of the links, seed %i', (seed) => {
    const found = everyInterleaving(korachMoranZaks, randomNetwork(4, new Random(seed, 'links')));
    expect(found.failure).toBeNull();
    expect(found.most).toBeLessThanOrEqual(18); // the maximum of all 1296 numberings
  });

  test('one initiator: 2(n-1) messages in every order', () => {
    for (let first = 0; first < 4; first += 1) {
      const network = randomNetwork(4, new Random(first, 'links'));
      expect(everyInterleaving(korachMoranZaks, network, [first])).toMatchObject({ most: 6, failure: null });
    }
  });

  test('1500 random orders for n up to 12, 50 for n up to 64: never a deadlock, never above the bound', () => {
    for (const { runs, largest } of [
      { runs: 1500, largest: 12 },
      { runs: 50, largest: 64 },
    ]) {
      const found = manyOrders(korachMoranZaks, runs, (random) => {
        const n = 1 + random.below(largest);
        return { n, k: 1 + random.below(n) };
      });
      expect(found).toEqual({ stuck: 0, largestShare: 1 }); // one initiator attains the bound
    }
  });

  test('a process that forwards a second ask before the first is settled: at n = 5 one order in a thousand ends in deadlock', () => {
    const { stuck } = manyOrders(korachMoranZaksHurries, 4000, () => ({ n: 5, k: 5 }));
    expect(stuck).toBeGreaterThan(0);
    expect(stuck).toBeLessThan(20);
  });
});

holdsForAllIds(korachMoranZaks, { inFull: { 2: 44, 3: 2217, 4: 169_090 } });
