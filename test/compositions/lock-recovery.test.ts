// Recovery by composition: every lock of the catalogue with an election survives crashes, restarts and lost tokens.
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { crashTolerantRing, withRecovery } from '../../src/compositions/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import type { TraceEvent } from '../../src/core/trace.ts';
import { mutants } from '../../src/mutants/index.ts';
import { type Fault, type Scenario, Simulation, simulate } from '../../src/sim/index.ts';
import { describeGolden } from '../conformance/conformance.ts';
import { seedsOf } from '../tiers.ts';

const named = (name: string): AnyAlgorithm => algorithms.find((algorithm) => algorithm.name === name)!;
const composed = (name: string): AnyAlgorithm => {
  const [lock, election] = name.split('+');
  return withRecovery(named(lock!), named(election!));
};

/** Every process crashes and restarts up to three times; some stay dead. */
function crashes(seed: number): Scenario {
  const random = new Random(seed, 'crashes');
  const n = 1 + random.below(6);
  const faults: Fault[] = [];
  for (let process = 0; process < n; process += 1) {
    let at = random.below(600);
    for (let times = random.below(3); times > 0; times -= 1) {
      faults.push({ type: 'crash', process, at });
      if (process > 0 && random.below(4) === 0) break;
      at += 1 + random.below(random.below(2) ? 20 : 300);
      faults.push({ type: 'restart', process, at });
      at += 1 + random.below(300);
    }
  }
  return {
    n,
    faults,
    seed,
    entries: 1 + random.below(4),
    think: 'uniform:0:100',
    hold: random.below(2) ? 'uniform:1:100' : 'uniform:1:5',
    latency: ['uniform:1:10', 'uniform:0:30', 'fixed:10'][random.below(3)]!,
    ...(random.below(4) === 0 && { clocks: Array.from({ length: n }, () => 1 + random.below(5)) }),
    limit: 200_000,
  };
}

function keeps(algorithm: AnyAlgorithm, scenario: Scenario): void {
  const run = simulate(algorithm, scenario);
  expect(run.violations, `${algorithm.name} ${JSON.stringify(scenario)}`).toEqual([]);
}

describe.each([
  'central-coordinator',
  'central-coordinator-denied',
  'token-ring',
  'ricart-agrawala-token',
  'suzuki-kasami',
])('%s', (lock) => {
  test.each(['bully', 'chang-roberts'])(
    `with %s: at most one inside, and every living process enters, ${seedsOf(300)} seeds of crashes`,
    (election) => {
      const algorithm = composed(`${lock}+${election}`);
      for (let seed = 0; seed < seedsOf(300); seed += 1) keeps(algorithm, crashes(seed));
    },
  );

  test('without recovery the same crashes leave a process waiting forever', () => {
    let stuck = 0;
    for (let seed = 0; seed < 100; seed += 1)
      if (!simulate(named(lock), { ...crashes(seed), limit: 5000 }).ok) stuck += 1;
    expect(stuck).toBeGreaterThan(10);
  });

  test('it recovers from any lost message of the lock', () => {
    const algorithm = composed(`${lock}+bully`);
    for (let seed = 0; seed < 300; seed += 1) {
      const scenario: Scenario = { ...crashes(seed), faults: [] };
      const sent: number[] = [];
      const trace = (line: string) => {
        for (const [, serial] of line.matchAll(/#(\d+) to \d+ lock\(/g)) sent.push(Number(serial));
      };
      simulate(algorithm, scenario, { trace });
      const message = sent[new Random(seed, 'loss').below(Math.max(1, sent.length))];
      if (message !== undefined) keeps(algorithm, { ...scenario, faults: [{ type: 'lose', message }] });
    }
  });
});

test('every other lock of the catalogue recovers too, in any network', () => {
  for (const lock of algorithms.filter(({ problem }) => problem === 'mutex')) {
    const algorithm = withRecovery(lock, named('bully'));
    for (let seed = 0; seed < seedsOf(60); seed += 1) keeps(algorithm, crashes(seed));
  }
});

test('a lock that suspects has not entered', () => {
  const lock = named('central-coordinator');
  const suspicious: AnyAlgorithm = {
    ...lock,
    calls: {
      ...lock.calls,
      request(s, p) {
        p.emit({ type: 'suspects' });
        lock.calls.request!(s, p);
      },
    },
  };
  for (let seed = 0; seed < 20; seed += 1)
    keeps(withRecovery(suspicious, named('bully')), { n: 3, entries: 2, seed });
});

test('every one-way ring election by ids works: if two processes believe they lead, their ballots decide', () => {
  const rings = algorithms.filter(
    ({ problem, assumes, knows }) =>
      problem === 'election' &&
      assumes.topology === 'ring' &&
      assumes.timing === 'asynchronous' &&
      `${knows}` === 'id',
  );
  expect(rings.length).toBeGreaterThan(5);
  for (const election of rings) {
    const algorithm = withRecovery(named('suzuki-kasami'), election);
    for (let seed = 0; seed < seedsOf(150); seed += 1) keeps(algorithm, crashes(seed));
  }
});

test('chang-roberts alone, among the living: all living processes know the same leader', () => {
  const algorithm = crashTolerantRing(named('chang-roberts'));
  for (let seed = 0; seed < 500; seed += 1) {
    const { n, faults } = crashes(seed);
    const start = seed % 2 ? 'all' : [{ process: seed % n!, at: seed % 90 }];
    keeps(algorithm, { n: n!, faults: faults!, start, seed, limit: 100_000 } as Scenario);
  }
});

test('without failures there is no election, and the lock sends no further messages', () => {
  for (const name of ['central-coordinator', 'central-coordinator-denied', 'suzuki-kasami', 'raymond']) {
    const scenario: Scenario = { n: 5, entries: 4, think: 'uniform:0:200', seed: 3 };
    const { messages } = simulate(composed(`${name}+bully`), scenario);
    expect(messages.byType.lock).toBeGreaterThan(0);
    expect(messages.total).toBe(messages.byType.lock);
  }
});

test.each([
  ['light', 'uniform:0:300'],
  ['heavy', 'fixed:0'],
])('under %s load, a coordinator that denies is replaced in less than half the time', (_load, think) => {
  const meanTime = (lock: string) => {
    let total = 0; // from the crash of the coordinator to the next entry
    for (let seed = 0; seed < 100; seed += 1) {
      const at = 100 + seed;
      let next = Infinity;
      const record = ({ time, outputs }: TraceEvent) => {
        if (time > at && outputs.some((output) => output.kind === 'emit' && output.event.type === 'entered'))
          next = Math.min(next, time - at);
      };
      const faults: Fault[] = [{ type: 'crash', process: 0, at }];
      const scenario = { n: 5, entries: 10, think, hold: 'fixed:5', faults, seed, limit: 200_000 };
      expect(simulate(composed(`${lock}+bully`), scenario, { record }).violations).toEqual([]);
      total += next;
    }
    return total / 100;
  };
  expect(meanTime('central-coordinator-denied')).toBeLessThan(meanTime('central-coordinator') / 2);
});

test('one crash costs one epoch, even if the epoch is installed before the election has gone round', () => {
  for (const n of [2, 4, 6, 8]) {
    const simulation = new Simulation(composed('central-coordinator+chang-roberts'), {
      n,
      latency: 'fixed:10',
      faults: [{ type: 'crash', process: 0, at: 5 }],
      limit: 5000,
    });
    while (simulation.advance(1000));
    expect(simulation.result().violations).toEqual([]);
    const states = simulation.states as { epoch: number }[];
    expect(new Set(states.slice(1).map(({ epoch }) => Math.floor(epoch / n)))).toEqual(new Set([1]));
  }
});

describe('the ring', () => {
  const membersAt = (scenario: Scenario, time: number) => {
    const simulation = new Simulation(composed('token-ring+chang-roberts'), {
      n: 4,
      entries: 40,
      ...scenario,
    });
    while (simulation.now < time && simulation.advance(1));
    const states = simulation.states as { members: number[]; lock: unknown }[];
    return states.map(({ members, lock }) => (lock === null ? null : members));
  };
  const crash: Fault = { type: 'crash', process: 2, at: 50 };

  test('closes around a dead process', () => {
    const [zero, one, , three] = membersAt({ faults: [crash], seed: 1 }, 3000);
    expect([zero, one, three]).toEqual([
      [0, 1, 3],
      [0, 1, 3],
      [0, 1, 3],
    ]);
  });

  test('opens for a process that restarts', () => {
    const faults: Fault[] = [crash, { type: 'restart', process: 2, at: 1500 }];
    expect(membersAt({ faults, seed: 1 }, 3000)).toEqual(Array(4).fill([0, 1, 2, 3]));
  });
});

/** 1 restarts twice and makes the same ballot again; 0 restarts in between, while a token of the first ballot is in flight. */
const twice: Scenario = {
  n: 2,
  faults: [
    [1, 43],
    [1, 202],
    [0, 222],
  ].flatMap(([process, at]): Fault[] => [
    { type: 'crash', process: process!, at: at! },
    { type: 'restart', process: process!, at: at! },
  ]),
  entries: 10,
  think: 'fixed:0',
  hold: 'fixed:20',
  latency: 'uniform:0:10',
  seed: 76,
};

test.each(mutants.filter(({ of }) => of.includes('+bully')).map((mutant) => [mutant.name, mutant] as const))(
  '%s is detected',
  (_name, mutant) => {
    const scenarios = [
      twice,
      ...Array.from({ length: 1000 }, (_, seed) => ({ ...crashes(seed), hold: 'uniform:1:100' })),
    ];
    const fails = (algorithm: AnyAlgorithm) =>
      scenarios.some((scenario) => !simulate(algorithm, scenario).ok);
    expect(fails(mutant)).toBe(true);
    expect(fails(composed(mutant.of))).toBe(false);
  },
);

test('an impossible composition is rejected in one sentence', () => {
  expect(() => composed('bully+bully')).toThrow(/bully is not a lock/);
  expect(() => composed('token-ring+lamport')).toThrow(/lamport is not an election/);
  expect(() => composed('token-ring+hirschberg-sinclair')).toThrow(/one-way ring election/);
});

const insider = { process: 1, at: 5 };
const coordinatorDies: Scenario = {
  n: 3,
  start: [insider, { process: 2, at: 30 }],
  hold: 'fixed:400',
  latency: 'fixed:4',
  faults: [{ type: 'crash', process: 0, at: 20 }],
};
describeGolden(composed('central-coordinator+bully'), {
  golden: {
    'coordinator-dies': {
      about:
        'The coordinator dies while 1 is inside. 2 loses patience and is elected; it asks, hears that 1 is inside, asks again\nuntil 1 has left, and only then installs the epoch in which it coordinates.',
      scenario: coordinatorDies,
    },
    'grants-at-once': {
      about: 'The same, but the new coordinator does not wait for who is inside: two inside.',
      scenario: coordinatorDies,
      of: 'central-coordinator+bully-grants-at-once',
    },
    'late-insider': {
      about:
        'Outside the timing assumption: 1 is inside and paused, so its answer is late. It is taken for dead, and 2 enters too.',
      scenario: {
        ...coordinatorDies,
        hold: 'fixed:900',
        faults: [...coordinatorDies.faults!, { type: 'pause', process: 1, at: 40, until: 800 }],
      },
    },
  },
});
describeGolden(composed('central-coordinator-denied+bully'), {
  golden: {
    silence: {
      about:
        'The coordinator crashes, and then 2 asks it. 2 hears nothing in a round trip and calls an election at once: no patience is needed.',
      scenario: {
        n: 3,
        start: [{ process: 2, at: 30 }],
        latency: 'fixed:4',
        faults: [{ type: 'crash', process: 0, at: 20 }],
      },
    },
  },
});
describeGolden(composed('token-ring+bully'), {
  golden: {
    'holder-dies': {
      about:
        '1 dies with the token. 2 waits in vain and calls an election; 2 wins, makes a token of a higher epoch, and the ring is 0, 2.',
      scenario: {
        n: 3,
        start: [
          { process: 1, at: 0 },
          { process: 2, at: 10 },
        ],
        hold: 'fixed:50',
        latency: 'fixed:4',
        faults: [{ type: 'crash', process: 1, at: 20 }],
      },
    },
  },
});
