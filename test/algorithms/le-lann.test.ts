import { describe, expect, test } from 'vitest';
import { leLann } from '../../src/algorithms/election/le-lann.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

// Example 1 of the slides: P1 and P4 are dead, and P2 starts.
const example1: Scenario = {
  ids: [1, 2, 3, 4],
  latency: 'fixed:1',
  faults: [
    { type: 'crash', process: 0, at: 0 },
    { type: 'crash', process: 3, at: 0 },
  ],
  start: [{ process: 1 }],
};
const two: Scenario = { ids: [1, 2], start: [{ process: 0 }] };
// 1 takes part and starts; 1 has chosen, starts again, and the announcement of 2 is still on its way.
const takingPart: Scenario = {
  ids: [1, 2],
  latency: 'fixed:2',
  start: [{ process: 1 }, { process: 0, at: 3 }],
};
const overlapping: Scenario = { ids: [1, 2], start: [{ process: 1 }, { process: 0, at: 8 }], seed: 7 };

conformsToElection(leLann, {
  hash: '6675a3713f81c76f',
  reaches: { best: { n: 5, start: [{ process: 2 }] }, worst: { n: 5 } },
  scenarios: [{}, { start: [{ process: 0 }] }],
  foundOut: {
    'le-lann-no-guard': (one) => !simulate(one, takingPart).ok,
    'le-lann-announcement-decides': (one) => !simulate(one, overlapping).ok,
  },
  golden: {
    'example-1': {
      about: [
        'Lecture slides, Ring Algorithm, Example 1. Of P1, P2, P3, P4 in a ring P1 and P4 crash, and P2 detects it.',
        'P2 sends Elect(2); its list is [2]. P3 receives it, its list is [2,3], and it sends Elect(3), then Elect(2).',
        'They pass P4 and P1. P2 lists 3, forwards Elect(3), receives Elect(2), chooses P3 and sends Elected(P3).',
        'P3 receives Elect(3), chooses P3 and sends Elected(P3).',
      ].join('\n'),
      scenario: example1,
    },
    'er-02': {
      about:
        'ER-02. The printed rule: the number of 2 completes the list of 1, which decides on itself; its own number then looks like a new election, and 2 decides on 2.',
      scenario: two,
      of: 'le-lann-complete-at-once',
    },
    'unordered-channels': {
      about: 'ER-02. Without FIFO: the number of 1 overtakes that of 2, and 1 decides before it hears of 2.',
      scenario: { ...two, channels: 'unordered', seed: 5 },
    },
    'own-number-last': {
      about:
        'The order of the two messages matters: 2 sends its own number second, and 1 decides without it.',
      scenario: two,
      of: 'le-lann-own-number-last',
    },
    'er-38': {
      about:
        'ER-38. 1 has chosen and starts again; the announcement of 2 is that of the election before, but decides the new one. Its numbers then begin a third, and 1 decides on itself.',
      scenario: overlapping,
      of: 'le-lann-announcement-decides',
    },
    'er-39': {
      about:
        'ER-39. 1 has listed 2, starts again with a new list, and decides on itself when its first number is back.',
      scenario: takingPart,
      of: 'le-lann-no-guard',
    },
    'second-election': {
      about: 'Both know the leader; 2 starts again, and both begin with a new list.',
      scenario: { ids: [1, 2], latency: 'fixed:1', start: [{ process: 0 }, { process: 1, at: 10 }] },
    },
  },
});

everyStartElects(leLann);

describe('le-lann', () => {
  test('Example 1 of the slides: the messages in the printed order', () => {
    const sent: string[] = [];
    const trace = (line: string) => {
      for (const [, to, message] of line.matchAll(/to (\d) (\w+\(\w+=\d\))/g))
        sent.push(`${message} to P${Number(to) + 1}`);
    };
    const run = simulate(leLann, example1, { trace, invariants: true });
    expect(sent).toEqual([
      'elect(j=2) to P3',
      'elect(j=3) to P2',
      'elect(j=2) to P2',
      'elect(j=3) to P3',
      'elected(coordinator=3) to P3',
      'elected(coordinator=3) to P2',
    ]);
    expect(run).toMatchObject({ ok: true, leaders: [null, 3, 3, null], withinBounds: true });
    expect(run.messages.byType).toEqual({ elect: 4, elected: 2 });
  });

  test('ER-38: an announcement arrives when its receiver has chosen, whatever the schedule', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const elected = leLann.on.elected;
      const chosen: boolean[] = [];
      const spy: AnyAlgorithm = {
        ...leLann,
        on: {
          ...leLann.on,
          elected: (s, p, m, from) => {
            chosen.push(s.coordinator === m.coordinator);
            elected(s, p, m, from);
          },
        },
      };
      const run = simulate(spy, { n: 1 + (seed % 7), latency: 'uniform:0:100', seed });
      expect(run.ok && chosen.length === run.n && chosen.every((one) => one)).toBe(true);
    }
  });

  test('elections happen again and may overlap: n starts at any time, with lemmas and bounds', () => {
    const counts = new Set<number>();
    for (let seed = 0; seed < 2000; seed += 1) {
      const n = 2 + (seed % 5);
      const random = new Random(seed, 'starts');
      const start = Array.from({ length: n }, (_, process) => ({ process, at: random.below(60 * n) }));
      const run = simulate(leLann, { n, start, seed, latency: 'uniform:1:20' }, { invariants: true });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.messages.byType).toEqual({ elect: n * n * run.times, elected: n * run.times });
      counts.add(run.times);
    }
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(3);
  });

  test('ER-36: every number goes all the way round; unlike in Chang and Roberts, none is suppressed', () => {
    for (const ids of rings(5)) {
      const passes = new Map<string, number>();
      const trace = (line: string) => {
        for (const [, j] of line.matchAll(/to \d elect\(j=(\d)\)/g))
          passes.set(j!, (passes.get(j!) ?? 0) + 1);
      };
      simulate(leLann, { ids, start: [{ process: 3 }] }, { trace });
      expect(Object.fromEntries(passes)).toEqual({ 1: 5, 2: 5, 3: 5, 4: 5, 5: 5 });
    }
  });

  test('larger rings take n^2 + n messages, whichever processes start', () => {
    for (const n of [17, 100, 300]) {
      expect(simulate(leLann, { n, seed: n }).messages.total).toBe(n * n + n);
      expect(simulate(leLann, { n, seed: n, start: [{ process: 7 }] }).messages.total).toBe(n * n + n);
    }
  });
});

holdsForAllIds(leLann, { inFull: { 2: 57, 3: 2340, 4: 170_610 }, searched: { 4: 17_346, 5: 544_536 } });
