import { describe, expect, test } from 'vitest';
import { listCarryingRing } from '../../src/algorithms/election/list-carrying-ring.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

const w2 = { ids: [4, 6, 1, 2, 5], start: [{ process: 0 }] };

conformsToElection(listCarryingRing, {
  hash: '98bace4258423d92',
  reaches: { best: w2, worst: { n: 5 } },
  survives: { 'no duplication': 'a list that returns twice is announced twice, with the same result' },
  golden: {
    w2: {
      about:
        'W2. Live order 3 5 0 1 4, and 6, which led, is dead; here each number is one more, because ids begin with 1.\n4 (the 3 of the text) starts: five lists, the largest is 6, five announcements.',
      scenario: w2,
    },
    'stops-at-leader': {
      about: 'The announcement ends at the process it names: those behind it never hear.',
      scenario: w2,
      of: 'list-carrying-ring-stops-at-leader',
    },
    'two-leaders': {
      about: 'Both start and leave each other off their lists: each finds only itself.',
      scenario: { ids: [1, 2] },
      of: 'list-carrying-ring-initiators-pass',
    },
  },
});

everyStartElects(listCarryingRing);

describe('list-carrying-ring', () => {
  test('W2: five lists, one number longer each time, and five announcements that end where they began', () => {
    const lists: string[] = [];
    const trace = (line: string) => {
      for (const [, list] of line.matchAll(/to \d election\(list=\[([\d,]+)\]/g)) lists.push(list!);
    };
    const run = simulate(listCarryingRing, w2, { trace });
    expect(lists).toEqual(['4', '4,6', '4,6,1', '4,6,1,2', '4,6,1,2,5']);
    expect(run).toMatchObject({ leader: 6, messages: { byType: { election: 5, coordinator: 5 } } });
  });

  test('each initiator costs 2n messages, and initiators that do not know of each other agree', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const n = 1 + (seed % 12);
      const start = Array.from({ length: n }, (_, process) => ({
        process,
        at: (seed * process) % 50,
      })).filter(({ process }) => process === 0 || (seed >> process) & 1);
      const run = simulate(listCarryingRing, { n, start, seed, latency: 'exponential:20' });
      expect(run).toMatchObject({ ok: true, leader: n });
      expect(run.messages.total).toBe(2 * n * start.length);
    }
  });

  test('a list of any length has a largest id', () => {
    const list = Array.from({ length: 300_000 }, (_, i) => i);
    const sent: unknown[] = [];
    const process = { id: 0, send: (_: number, message: unknown) => sent.push(message) };
    listCarryingRing.on.election({ leader: null } as never, process as never, { type: 'election', list }, 0);
    expect(sent).toMatchObject([{ type: 'coordinator', number: 299_999 }]);
  });
});

holdsForAllIds(listCarryingRing, { inFull: { 2: 36, 3: 1024, 4: 60_000 }, searched: { 5: 1_843_968 } });
