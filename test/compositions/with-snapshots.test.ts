// Snapshots by composition: for every message-passing algorithm, a consistent cut that lies between the beginning and the end.
import { describe, expect, test } from 'vitest';
import { algorithms, clockAlgorithms } from '../../src/algorithms/index.ts';
import { resolve } from '../../src/catalogue/index.ts';
import { check } from '../../src/check/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import { Random } from '../../src/core/random.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { tokenLocations } from '../../src/core/world-queries.ts';
import { mutants } from '../../src/mutants/index.ts';
import { type Run, replay, type Scenario, simulate } from '../../src/sim/index.ts';
import { describeGolden, findFailure } from '../conformance/conformance.ts';
import { whyNotBetween } from '../conformance/snapshot-theorem.ts';
import { seedsOf } from '../tiers.ts';

const named = (name: string) => resolve(`${name}+chandy-lamport`) as AnyAlgorithm;

/** Random scenarios by seed: one or several processes begin, at any time, in networks of any size. */
function mixed({ assumes }: AnyAlgorithm, seed: number): Scenario {
  const random = new Random(seed, 'snapshots');
  const n = 1 + random.below(6);
  const begins = Array.from({ length: 1 + random.below(3) }, () => ({
    process: random.below(n),
    at: random.below(60),
  }));
  const latencies = [
    'uniform:1:10',
    'uniform:0:30',
    ['bounded', 'synchronous'].includes(assumes.timing) ? 'fixed:5' : 'exponential:10',
  ];
  return {
    n,
    ...(random.below(3) > 0 && { snapshot: begins }),
    ...(assumes.topology === 'connected' && { topology: ['complete', 'ring', 'random:3'][random.below(3)]! }),
    latency: latencies[random.below(3)]!,
    entries: 1 + random.below(2),
    limit: 50_000,
    seed,
  };
}

function taken(algorithm: AnyAlgorithm, scenario: Scenario): { run: Run; text: string } {
  const lines: string[] = [];
  const run = simulate(algorithm, scenario, { trace: (line) => lines.push(line), invariants: true });
  return { run, text: `${lines.join('\n')}\n` };
}

const messaging = [...algorithms, ...clockAlgorithms].map(
  (algorithm) => [algorithm.name, algorithm] as const,
);

describe.each(messaging)('%s', (_, underlying) => {
  const algorithm = withSnapshots(underlying);

  test(`${seedsOf(60)} seeds: the cut is consistent, each channel has one marker, the invariants hold in the snapshot, and it has one token`, () => {
    for (let seed = 0; seed < seedsOf(60); seed += 1) {
      const { run } = taken(algorithm, mixed(algorithm, seed));
      expect(run.violations, `seed ${seed}`).toEqual([]);
      const { token } = underlying;
      if (token !== undefined) expect(tokenLocations(token, run.snapshot as never)).toHaveLength(1);
    }
  });

  test(`${seedsOf(20)} seeds: the same events, reordered, lead to the snapshot and from there to the same end`, () => {
    for (let seed = 100; seed < 100 + seedsOf(20); seed += 1) {
      const { run, text } = taken(algorithm, mixed(algorithm, seed));
      expect(run.ok).toBe(true);
      const trace = parseTrace(text);
      expect(whyNotBetween(algorithm, trace), `seed ${seed}`).toBeNull();
      expect(replay(algorithm, trace).ok).toBe(true);
    }
  });
});

test('2000 seeds of a token ring: some snapshots have the token at a process, some in flight', () => {
  const { token } = named('token-ring').snapshots!.of;
  const seen = new Set<string>();
  for (let seed = 0; seed < 2000; seed += 1) {
    const { snapshot, messages, n } = simulate(named('token-ring'), { n: 2 + (seed % 3), entries: 2, seed });
    const [place, ...more] = tokenLocations(token!, snapshot as never);
    expect(more).toEqual([]);
    expect(messages.byType.marker).toBe(n);
    seen.add('at' in place! ? 'held' : 'on its way');
  }
  expect([...seen].sort()).toEqual(['held', 'on its way']);
});

test('a snapshot changes only the delay of messages behind markers: same handlers, same messages', () => {
  for (const name of ['token-ring', 'raymond', 'chang-roberts']) {
    const scenario: Scenario = { n: 4, latency: 'fixed:3', think: 'fixed:2', hold: 'fixed:2', seed: 5 };
    const alone = simulate(messaging.find(([other]) => other === name)![1], {
      ...scenario,
      channels: 'fifo',
    });
    const { messages } = simulate(named(name), { ...scenario, snapshot: [{ process: 1, at: 4 }] });
    const { marker, ...own } = messages.byType;
    if (name !== 'token-ring') expect(own).toEqual(alone.messages.byType);
    expect(marker).toBe({ 'token-ring': 4, raymond: 6, 'chang-roberts': 4 }[name]);
  }
});

test('a lock with recovery can take snapshots too', () => {
  const algorithm = named('token-ring+bully');
  for (let seed = 0; seed < 30; seed += 1) {
    const { run, text } = taken(algorithm, { n: 3, seed });
    expect(run.violations).toEqual([]);
    expect(whyNotBetween(algorithm, parseTrace(text))).toBeNull();
  }
});

describe('every interleaving', () => {
  test.each([
    ['token-ring', 3, 9159],
    ['central-coordinator', 3, 74_187],
    ['chang-roberts', 3, 7071],
    ['raymond', 3, 13_554],
    ['suzuki-kasami', 2, 317],
    ['singhal', 2, 387],
  ])('%s, n = %i: the cut is consistent, whichever process begins and when', (name, n, states) => {
    const report = check(named(name), { n }, { lemmas: false });
    expect(report).toMatchObject({ ok: true, complete: true, states });
    expect(report.properties).toContain('the cut is consistent');
  });

  test.each(['token-ring', 'suzuki-kasami'])('%s: every snapshot has one token', (name) => {
    const n = name === 'token-ring' ? 3 : 2;
    const report = check(named(name), { n }, { lemmas: true });
    expect(report).toMatchObject({ ok: true, complete: true });
    expect(report.properties.filter((property) => property.startsWith('in the snapshot: one'))).toHaveLength(
      1,
    );
  });

  test.each([
    ['token-ring', 3, 6],
    ['central-coordinator', 3, 3],
  ])(
    '%s over unordered channels: the shortest counterexample has %i processes and %i events',
    (name, n, events) => {
      const { violation } = check(named(name), { n, channels: 'unordered' });
      expect(violation?.property).toBe('the cut is consistent');
      const trace = parseTrace(violation!.trace);
      expect(trace.events).toHaveLength(events);
      expect(replay(named(name), trace).ok).toBe(true);
    },
  );
});

describe('assumptions dropped', () => {
  const drops: Readonly<Record<string, Scenario>> = {
    order: { channels: 'unordered', latency: 'uniform:1:100' },
    'that nothing is lost': { loss: 0.1 },
    'that nothing comes twice': { duplication: 0.3 },
    'that nobody crashes': { faults: [{ type: 'crash', process: 1, at: 5 }] },
  };
  test.each(Object.entries(drops))('without %s it fails', (_, drop) => {
    expect(findFailure(named('suzuki-kasami'), [drop])).not.toBeNull();
  });

  test('an inconsistent cut does not lie between the beginning and the end', () => {
    const algorithm = named('suzuki-kasami');
    let inconsistent = 0;
    for (let seed = 0; seed < 200; seed += 1) {
      const { run, text } = taken(algorithm, { n: 3, channels: 'unordered', latency: 'uniform:1:100', seed });
      if (run.violations[0]?.property !== 'the cut is consistent') continue;
      inconsistent += 1;
      expect(whyNotBetween(algorithm, parseTrace(text))).not.toBeNull();
    }
    expect(inconsistent).toBeGreaterThan(10);
  });
});

describe('mutants', () => {
  const own = mutants.filter(({ of }) => of.endsWith('+chandy-lamport'));
  const broken: Readonly<Record<string, RegExp>> = {
    'late-marker': /the cut is consistent/,
    'forgets-marker': /the snapshot is completed/,
    'empty-channels': /the channels are as they were/,
    'records-on': /the channels are as they were/,
  };
  test('there is one for each broken rule', () => expect(own).toHaveLength(Object.keys(broken).length));

  test.each(Object.entries(broken))('%s is detected', (lie, property) => {
    const mutant = own.find(({ name }) => name.endsWith(lie))!;
    const said = Array.from({ length: 100 }, (_, seed) =>
      simulate(mutant, { n: 2 + (seed % 3), entries: 2, seed }),
    );
    expect(said.flatMap(({ violations }) => violations).some((one) => property.test(one.property))).toBe(
      true,
    );
    for (let seed = 0; seed < 100; seed += 1)
      expect(simulate(resolve(mutant.of) as AnyAlgorithm, { n: 2 + (seed % 3), entries: 2, seed }).ok).toBe(
        true,
      );
  });
});

test('an impossible snapshot is rejected in one sentence', () => {
  const refusal = (algorithm: AnyAlgorithm, scenario: Scenario) => () => simulate(algorithm, scenario);
  expect(refusal(resolve('token-ring') as AnyAlgorithm, { snapshot: [{ process: 0 }] })).toThrow(
    /takes no snapshots: use token-ring\+chandy-lamport/,
  );
  expect(refusal(named('token-ring'), { n: 3, snapshot: [{ process: 3 }] })).toThrow(
    /snapshot: there is no process 3/,
  );
  expect(refusal(named('echo-extinction'), { topology: 'edges:0-1,2-3' })).toThrow(/not connected/);
  expect(() => resolve('bakery+chandy-lamport')).toThrow(/share memory/);
});

test('the result has the global state as plain data', () => {
  const { snapshot } = simulate(named('token-ring'), {
    n: 3,
    latency: 'fixed:10',
    snapshot: [{ process: 1, at: 5 }],
  });
  expect(encode(snapshot)).toBe(
    encode({
      states: [true, false, true].map((wanting) => ({ token: false, wanting })),
      inFlight: [{ from: 0, to: 1, message: { type: 'token' } }],
    }),
  );
});

const nobodyAsks: Scenario = { n: 2, start: [], entries: 0 };
describeGolden(named('token-ring'), {
  golden: {
    'no-order': {
      about:
        'Channels without order: the marker overtakes the token, which is then neither at a process nor on its way.',
      scenario: { ...nobodyAsks, channels: 'unordered', snapshot: [{ process: 0, at: 0 }], seed: 1 },
    },
    'in-channel': {
      about:
        "The paper's single token (figures 3 and 4). 0 has sent it to 1, which records its state before it comes: it is not there, nor anywhere else,\nbut it comes before the marker of 0, and so it is on its way from 0 to 1.",
      scenario: { ...nobodyAsks, latency: 'fixed:10', snapshot: [{ process: 1, at: 5 }] },
    },
  },
});
