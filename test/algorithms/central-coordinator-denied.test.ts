import { describe, expect, test } from 'vitest';
import { centralCoordinatorDenied } from '../../src/algorithms/mutex/central-coordinator-denied.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { TraceEvent } from '../../src/core/trace.ts';
import { type Fault, type Scenario, Simulation, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

const lemma = 'nobody suspects a coordinator that lives';

const suspectsTheLiving = (algorithm: AnyAlgorithm) =>
  Array.from({ length: 100 }, (_, seed) => seed).some((seed) => {
    const scenario: Scenario = { n: 3, entries: 2, hold: 'fixed:50', seed };
    return simulate(algorithm, scenario, { invariants: true }).violations.some(
      ({ property }) => property === lemma,
    );
  });

conformsToMutex(centralCoordinatorDenied, {
  hash: '7d70171795703a5d',
  golden: {
    denied: {
      about: '2 comes while 1 is inside: denied, then granted. Four messages.',
      scenario: {
        n: 3,
        start: [
          { process: 1, at: 0 },
          { process: 2, at: 9 },
        ],
        hold: 'fixed:30',
      },
    },
    silence: {
      about:
        'The coordinator crashes while the request of 1 is on its way. 1 hears nothing in a round trip, and suspects it.',
      scenario: { n: 3, start: [{ process: 1 }], faults: [{ type: 'crash', process: 0, at: 1 }] },
    },
    'er-41': {
      about:
        'ER-41. 2 is denied, and then the coordinator crashes. DENIED said that it lived: 2 suspects nothing, and waits forever.',
      scenario: {
        n: 3,
        start: [
          { process: 1, at: 0 },
          { process: 2, at: 9 },
        ],
        hold: 'fixed:30',
        faults: [{ type: 'crash', process: 0, at: 30 }],
      },
    },
  },
  survives: {
    channels: 'a late DENIED can hide a crash, but lets nobody enter',
    'bounded delay': 'a late answer causes a false suspicion, which lets nobody enter',
  },
  foundOut: { 'central-coordinator-denied-unheard': suspectsTheLiving },
  reaches: {
    best: { n: 4, start: [{ process: 0 }], entries: 3 },
    worst: 'the coordinator does not deny the first request',
  },
  bypass: [{ n: 4, seed: 5 }],
});

describe('central-coordinator-denied', () => {
  /** The times at which processes suspect the coordinator. */
  const suspicions = (scenario: Scenario) => {
    const times: [process: number, time: number][] = [];
    const record = ({ process, time, outputs }: TraceEvent) => {
      if (outputs.some((output) => output.kind === 'emit' && output.event.type === 'suspects'))
        times.push([process, time]);
    };
    const run = simulate(centralCoordinatorDenied, scenario, { record });
    return { run, times };
  };
  const crash = (at: number): Fault => ({ type: 'crash', process: 0, at });

  test('a client that hears nothing in a round trip suspects the coordinator, once', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const { times } = suspicions({ n: 3, start: [{ process: 1, at: 5 }], faults: [crash(0)], seed });
      expect(times).toEqual([[1, 5 + 2 * 11]]); // the longest delay is 10 ticks, and one unit of the clock
    }
  });

  test('a client in a long queue does not, since it was denied', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const { run, times } = suspicions({ n: 5, entries: 3, think: 'fixed:0', hold: 'fixed:500', seed });
      expect(run.violations).toEqual([]);
      expect(times).toEqual([]);
    }
  });

  test('clocks may tick at different rates', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const scenario = { n: 4, entries: 3, clocks: [1 + (seed % 9), 7, 2, 1], hold: 'fixed:50', seed };
      const { run, times } = suspicions(scenario);
      expect(run.violations).toEqual([]);
      expect(times).toEqual([]);
    }
  });

  test('of the clients that wait when the coordinator crashes, exactly those suspect that have no answer', () => {
    let [unanswered, denied] = [0, 0];
    for (let seed = 0; seed < 300; seed += 1) {
      const at = 20 + (seed % 100);
      const answers = new Set<number>(); // clients that have heard of their current request
      const waiting = new Set<number>();
      const suspects = new Set<number>();
      const record = ({ process, input, outputs }: TraceEvent) => {
        if (input.kind === 'call' && input.name === 'request' && process > 0) {
          waiting.add(process);
          answers.delete(process);
        } else if (input.kind === 'recv' && process > 0) answers.add(process);
        for (const output of outputs) {
          if (output.kind === 'emit' && output.event.type === 'entered') waiting.delete(process);
          if (output.kind === 'emit' && output.event.type === 'suspects') suspects.add(process);
        }
      };
      const scenario: Scenario = { n: 5, entries: 5, hold: 'uniform:1:20', faults: [crash(at)], seed };
      simulate(centralCoordinatorDenied, scenario, { record });
      expect(suspects, `seed ${seed}`).toEqual(new Set([...waiting].filter((one) => !answers.has(one))));
      unanswered += suspects.size;
      denied += waiting.size - suspects.size;
    }
    expect(unanswered).toBeGreaterThan(100);
    expect(denied).toBeGreaterThan(100);
  });

  test('a late answer clears a false suspicion', () => {
    const faults: Fault[] = [{ type: 'pause', process: 0, at: 0, until: 100 }];
    const simulation = new Simulation(centralCoordinatorDenied, { n: 2, start: [{ process: 1 }], faults });
    const suspects = () => (simulation.states as { suspects: boolean }[])[1]!.suspects;
    while (simulation.now < 50 && simulation.advance(1));
    expect(suspects()).toBe(true);
    while (simulation.advance(1));
    expect(suspects()).toBe(false);
    expect(simulation.result()).toMatchObject({ ok: true, entries: 1 });
  });
});

holdsEverywhere(centralCoordinatorDenied, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 6599],
  [{ n: 4 }, {}, 12_192],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 24_833],
]);
