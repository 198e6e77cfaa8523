// Elections that assume no failures are held among the living: a ring closes over processes that crashed before the first start.
import { describe, expect, test } from 'vitest';
import {
  algorithms,
  bully,
  echoExtinction,
  itaiRodeh,
  leLann,
  listCarryingRing,
} from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { networkLayout } from '../../src/diagram/index.ts';
import {
  circumstancesOf,
  keepsAssumptions,
  prepare,
  replay,
  type Scenario,
  Simulation,
  simulate,
} from '../../src/sim/index.ts';
import { BoundsTracker } from '../../src/timeline/bounds-tracker.ts';
import { traceOf } from '../conformance/conformance.ts';

const crash = (process: number, at = 0) => ({ type: 'crash' as const, process, at });
const example: Scenario = { ids: [1, 2, 3, 4], faults: [crash(0), crash(3)], start: [{ process: 1 }] };
const elections = algorithms.filter(
  (one): one is AnyAlgorithm =>
    one.problem === 'election' && 'on' in one && one.assumes.failures === 'none' && !one.knows.includes('me'), // those go by position
);

test('the largest living process wins, and the run is judged by the bounds of the smaller ring', () => {
  const run = simulate(leLann, example, { invariants: true });
  expect(run).toMatchObject({ ok: true, leader: 3, leaders: [null, 3, 3, null], withinBounds: true });
  expect(run.messages.byType.elect).toBe(2 ** 2);
  const setup = prepare(leLann, example);
  expect(keepsAssumptions(setup)).toBe(true);
  expect(circumstancesOf(setup)).toMatchObject({ n: 2, edges: 2, living: 2, initiators: 1, ids: [2, 3] });
  expect(run.measures!.electionTime!.bounds).not.toEqual([]);
});

test('a ring closes over dead processes, a two-way ring in both directions', () => {
  const links = (algorithm: AnyAlgorithm) => {
    const { topology, n } = prepare(algorithm, { n: 5, faults: [crash(0), crash(2), crash(3)] });
    return Array.from({ length: n }, (_, i) => topology.neighbours(i));
  };
  const named = (name: string) => elections.find((one) => one.name === name)!;
  expect(links(named('le-lann'))).toEqual([[], [4], [], [], [1]]);
  expect(links(named('franklin'))).toEqual([[], [4, 4], [], [], [1, 1]]);
  expect(links(named('afek-gafni'))).toEqual([[], [4], [], [], [1]]);
});

describe.each(elections.map((one) => [one.name, one] as const))('%s', (_name, algorithm) => {
  const isGraph = algorithm.assumes.topology === 'connected';
  const shape = isGraph ? { topology: 'complete' } : {};

  test('elects among the living, whichever processes are dead, and its traces replay', () => {
    const n = 5;
    for (let dead = 1; dead < 2 ** n - 1; dead += 1) {
      const who = Array.from({ length: n }, (_, i) => i);
      const faults = who.filter((i) => dead & (1 << i)).map((i) => crash(i, i % 3));
      const start = who.map((process) => ({ process, at: 2 + (process % 2) }));
      const scenario: Scenario = { n, faults, start, seed: dead, ...shape };
      const run = simulate(algorithm, scenario, { invariants: true });
      expect(run.violations, JSON.stringify(scenario)).toEqual([]);
      const living = who.filter((i) => !(dead & (1 << i)));
      const { ids } = prepare(algorithm, scenario);
      const best = living.map((i) => ids[i]!).sort((a, b) => a - b);
      if (algorithm.elects === 'largest') expect(run.leader).toBe(best.at(-1));
      if (algorithm.elects === 'smallest') expect(run.leader).toBe(best[0]);
      expect(run.leaders.filter((leader) => leader !== null)).toHaveLength(living.length);
      if (dead % 7 === 0) expect(replay(algorithm, parseTrace(traceOf(algorithm, scenario))).ok).toBe(true);
    }
  });

  test('costs as much as the smaller network, message by message', () => {
    const latency = 'fixed:1';
    const dead = simulate(algorithm, { n: 7, latency, faults: [crash(0), crash(4)], ...shape });
    const ids = Array.from(prepare(algorithm, { n: 7 }).ids).filter((_, i) => i !== 0 && i !== 4);
    const own = algorithm.knows.includes('id') ? { ids } : { n: 5 };
    const small = simulate(algorithm, { ...own, latency, ...shape });
    if (algorithm.knows.includes('id')) expect(dead.messages).toEqual(small.messages);
    expect(dead.bounds).toEqual(small.bounds);
    expect(dead.violations).toEqual([]);
  });
});

test('a process that knows n knows the number of the living', () => {
  const known = new Set<number>();
  const spy: AnyAlgorithm = {
    ...itaiRodeh,
    init: (place) => {
      known.add(place.n);
      return itaiRodeh.init(place);
    },
  };
  expect(simulate(spy, { n: 6, faults: [crash(5), crash(1)] }).ok).toBe(true);
  expect([...known]).toEqual([4]);
});

describe('what is dead before the first start', () => {
  const members = (scenario: Scenario) => prepare(leLann, { n: 4, ...scenario }).topology.members;

  test('a crash at the time of the first start, or before it', () => {
    expect(members({ faults: [crash(0, 5)], start: [{ process: 1, at: 5 }] })).toBe(3);
    expect(members({ faults: [crash(0, 6)], start: [{ process: 1, at: 5 }] })).toBe(4);
  });

  test('the start of a dead process is not the first start', () => {
    const start = [
      { process: 0, at: 10 },
      { process: 1, at: 20 },
    ];
    expect(members({ faults: [crash(0, 5), crash(2, 15)], start })).toBe(2);
  });

  test('a process that restarts is not left out', () => {
    const restart = { type: 'restart' as const, process: 0, at: 50 };
    expect(members({ faults: [crash(0), restart], start: [{ process: 1 }] })).toBe(4);
    expect(keepsAssumptions(prepare(leLann, { faults: [crash(0), restart] }))).toBe(false);
  });

  test('a crash after the first start still drops the assumption', () => {
    const scenario = { n: 4, faults: [crash(0), crash(2, 1)], start: [{ process: 1 }] };
    expect(members(scenario)).toBe(3);
    expect(keepsAssumptions(prepare(leLann, scenario))).toBe(false);
    expect(simulate(leLann, scenario).violations).toMatchObject([
      { property: 'everybody learns the leader' },
    ]);
  });

  test('where all are dead, or no process starts, nothing happens', () => {
    const dead = simulate(leLann, { n: 2, faults: [crash(0), crash(1)] });
    expect(dead).toMatchObject({ ok: true, leader: null, messages: { total: 0 } });
    const idle = simulate(leLann, { n: 3, faults: [crash(0, 7)], start: [] });
    expect(idle).toMatchObject({ ok: true, leader: null, messages: { total: 0 } });
  });

  test('the last living process elects itself', () => {
    expect(simulate(leLann, { ids: [5, 1, 7], faults: [crash(0), crash(2)] })).toMatchObject({
      ok: true,
      leaders: [null, 1, null],
      messages: { byType: { elect: 1 } },
    });
  });
});

test('what is left of a graph must be connected', () => {
  const line: Scenario = { n: 4, topology: 'line' };
  expect(simulate(echoExtinction, { ...line, faults: [crash(0)] }).ok).toBe(true);
  expect(() => prepare(echoExtinction, { ...line, faults: [crash(1)] })).toThrow(
    'echo-extinction needs a connected network, but without the crashed processes (1) some cannot reach others',
  );
});

test('a graph without a name is written with all its edges', () => {
  const scenario: Scenario = { topology: 'edges:0-1,1-2,0-2,2-3', faults: [crash(3)] };
  const text = traceOf(echoExtinction, scenario);
  expect(text).toContain('edges:0-1,0-2,1-2,2-3');
  expect(replay(echoExtinction, parseTrace(text)).ok).toBe(true);
});

test('an election that survives crashes keeps its network', () => {
  expect(prepare(bully, { n: 4, faults: [crash(3)] }).topology.members).toBe(4);
});

test('the lab allows as many messages as the living may send', () => {
  const { allowed } = new BoundsTracker(prepare(listCarryingRing, { n: 4, faults: [crash(0)] })).status(true);
  expect(allowed.map(({ atLeast, atMost }) => [atLeast, atMost])).toEqual([
    [9, 9],
    [9, 9],
  ]);
});

test('dead processes keep their place in the picture', () => {
  const { topology } = prepare(leLann, example);
  expect(networkLayout(topology)).toEqual(networkLayout(prepare(leLann, { n: 4 }).topology));
});

test('a user cannot start a process that was left out', () => {
  const simulation = new Simulation(leLann, { n: 3, faults: [crash(0, 5)], start: [{ process: 1, at: 9 }] });
  const refusal = 'process 0 has no links: the election is held without it';
  expect(simulation.intervene({ do: 'ask', process: 0 })).toBe(refusal);
});
