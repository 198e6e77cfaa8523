import { describe, expect, test } from 'vitest';
import { tokenRing } from '../../src/algorithms/mutex/token-ring.ts';
import type { TraceEvent } from '../../src/core/trace.ts';
import { tokenRingAsPrinted } from '../../src/mutants/token-ring.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

const justLeft: Scenario = { n: 3, start: [{ process: 0, at: 1 }], latency: 'fixed:2' };

conformsToMutex(tokenRing, {
  hash: '32089d597a889e82',
  golden: {
    'er-10': {
      about:
        'ER-10. 0 asks just after it has passed the token on: n hops, where n-1 are printed as the most.',
      scenario: justLeft,
      of: 'token-ring-as-printed',
    },
    'two-enter': {
      about: 'The token goes round; 0 and 2 take their turn.',
      scenario: {
        n: 3,
        start: [
          { process: 0, at: 4 },
          { process: 2, at: 0 },
        ],
        latency: 'fixed:2',
      },
    },
  },
  reaches: {
    best: 'the token moves with or without requests',
    worst: 'there is none, for the same reason',
  },
  bypass: [{ n: 4 }],
});

describe('ER-10: from a request to its entry the token makes 1 to n hops', () => {
  test('each of them, if one process asks at any moment', () => {
    const n = 4;
    const seen = new Set<number>();
    for (let at = 0; at < 40; at += 1) {
      const { ok, measures } = simulate(tokenRing, { n, start: [{ process: 2, at }], latency: 'fixed:5' });
      expect(ok).toBe(true);
      expect(measures!.tokenHops!.bounds).toMatchObject([{ atLeast: 1 }, { atMost: n }]);
      seen.add(measures!.tokenHops!.most);
    }
    expect([...seen].sort()).toEqual([1, 2, 3, 4]);
  });

  test('also if the others enter in between', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const n = 1 + (seed % 7);
      const { ok, measures } = simulate(tokenRing, { n, entries: 5, think: 'uniform:0:30', seed });
      expect(ok).toBe(true);
      expect(measures!.tokenHops!.least).toBeGreaterThanOrEqual(1);
      expect(measures!.tokenHops!.most).toBeLessThanOrEqual(n);
    }
  });

  test('the printed n-1 is broken by a process that asks just after it has passed the token on', () => {
    const { violations, measures } = simulate(tokenRingAsPrinted, justLeft);
    expect(measures!.tokenHops).toMatchObject({ least: 3, most: 3 });
    expect(violations).toMatchObject([
      { property: 'the bounds of the measures', why: expect.stringContaining('is 3, but at most 2 = n-1') },
    ]);
  });

  test('of which 0 to n-1 are sent after the request', () => {
    const sentSince = (at: number): number => {
      let [sent, isWaiting] = [0, false];
      const record = ({ input, outputs }: TraceEvent) => {
        if (input?.kind === 'call' && input.name === 'request') isWaiting = true;
        for (const { kind } of outputs) {
          if (kind === 'emit') isWaiting = false;
          else if (isWaiting && kind === 'send') sent += 1;
        }
      };
      simulate(tokenRing, { n: 4, start: [{ process: 2, at }], latency: 'fixed:5' }, { record });
      return sent;
    };
    expect([...new Set(Array.from({ length: 40 }, (_, at) => sentSince(at)))].sort()).toEqual([0, 1, 2, 3]);
  });
});

holdsEverywhere(tokenRing, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 525],
  [{ n: 4 }, {}, 432],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 1041],
]);
