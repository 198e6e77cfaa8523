import { describe, expect, test } from 'vitest';
import { afekGafni } from '../../src/algorithms/election/afek-gafni.ts';
import type { Circumstances } from '../../src/core/algorithm.ts';
import { harmonic } from '../../src/core/bounds.ts';
import { Random } from '../../src/core/random.ts';
import { afekGafniYields } from '../../src/mutants/afek-gafni.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import {
  completeNetworks,
  everyInterleaving,
  randomInterleaving,
  randomNetwork,
} from '../conformance/interleavings.ts';

/**
 * m kings capture processes 0 .. m-1, one king after the other. Each king then asks process m, which has captured more, and
 * loses. The ids decide where each king begins to ask.
 */
function climbers(m: number): Scenario {
  const n = 3 * m + 3;
  const kings = Array.from({ length: m }, (_, k) => 2 * m + 3 + k);
  const idOf = (i: number) => (i === m ? n * (n - 1) + m : kings.includes(i) ? i * (n - 1) : i + 1);
  return {
    ids: Array.from({ length: n }, (_, i) => idOf(i)),
    latency: 'fixed:1',
    slow: [{ between: [m, 2 * m + 2], ticks: 1_000_000 }], // on this link process m waits until all kings have lost
    start: [{ process: m }, ...kings.map((process, k) => ({ process, at: 1000 * (k + 1) }))],
  };
}

conformsToElection(afekGafni, {
  hash: '3054f028f7cbfb98',
  reaches: {
    best: { ids: [5, 4, 3, 2, 1], start: [{ process: 0 }] },
    worst: { n: 5, latency: 'uniform:0:100', seed: 155 },
  },
  foundOut: { 'afek-gafni-yields': (one) => !simulate(one, climbers(9)).ok },
  golden: {
    'three-kings': {
      about: 'Three kings. Who is captured asks its owner before it changes hands.',
      scenario: { n: 3, latency: 'uniform:0:100', seed: 1 },
    },
    dropped: {
      about:
        'An ask comes while the owner is being asked about another, and is dropped: its king waits for ever.',
      scenario: { n: 5, seed: 15 },
      of: 'afek-gafni-forgets',
    },
  },
});

const mostOf = (n: number) =>
  afekGafni.bounds.find((bound) => bound.case === 'worst')!.value({ n } as Circumstances);

describe('afek-gafni', () => {
  test('n up to 3: every interleaving and numbering of the links elects, and the maximum is the bound', () => {
    for (const n of [1, 2, 3]) {
      const all = Array.from(completeNetworks(n), (network) => everyInterleaving(afekGafni, network));
      for (const { failure } of all) expect(failure).toBeNull();
      expect(Math.max(...all.map(({ most }) => most))).toBe(mostOf(n));
    }
  });

  test('n = 4: every interleaving, with a random numbering of the links', () => {
    const found = everyInterleaving(afekGafni, randomNetwork(4, new Random(1, 'links')));
    expect(found.failure).toBeNull();
    expect(found.most).toBeLessThanOrEqual(mostOf(4));
  });

  test('1000 random orders for n up to 12, 50 for n up to 64: always a leader, never above the bound', () => {
    for (let seed = 0; seed < 1050; seed += 1) {
      const random = new Random(seed, 'orders');
      const n = 1 + random.below(seed < 1000 ? 12 : 64);
      const end = randomInterleaving(afekGafni, randomNetwork(n, random), 1 + random.below(n), random);
      expect(end.failure).toBeNull();
      expect(end.sent).toBeLessThanOrEqual(mostOf(n));
    }
  });

  test('the bound is below 4n H_n', () => {
    for (let n = 1; n <= 200; n += 1) expect(mostOf(n)).toBeLessThan(4 * n * harmonic(n));
  });

  test('if a beaten owner yields, all kings capture the same subjects: more than 4n H_n, and quadratic', () => {
    const count = (m: number) => {
      const { messages } = simulate(afekGafniYields, climbers(m));
      return messages.total - messages.byType.leader!;
    };
    for (const m of [10, 20, 40]) {
      expect(count(m)).toBeGreaterThan(4 * m * m);
      expect(simulate(afekGafni, climbers(m))).toMatchObject({ ok: true, messages: { total: 17 * m + 4 } });
    }
    expect(count(20)).toBeGreaterThan(4 * 63 * harmonic(63));
  });
});

holdsForAllIds(afekGafni, { inFull: { 2: 44, 3: 2219, 4: 176_326 } });
