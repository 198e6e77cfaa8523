// Elections round after round: every election of the catalogue that assumes that nothing fails, with crashes at any time.
import { describe, expect, test } from 'vitest';
import { algorithms, changRoberts } from '../../src/algorithms/index.ts';
import { resolve } from '../../src/catalogue/index.ts';
import { check } from '../../src/check/index.ts';
import { repeatedElection } from '../../src/compositions/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { InputError } from '../../src/core/assert.ts';
import { Random } from '../../src/core/random.ts';
import { parseTrace, type TraceEvent } from '../../src/core/trace.ts';
import {
  type Fault,
  keepsAssumptions,
  prepare,
  replay,
  type Scenario,
  simulate,
} from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { long, seedsOf } from '../tiers.ts';

const elections = algorithms.filter(
  ({ problem, assumes, perpetual }) =>
    problem === 'election' && assumes.failures === 'none' && assumes.timing !== 'synchronous' && !perpetual,
);
const composed = elections.map((election): [string, AnyAlgorithm] => [
  election.name,
  repeatedElection(election),
]);

/** Crashes of some processes at random times. At least one process lives. */
function crashes(seed: number, n: number, latest: number): Fault[] {
  const random = new Random(seed, 'test');
  const order = Array.from(random.permutation(n), (id) => id - 1);
  return order
    .slice(0, random.below(n))
    .map((process) => ({ type: 'crash', process, at: random.below(latest) }));
}

describe.each(composed)('%s, round after round', (_name, algorithm) => {
  test('crashes at any time: in the end a living process leads, and every living process follows it', () => {
    let most = 0;
    for (let seed = 0; seed < seedsOf(1000); seed += 1) {
      const n = 1 + (seed % 7);
      const faults = crashes(seed, n, 50 * n);
      const detector = seed % 2 === 0 ? 'handshake:25:15' : 'timeout:30:25';
      const scenario: Scenario = { n, faults, seed, detector, limit: 200_000 };
      const run = simulate(algorithm, scenario);
      expect(run.violations, JSON.stringify(scenario)).toEqual([]);
      const dead = faults.flatMap((fault) => ('process' in fault ? [fault.process] : []));
      for (let i = 0; i < n; i += 1) expect(run.leaders[i]).toBe(dead.includes(i) ? null : run.leader);
      if (run.leader !== null) expect(dead).not.toContain(run.leader);
      most = Math.max(most, run.measures!.rounds.length);
    }
    expect(most).toBeGreaterThan(2);
  });

  test('a crash of the leader begins a second round, which somebody else wins', () => {
    const before = simulate(algorithm, { n: 4, seed: 1 });
    const faults: Fault[] = [{ type: 'crash', process: before.leader!, at: before.time + 10 }];
    const run = simulate(algorithm, { n: 4, seed: 1, faults });
    expect(run.ok).toBe(true);
    expect(run.leader).not.toBe(before.leader);
    expect(run.measures!.rounds).toMatchObject([
      { round: 0, leader: before.leader },
      { round: 1, leader: run.leader },
    ]);
  });

  test('no leader is announced before every member of the round has taken part', () => {
    for (let seed = 0; seed < seedsOf(200); seed += 1) {
      const n = 2 + (seed % 5);
      const taking = new Map<number, Set<number>>(); // by round
      const announced = new Set<number>();
      const record = ({ process, outputs }: TraceEvent) => {
        for (const output of outputs) {
          if (output.kind !== 'emit') continue;
          const { type, round } = output.event as { type: string; round: number };
          if (type === 'electing') taking.set(round, (taking.get(round) ?? new Set()).add(process));
          else if (!announced.has(round)) {
            announced.add(round);
            expect(taking.get(round)!.size, `seed ${seed}, round ${round}`).toBe(n - round);
          }
        }
      };
      simulate(algorithm, { n, faults: crashes(seed, n, 50 * n), seed }, { record });
    }
  });

  test('a trace with crashes replays', () => {
    const lines: string[] = [];
    const faults: Fault[] = [{ type: 'crash', process: 2, at: 20 }];
    simulate(algorithm, { n: 4, seed: 3, faults }, { trace: (line) => lines.push(line) });
    expect(replay(algorithm, parseTrace(`${lines.join('\n')}\n`))).toMatchObject({ ok: true });
  });
});

// Two rounds and more: of three processes up to two crash, at any moment; a report of a crash takes any time.
const searched: Record<string, readonly [n: number, crashes: number, states: number][]> = {
  'afek-gafni': [[3, 2, 12_492]],
  'chang-roberts': [
    [3, 2, 1882],
    [4, 2, 88_618],
  ],
  'dolev-klawe-rodeh': [[3, 2, 3550]],
  'dolev-klawe-rodeh-b': [
    [3, 2, 2458],
    [4, 2, 143_068],
  ],
  'echo-extinction': [[3, 2, 51_781]],
  franklin: [
    [3, 2, 5658],
    [4, 2, 781_070],
  ],
  'korach-moran-zaks': [
    [3, 2, 5510],
    [4, 2, 1_099_168],
  ],
  'le-lann': [
    [3, 2, 5030],
    [4, 2, 655_967],
  ],
  'list-carrying-ring': [[3, 2, 36_001]],
  peterson: [
    [3, 2, 3165],
    [4, 2, 187_099],
  ],
  'peterson-improved': [[3, 2, 2550]],
  'total-order-broadcast': [
    [2, 1, 62],
    [3, 2, 91_886],
  ],
  vitanyi: [[3, 2, 42_780]],
  'vitanyi-minimal-time': [[3, 2, 46_236]],
  'vitanyi-ring-size': [[3, 2, 47_839]],
};

for (const [name, algorithm] of composed)
  if (name in searched)
    holdsEverywhere(
      algorithm,
      searched[name]!.map(([n, crashes, states]) => [{ n }, { crashes }, states]),
    );

test('every repeated election is searched, but for one', () => {
  const names = composed.map(([name]) => name).sort();
  expect([...Object.keys(searched), 'hirschberg-sinclair', 'itai-rodeh'].sort()).toEqual(names);
});

const hirschbergSinclair = resolve('hirschberg-sinclair+rounds') as AnyAlgorithm;
holdsEverywhere(hirschbergSinclair, [[{ n: 3, channels: 'fifo' }, { crashes: 2 }, 22_252]]);

long('hirschberg-sinclair, with channels that keep no order: 2,233,058 states', () => {
  const report = check(hirschbergSinclair, { n: 3 }, { crashes: 2 });
  expect(report).toMatchObject({ ok: true, complete: true, states: 2_233_058 });
});

describe('elections that cannot be repeated, or not be searched', () => {
  test('itai-rodeh draws again and again, so a search never ends: no violation in 200,000 states', () => {
    const report = check(resolve('itai-rodeh+rounds'), { n: 3 }, { crashes: 1, maxStates: 200_000 });
    expect(report).toMatchObject({ violation: null, complete: false });
  });

  test.each([
    ['bully', 'bully elects again by itself after a crash: leave out +rounds'],
    ['raymond', 'raymond is not an election: write ELECTION+rounds, as in chang-roberts+rounds'],
  ])('%s is refused', (name, sentence) => {
    expect(() => resolve(`${name}+rounds`)).toThrow(new InputError(sentence));
  });

  test('a message with a field that rounds need breaks the contract', () => {
    const [, election] = composed.find(([name]) => name === 'chang-roberts')!;
    expect(election.name).toBe('chang-roberts+rounds');
    const wrong = repeatedElection({
      ...changRoberts,
      calls: { start: (_s, p) => p.send(0, { type: 'election', id: 1, among: [] }) },
    } as AnyAlgorithm);
    expect(simulate(wrong, { n: 2 }).violations[0]!.why).toContain("has a field 'among' or 'as'");
  });

  test('a restarted process has forgotten the rounds: nothing is promised to it', () => {
    const faults: Fault[] = [
      { type: 'crash', process: 1, at: 5 },
      { type: 'restart', process: 1, at: 300 },
    ];
    expect(keepsAssumptions(prepare(resolve('chang-roberts+rounds'), { n: 3, faults }))).toBe(false);
  });
});

describe('nobody is told, and nobody starts', () => {
  test('a crash before the first election starts none', () => {
    const run = simulate(resolve('chang-roberts+rounds'), {
      n: 3,
      start: [],
      faults: [{ type: 'crash', process: 1, at: 5 }],
    });
    expect(run).toMatchObject({ ok: true, leader: null, messages: { total: 0 } });
  });

  test('the last living process elects itself', () => {
    const faults = [0, 1, 3].map((process): Fault => ({ type: 'crash', process, at: 30 * (process + 1) }));
    for (const [, algorithm] of composed)
      expect(simulate(algorithm, { n: 4, faults })).toMatchObject({ ok: true, leader: 2 });
  });
});
