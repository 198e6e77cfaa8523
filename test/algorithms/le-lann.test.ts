import { describe, expect, test } from 'vitest';
import { leLann } from '../../src/algorithms/election/le-lann.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

const w1 = { ids: [2, 3], start: [{ process: 0 }] };
const two = { ids: [1, 2], start: [{ process: 0 }] };

conformsToElection(leLann, {
  hash: '9eeff3fc63d15325',
  reaches: { best: { n: 5, start: [{ process: 2 }] }, worst: { n: 5 } },
  scenarios: [{}, { start: [{ process: 0 }] }],
  survives: {
    'no duplication': 'a duplicate adds a number that is already in the list; it only costs messages',
  },
  golden: {
    w1: {
      about:
        'W1. Of the ring 1 2 3 4 the processes 1 and 4 are dead: the ring of the living is 2 3. 2 starts.\nFour messages; both have the list 2, 3 and decide on 3.',
      scenario: w1,
    },
    'er-02': {
      about:
        'ER-02. The printed rule: the number of 2 completes the list of 1, which decides on itself; 2 never decides.',
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
  },
});

everyStartElects(leLann);

describe('le-lann', () => {
  test('W1: four messages, and both decide on 3', () => {
    expect(simulate(leLann, w1)).toMatchObject({ ok: true, leaders: [3, 3], messages: { total: 4 } });
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

  test('larger rings take n^2 messages, whichever processes start', () => {
    for (const n of [17, 100, 300]) {
      expect(simulate(leLann, { n, seed: n }).messages.total).toBe(n * n);
      expect(simulate(leLann, { n, seed: n, start: [{ process: 7 }] }).messages.total).toBe(n * n);
    }
  });
});

holdsForAllIds(leLann, { inFull: { 2: 20, 3: 340, 4: 9060 }, searched: { 5: 104_472 } });
