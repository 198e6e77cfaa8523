import { describe, expect, test } from 'vitest';
import { totalOrderBroadcast } from '../../src/algorithms/election/total-order-broadcast.ts';
import { happenedBefore } from '../../src/causality/index.ts';
import type { AnyAlgorithm, Pid } from '../../src/core/algorithm.ts';
import { totalOrderBroadcastImpatient } from '../../src/mutants/total-order-broadcast.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';

// 2 receives the message of 1 long before that of 0, which has the same time and the smaller name.
const heldBack: Scenario = {
  n: 3,
  start: [
    { process: 0, at: 0 },
    { process: 1, at: 0 },
  ],
  latency: 'fixed:1',
  slow: [{ between: [0, 2], ticks: 5 }],
};

conformsToElection(totalOrderBroadcast, {
  hash: '423cc718d4644dd9',
  scenarios: [
    {},
    { n: 4, start: [{ process: 0 }] },
    // All deliver the message of 3 first. 0 may have delivered that of 1 when it starts.
    { n: 4, start: [{ process: 3 }, { process: 1, at: 20 }, { process: 0, at: 24 }] },
  ],
  reaches: { best: { n: 4 }, worst: { n: 4, start: [{ process: 2 }] } },
  survives: {
    'no duplication': 'a copy is delivered again, but the first message that is delivered stays the same',
  },
  golden: {
    'held-back': {
      about: '2 receives the message of 1 first, and holds it back until it has that of 0.',
      scenario: heldBack,
    },
    impatient: {
      about: 'Nobody waits for acknowledgements: each process delivers its own message first.',
      scenario: heldBack,
      of: 'total-order-broadcast-impatient',
    },
    'unordered-channels': {
      about:
        'An acknowledgement overtakes a message: 1 delivers its own message, although an earlier one is on its way.',
      scenario: { n: 2, channels: 'unordered', latency: 'uniform:1:100', seed: 1 },
    },
  },
});

interface Delivery {
  readonly orders: readonly (readonly Pid[])[]; // by process: the senders of the messages that it delivered
  readonly causes: readonly (readonly [cause: Pid, effect: Pid])[]; // broadcasts of which one happened before the other
}

/** Returns the orders of delivery, and the pairs of broadcasts that the event graph orders. It knows no clock. */
function deliveriesOf(algorithm: AnyAlgorithm, scenario: Scenario): Delivery {
  const orders: Pid[][] = [];
  const observe = (process: Pid, state: unknown) => {
    orders[process] = [...(state as { delivered: Pid[] }).delivered];
  };
  simulate(algorithm, scenario, { observe });
  const { trace } = simulate(algorithm, { ...scenario, events: true });
  const isBefore = happenedBefore(trace);
  const starts = trace.events.flatMap(({ input, process }, at) =>
    input.kind === 'call' ? [{ process, at }] : [],
  );
  const causes = starts.flatMap((a) =>
    starts.flatMap((b) => (isBefore(a.at, b.at) ? [[a.process, b.process] as const] : [])),
  );
  return { orders, causes };
}

const lateStarts = (seed: number): Scenario => ({
  n: 2 + (seed % 5),
  seed,
  latency: ['uniform:1:20', 'fixed:3', 'uniform:0:100'][seed % 3]!,
  start: Array.from({ length: 2 + (seed % 5) }, (_, process) => ({ process, at: (process * 7 * seed) % 40 })),
});

describe('total-order-broadcast', () => {
  test('every process delivers every message, all in the same order, causes before effects', () => {
    let ordered = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const scenario = lateStarts(seed);
      const { orders, causes } = deliveriesOf(totalOrderBroadcast, scenario);
      expect(orders).toEqual(Array(scenario.n).fill(orders[0]));
      expect([...orders[0]!].sort()).toEqual(Array.from({ length: scenario.n! }, (_, i) => i));
      for (const [cause, effect] of causes)
        expect(orders[0]!.indexOf(cause)).toBeLessThan(orders[0]!.indexOf(effect));
      ordered += causes.length;
    }
    expect(ordered).toBeGreaterThan(100);
  });

  test('without acknowledgements the orders differ', () => {
    const { orders } = deliveriesOf(totalOrderBroadcastImpatient, heldBack);
    expect(new Set(orders.filter((order) => order.length > 0).map(String)).size).toBeGreaterThan(1);
  });

  test('a broadcast takes n(n-1) messages, and all know the first one after 2T, even if an earlier one starts later', () => {
    for (let n = 2; n <= 9; n += 1) {
      const run = simulate(totalOrderBroadcast, { n, start: [{ process: n - 1 }], latency: 'fixed:10' });
      expect(run.messages.total).toBe(n * (n - 1));
      expect(run.measures!.electionTime).toMatchObject({ winner: 20, most: 20 });
    }
    const start = [{ process: 1 }, { process: 0, at: 9 }]; // at the same time of their clocks
    const run = simulate(totalOrderBroadcast, { n: 3, start, latency: 'fixed:10' });
    expect(run).toMatchObject({ ok: true, leader: 0, measures: { electionTime: { winner: 20, most: 20 } } });
  });
});

holdsEverywhere(totalOrderBroadcast, [
  [{ n: 2 }, { lemmas: true, bounds: true }, 21],
  [{ n: 3, start: [{ process: 0 }, { process: 2 }] }, { lemmas: true, bounds: true }, 4752],
  [{ n: 3 }, { lemmas: true, bounds: true }, 896_289],
]);
