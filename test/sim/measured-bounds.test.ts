// The bounds on time, size and load: runs keep them, they are judged, and where a source says more than is true, a run shows it.
import { describe, expect, test } from 'vitest';
import {
  algorithms,
  centralCoordinator,
  changRoberts,
  helaryPlouzeauRaynal,
  lamport,
  maekawa,
  martin,
  peterson,
  raymond,
  ricartAgrawala,
  suzukiKasami,
  tokenRing,
} from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { synchronisationDelay } from '../../src/core/bounds.ts';
import { keepsAssumptions, prepare, type Scenario, simulate } from '../../src/sim/index.ts';
import { seedsOf } from '../tiers.ts';

const measured = algorithms.filter(({ bounds }) => bounds.some(({ measures }) => measures !== 'messages'));
const times = ['fixed:1', 'fixed:7', 'uniform:1:20', 'uniform:0:3', 'exponential:9'];

const scenarioOf = (algorithm: AnyAlgorithm, seed: number): Scenario => ({
  n: 1 + (seed % 11),
  seed,
  latency: times[seed % 5]!,
  ...(algorithm.problem === 'mutex' && {
    entries: 1 + (seed % 5),
    hold: ['fixed:0', 'uniform:0:30', 'fixed:4'][seed % 3]!,
    think: seed % 2 ? 'fixed:0' : ['uniform:0:90', 'exponential:30'][(seed % 4) >> 1]!,
  }),
});

test.each(measured.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s keeps its bounds in random runs',
  (_, algorithm) => {
    for (let seed = 1; seed <= seedsOf(600); seed += 1) {
      const scenario = scenarioOf(algorithm, seed);
      if (!keepsAssumptions(prepare(algorithm, scenario))) continue; // some need delays with a bound
      expect(simulate(algorithm, scenario).violations, JSON.stringify(scenario)).toEqual([]);
    }
  },
);

test.each(
  measured
    .filter(({ problem }) => problem === 'mutex')
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s keeps its bounds under heavy load, and alone', (_, algorithm) => {
  for (let seed = 0; seed < seedsOf(200); seed += 1) {
    const heavy = {
      n: 2 + (seed % 17),
      seed,
      entries: 1 + (seed % 4),
      latency: ['fixed:10', 'fixed:1', 'fixed:33'][seed % 3]!,
      hold: ['fixed:3', 'fixed:0', 'fixed:1', 'fixed:80'][seed % 4]!,
      think: 'fixed:0',
    };
    const alone = {
      ...heavy,
      start: [{ process: seed % heavy.n }],
      latency: seed % 2 ? 'uniform:1:9' : 'fixed:5',
    };
    for (const scenario of [heavy, alone])
      expect(simulate(algorithm, scenario).violations, JSON.stringify(scenario)).toEqual([]);
  }
});

test('load is heavy only if all processes ask at the same time at first', () => {
  const late = { n: 3, entries: 2, hold: 'fixed:3', think: 'fixed:0', latency: 'fixed:1' };
  const start = [{ process: 0 }, { process: 1 }, { process: 2, at: 15 }]; // its request is on its way when 1 leaves
  for (const algorithm of measured.filter(({ problem }) => problem === 'mutex'))
    expect(simulate(algorithm, { ...late, start }).violations, algorithm.name).toEqual([]);
  const boundsOf = (scenario: Scenario) =>
    simulate(suzukiKasami, scenario).measures!.synchronisationDelay!.bounds.map(({ formula }) => formula);
  expect(boundsOf({ ...late, start })).toEqual(['2T']);
  expect(boundsOf(late)).toEqual(['T', '2T']);
  expect(boundsOf({ ...late, start: start.map(({ process }) => ({ process, at: 7 })) })).toEqual(['T', '2T']);
});

/** All rings of ids 1 to n, up to rotation. */
function* rings(n: number): Iterable<number[]> {
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  function* from(k: number): Iterable<number[]> {
    if (k >= n) yield [...ids];
    for (let i = k; i < n; i += 1) {
      [ids[k], ids[i]] = [ids[i]!, ids[k]!];
      yield* from(k + 1);
      [ids[k], ids[i]] = [ids[i]!, ids[k]!];
    }
  }
  yield* from(1);
}

const allAtOnce = (ids: readonly number[]) => ids.map((_, process) => ({ process, at: 0 }));

describe('peterson, in unit time, over all rings', () => {
  test.each([
    [1, 1, 1],
    [2, 2, 3],
    [3, 4, 4],
    [4, 5, 7],
    [5, 6, 9],
    [6, 9, 11],
    [7, 11, 13],
  ])('n = %d: the winner knows after at most %d, and a chain has at most %d messages', (n, time, chain) => {
    let [slowest, longest] = [0, 0];
    for (const ids of rings(n)) {
      const { ok, measures } = simulate(peterson, { ids, start: allAtOnce(ids), latency: 'fixed:1' });
      expect(ok).toBe(true);
      slowest = Math.max(slowest, measures!.electionTime!.least);
      longest = Math.max(longest, measures!.chain!.most);
    }
    expect([slowest, longest]).toEqual([time, chain]);
  });

  test('a chain may be longer than 2n-1 if not all start at once', () => {
    const { measures } = simulate(peterson, { ids: [1, 2], start: [{ process: 1 }], latency: 'fixed:1' });
    expect(measures!.chain).toMatchObject({ most: 4, bounds: [] });
  });
});

describe('chang-roberts', () => {
  test('takes nT if the largest starts, and (2n-1)T if only its successor does', () => {
    const ids = [5, 1, 2, 3, 4];
    const timeFrom = (process: number) =>
      simulate(changRoberts, { ids, start: [{ process, at: 0 }], latency: 'fixed:10' }).measures!
        .electionTime!.least;
    expect([timeFrom(0), timeFrom(1)]).toEqual([50, 90]);
  });
});

/** Returns the longest synchronisation delay of some runs with messages of 10 ticks, in messages. */
function longestDelay(algorithm: AnyAlgorithm, seeds: number, scenario: Scenario): number {
  let most = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { measures } = simulate(algorithm, { latency: 'fixed:10', hold: 'fixed:0', ...scenario, seed });
    most = Math.max(most, measures!.synchronisationDelay?.most ?? 0);
  }
  return most / 10;
}

describe('claims that are not kept', () => {
  test('martin: under heavy load the delay is longer than any path on the ring', () => {
    const heavy = { n: 5, entries: 4, hold: 'fixed:3', think: 'fixed:0' };
    expect(longestDelay(martin, 40, heavy)).toBe(7); // d = 2, and n-1 = 4
  });

  test('maekawa: if requests come at random, the delay is longer than 2T', () => {
    expect(longestDelay(maekawa, 200, { n: 9, entries: 4, think: 'uniform:0:300' })).toBeGreaterThan(4);
  });

  test('raymond: a request that is still on its way doubles the delay', () => {
    expect(longestDelay(raymond, 200, { n: 9, entries: 2, think: 'uniform:0:300' })).toBeGreaterThan(9); // d = 5
  });

  test('helary-plouzeau-raynal: on a ring of five, an operation can take longer than 2d messages', () => {
    const start = [{ process: 2 }];
    const { measures } = simulate(helaryPlouzeauRaynal, {
      ...{ n: 5, topology: 'ring', entries: 1, latency: 'uniform:0:10', seed: 1653, start },
    });
    expect(measures!.waitingTime).toMatchObject({ most: 41, bounds: [] }); // 2d = 4 messages of at most 10
  });

  test('token-ring: a token that has just left takes n hops', () => {
    const start = [{ process: 0, at: 1 }];
    const { measures } = simulate(tokenRing, { n: 5, entries: 1, latency: 'fixed:10', start });
    expect(measures!.waitingTime!.most).toBe(49); // the token left a tick before the request
  });
});

/** Returns the timestamps of a run, in the order of the entries. A request tells its own. */
function grantedStamps(algorithm: AnyAlgorithm, scenario: Scenario): [time: number, process: number][] {
  const stamps = new Map<number, number>();
  return simulate(algorithm, { ...scenario, events: true }).trace.events.flatMap(({ process, outputs }) =>
    outputs.flatMap((output): [number, number][] => {
      if (output.kind === 'send' && output.message.type === 'request') {
        const { t, k } = output.message as { t?: number; k?: number };
        stamps.set(process, t ?? k!);
      }
      return output.kind === 'emit' && output.event.type === 'entered'
        ? [[stamps.get(process)!, process]]
        : [];
    }),
  );
}

test.each([lamport, ricartAgrawala])('$name grants in the order of timestamps', (algorithm) => {
  for (let seed = 1; seed <= seedsOf(300); seed += 1) {
    const scenario = { n: 2 + (seed % 6), seed, entries: 3, think: 'uniform:0:60', latency: 'uniform:1:30' };
    const stamps = grantedStamps(algorithm, scenario);
    const sorted = stamps.toSorted(([a, i], [b, j]) => a - b || i - j);
    expect(stamps, `seed ${seed}`).toEqual(sorted);
  }
});

describe('the synchronisation delay of T', () => {
  test.each([ricartAgrawala, lamport])(
    'of $name is up to 3T if a request is still in flight',
    (algorithm) => {
      let most = 0;
      for (let seed = 1; seed <= 300; seed += 1) {
        const { measures } = simulate(algorithm, { n: 6, seed, latency: 'fixed:10', think: 'uniform:0:60' });
        most = Math.max(most, measures!.synchronisationDelay?.most ?? 0);
      }
      expect(most).toBeGreaterThan(20);
      expect(most).toBeLessThanOrEqual(30);
    },
  );
});

test('the coordinator is an end of every message', () => {
  const { load } = simulate(centralCoordinator, { n: 6 }).measures!;
  expect(load).toMatchObject({ busiestShare: 0.5, bounds: [{ atLeast: 0.5, atMost: 0.5, formula: '1/2' }] });
});

describe('a bound that does not hold', () => {
  const hasty: AnyAlgorithm = {
    ...(ricartAgrawala as AnyAlgorithm),
    bounds: [...ricartAgrawala.bounds, synchronisationDelay.atMost('T/2', 'nowhere', ({ T }) => T / 2)],
  };

  test('is a violation, with the figure, the formula and the source', () => {
    expect(simulate(hasty, { n: 4, latency: 'fixed:10', entries: 2 }).violations).toEqual([
      {
        property: 'the bounds of the measures',
        why: expect.stringMatching(/^the synchronisation delay is \d+, but at most 5 = T\/2 \(nowhere\)$/),
      },
    ]);
  });

  test('is not judged where the run drops an assumption, or a fault takes time', () => {
    const faults = [{ type: 'pause', process: 1, at: 5, until: 60 } as const];
    expect(simulate(hasty, { n: 4, latency: 'fixed:10', faults }).ok).toBe(true);
    expect(simulate(hasty, { n: 4, latency: 'fixed:10', measures: false }).ok).toBe(true);
  });
});
