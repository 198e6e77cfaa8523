import { describe, expect, test } from 'vitest';
import { ntpSymmetric } from '../../src/algorithms/index.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { conformsToClocks } from '../conformance/clocks.ts';

const line: Scenario = { n: 3, topology: 'line', latency: 'fixed:2', offsets: [0, 40, -70], drift: 0 };

conformsToClocks(ntpSymmetric, {
  hash: '508b45a395beddb3',
  reaches: { best: { n: 5, topology: 'star' }, worst: { n: 5, topology: 'complete' } },
  survives: {
    'no duplication':
      'four stamps are true however often they arrive, and a late message is a sample with more delay',
  },
  scenarios: [
    {},
    { rounds: 9 },
    { topology: 'line', n: 5, rounds: 3 },
    { topology: 'complete', n: 5, rounds: 3 },
    { topology: 'grid', n: 9, rounds: 4 },
  ],
  lie: { faults: [{ type: 'lie', process: 0, at: 0, by: 500 }] },
  golden: {
    triangle: {
      about:
        'Everybody with everybody. 1 and 2 ask each other and the root; who does not know the time yet answers when it does. Both follow the root,\n' +
        'whose stratum is the lowest; what they tell each other is kept for the day when it is needed.',
      scenario: { n: 3, topology: 'complete', latency: 'fixed:2', offsets: [0, 40, -70], drift: 0 },
    },
    'forgets-strata': {
      about:
        'The first leg takes its time in one direction only. 1 is off, as it says; 2 does not listen, and believes it to be right.',
      scenario: { ...line, slow: [{ between: [0, 1], ticks: 20, oneWay: true }] },
      of: 'ntp-symmetric-forgets-strata',
    },
  },
});

type State = ReturnType<typeof ntpSymmetric.init>;
type Hear = typeof ntpSymmetric.on.passive;

/** Returns the final states of a run in which processes know each other by name. */
function ended(scenario: Scenario): State[] {
  const states: State[] = [];
  const observe = (process: number, state: unknown) => {
    states[process] = state as State;
  };
  const named = { ...ntpSymmetric, knows: ['me', ...ntpSymmetric.knows] } as const;
  expect(simulate(named, scenario, { observe }).ok).toBe(true);
  return states;
}

describe('ntp-symmetric', () => {
  test('the stratum is one more than that of the source, and promises add up', () => {
    const { clocks } = simulate(ntpSymmetric, line);
    expect(clocks!.map(({ promised }) => promised)).toEqual([null, 2e6, 4e6]);
    expect(clocks!.map(({ error }) => error)).toEqual([0, 0, 0]);
  });

  test('each call exchanges two messages with each neighbour', () => {
    for (const n of [1, 2, 5, 17, 40])
      expect(simulate(ntpSymmetric, { n, topology: 'complete', rounds: 3, seed: n }).messages.total).toBe(
        3 * (n - 1) * 2 * (n - 1),
      );
    expect(simulate(ntpSymmetric, { n: 5, topology: 'line', rounds: 3 }).messages.total).toBe(3 * 2 * 7);
  });

  test('one message each way informs both: after two exchanges each has its own two samples, and one from the other', () => {
    const [, a, b] = ended({ ...line, rounds: 2, think: 'fixed:100' });
    expect(a!.peers.map(({ samples }) => samples.length)).toEqual([2, 3]);
    expect(b!.peers.map(({ samples }) => samples.length)).toEqual([3]);
  });

  test('the source is the nearest of the lowest stratum, and never a process that follows this one', () => {
    const place = { root: false, neighbours: [0, 1, 2], drift: 0 };
    const [s, nothing] = [ntpSymmetric.init(place), () => {}];
    const p = { ...place, clock: () => 10, send: nothing, emit: nothing } as unknown as Parameters<Hear>[1];
    const hears = (from: number, stratum: number, distance: number, followsYou = false) => {
      const stamps = { T1: 0, T2: 4, T3: 4, offset: 0 };
      ntpSymmetric.on.passive(s, p, { type: 'passive', ...stamps, stratum, distance, followsYou }, from);
      return [s.source, s.stratum];
    };
    expect(hears(0, 2, 0, true)).toEqual([null, null]);
    expect(hears(1, 4, 1)).toEqual([1, 5]);
    expect(hears(2, 3, 9)).toEqual([2, 4]);
    expect(hears(1, 3, 8)).toEqual([1, 4]);
    expect(hears(1, 3, 8, true)).toEqual([2, 4]);
    expect(hears(2, 3, 9, true)).toEqual([2, 4]); // no candidate is left
    expect(hears(0, 2, 99)).toEqual([0, 3]);
  });

  test('at the end no two processes follow each other, and strata are distances', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const states = ended({ n: 9, topology: 'grid', rounds: 4, latency: 'uniform:0:100', seed });
      for (const [i, { source, stratum }] of states.entries()) {
        if (i > 0) expect(states[source!]!.source, `seed ${seed}`).not.toBe(i);
        expect(stratum).toBe(1 + (i % 3) + Math.floor(i / 3));
      }
    }
  });

  test('with a delay in one direction only, the error is half the delay', () => {
    const slow = [{ between: [0, 1] as const, ticks: 40, oneWay: true }];
    const { clocks } = simulate(ntpSymmetric, { n: 2, topology: 'line', latency: 'fixed:0', slow, drift: 0 });
    expect(Math.abs(clocks![1]!.error)).toBe(20e6);
    expect(clocks![1]!.promised).toBe(20e6);
  });
});
