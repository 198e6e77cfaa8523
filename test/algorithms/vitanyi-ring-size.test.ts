import { describe, expect, test } from 'vitest';
import { vitanyi } from '../../src/algorithms/election/vitanyi.ts';
import { vitanyiRingSize } from '../../src/algorithms/election/vitanyi-ring-size.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { prepare, type Scenario, Simulation, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

/** Returns the ring sizes that processes have found. */
const sizes = (algorithm: AnyAlgorithm, scenario: Scenario) => {
  const run = simulate(algorithm, scenario);
  expect(run.violations).toEqual([]);
  return { found: run.found!.map(({ value }) => value), run };
};

conformsToElection(vitanyiRingSize, {
  hash: 'd12c7196c1110b07',
  reaches: {
    best: { ids: [1, 2, 3], clocks: [1, 10, 1000], latency: 'fixed:1', start: [{ process: 0 }] },
    worst: { ids: [1, 2, 3, 4], clocks: [16, 8, 4, 2], latency: 'fixed:0' },
  },
  scenarios: [{}, { start: [{ process: 0 }] }],
  survives: {
    'no duplication':
      'a process forwards an id only when it is the smallest so far, which happens once; a sleeping process ignores the rest',
  },
  foundOut: {
    'vitanyi-ring-size-hurries': (one) => !sizes(one, { n: 4, latency: 'fixed:0' }).found.includes(4),
  },
  golden: {
    w6: {
      about:
        'Ids 1, 2, 3 in lock-step: 1 sends sleepwell at 8 and counts three units until it reads it again.',
      scenario: { ids: [1, 2, 3], latency: 'fixed:0' },
    },
  },
});

everyStartElects(vitanyiRingSize);

describe('vitanyi-ring-size, section 2', () => {
  test('in lock-step only the leader finds N, whichever processes start, at any time', () => {
    for (let n = 1; n <= 40; n += 1) {
      for (const start of [
        'all',
        [{ process: n >> 1, at: 3 }],
        [{ process: 0 }, { process: n - 1, at: 7 }].slice(0, n),
      ] as const) {
        const { found, run } = sizes(vitanyiRingSize, { n, latency: 'fixed:0', start, seed: n });
        expect(found).toEqual([n]);
        expect(run.leader).toBe(1);
        expect(run.found![0]!.process).toBe(
          Array.from(prepare(vitanyiRingSize, { n, seed: n }).ids).indexOf(1),
        );
        expect(run.messages).toEqual(simulate(vitanyi, { n, latency: 'fixed:0', start, seed: n }).messages);
      }
    }
  });

  test('without lock-step it finds a time: each hop takes a unit and its delay', () => {
    expect(sizes(vitanyiRingSize, { ids: [1, 2, 3], latency: 'fixed:4' }).found).toEqual([15]);
    expect(
      sizes(vitanyiRingSize, { ids: [1, 2, 3], latency: 'fixed:0', clocks: [1, 5, 5] }).found[0],
    ).not.toBe(3);
  });

  test('the run says which number was found by which process; none before the end', () => {
    const simulation = new Simulation(vitanyiRingSize, { ids: [2, 1, 3], latency: 'fixed:0' });
    expect(simulation.result().found).toEqual([]);
    while (simulation.advance(1000));
    expect(simulation.result().found).toEqual([{ what: 'ring size', process: 1, value: 3 }]);
    expect(simulate(vitanyi, { n: 3 })).not.toHaveProperty('found');
  });
});

holdsForAllIds(vitanyiRingSize, { inFull: { 2: 577, 3: 18_794 } });
