import { describe, expect, test } from 'vitest';
import { helaryPlouzeauRaynal } from '../../src/algorithms/mutex/helary-plouzeau-raynal.ts';
import { helaryPlouzeauRaynalComplete } from '../../src/algorithms/mutex/helary-plouzeau-raynal-complete.ts';
import { ricartAgrawalaToken } from '../../src/algorithms/mutex/ricart-agrawala-token.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { helaryPlouzeauRaynalCompleteCounters } from '../../src/mutants/helary-plouzeau-raynal-complete.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex, countsExactly } from '../conformance/mutex.ts';

const oldestFirst: Scenario = {
  n: 4,
  start: [
    { process: 0, at: 0 },
    { process: 3, at: 1 },
    { process: 1, at: 5 },
  ],
  hold: 'fixed:10',
  latency: 'fixed:2',
};

// 0 and 1 have entered before; 2 and 3 come later.
const newcomers: Scenario = {
  n: 4,
  start: [
    { process: 0, at: 0 },
    { process: 1, at: 1 },
    { process: 2, at: 6 },
    { process: 3, at: 6 },
  ],
  entries: 3,
  think: 'fixed:0',
  hold: 'fixed:3',
  latency: 'fixed:1',
};

conformsToMutex(helaryPlouzeauRaynalComplete, {
  hash: '78ce2dd7f03567c3',
  golden: {
    'oldest-first': {
      about:
        '3 asked before 1, so 0 gives the token to 3, where the cyclic order of ricart-agrawala-token gives it to 1.',
      scenario: oldestFirst,
    },
    counters: {
      about:
        'Requests are numbered by counters: 2 and 3 come late with small numbers. 2 enters twice while 0 waits with a larger one.',
      scenario: newcomers,
      of: 'helary-plouzeau-raynal-complete-counters',
    },
    'no-tick': {
      about: '0 gives the token away and asks again at the same time of its clock: its request looks served.',
      scenario: {
        n: 2,
        start: [
          { process: 0, at: 3 },
          { process: 1, at: 0 },
        ],
        latency: 'fixed:2',
      },
      of: 'helary-plouzeau-raynal-complete-no-tick',
    },
  },
  reaches: { best: { n: 4, start: [{ process: 0 }], entries: 3 }, worst: { n: 4, start: [{ process: 2 }] } },
  bypass: [{ n: 4, seed: 115 }],
});

// An entry takes either no message or n messages.
countsExactly(helaryPlouzeauRaynalComplete, ({ n, messages: { byType } }) => ({
  request: (n - 1) * byType.token!,
  token: byType.token!,
}));

/** Returns the processes in the order of their entries. */
function entriesOf(algorithm: AnyAlgorithm, scenario: Scenario): number[] {
  const { ok, trace } = simulate(algorithm, { ...scenario, events: true });
  expect(ok).toBe(true);
  return trace.events.flatMap(({ process, outputs }) =>
    outputs.some(({ kind }) => kind === 'emit') ? [process] : [],
  );
}

describe('helary-plouzeau-raynal-complete, section 6', () => {
  test('the oldest request goes first; the cyclic order of ricart-agrawala-token serves the next process', () => {
    expect(entriesOf(helaryPlouzeauRaynalComplete, oldestFirst)).toEqual([0, 3, 1]);
    expect(entriesOf(ricartAgrawalaToken, oldestFirst)).toEqual([0, 1, 3]);
  });

  test('on a complete network the general text sends as many messages and serves in the same order', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const scenario = { n: 2 + (seed % 5), entries: 3, topology: 'complete', latency: 'fixed:3', seed };
      const [simple, general] = [helaryPlouzeauRaynalComplete, helaryPlouzeauRaynal].map((algorithm) => ({
        entries: entriesOf(algorithm, scenario),
        messages: simulate(algorithm, scenario).messages.byType,
      }));
      expect(simple).toEqual(general);
    }
  });

  test('with counters instead of clocks, a newcomer enters twice while a process waits that has entered before', () => {
    const counters = simulate(helaryPlouzeauRaynalCompleteCounters, newcomers);
    expect(counters.violations).toMatchObject([{ property: 'the bypass bound' }]);
    expect(simulate(helaryPlouzeauRaynalComplete, newcomers)).toMatchObject({
      ok: true,
      bypassAtMost: { heard: 3 },
    });
  });
});

holdsEverywhere(helaryPlouzeauRaynalComplete, [
  [{ n: 3 }, { lemmas: true }, 3241],
  [{ n: 3 }, { bounds: true, bypass: true }, 4617],
  [{ n: 2, entries: 3 }, { lemmas: true, bounds: true, bypass: true }, 261],
  [{ n: 3, entries: 2 }, { lemmas: true }, 3_347_169],
]);
