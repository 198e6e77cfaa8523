import { describe, expect, test } from 'vitest';
import { listCarryingRing } from '../../src/algorithms/election/list-carrying-ring.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';
import { everyStartElects } from '../conformance/rings.ts';

const living = { ids: [4, 6, 1, 2, 5], start: [{ process: 0 }] };
// The slides, steps 0 to 11: process 6 fails, and process 3 notices.
const slides: Scenario = {
  ids: [3, 5, 0, 1, 4, 6],
  latency: 'fixed:1',
  faults: [{ type: 'crash', process: 5, at: 0 }],
  start: [{ process: 0 }],
};

conformsToElection(listCarryingRing, {
  hash: '98bace4258423d92',
  reaches: { best: living, worst: { n: 5 } },
  survives: { 'no duplication': 'a list that returns twice is announced twice, with the same result' },
  golden: {
    slides: {
      about: [
        'Lecture slides, Token Ring Election Algorithm.',
        'Steps 0 and 1: six processes in a ring; 6 leads, and fails. Step 2: 3 notices, and sends a list with its id.',
        'Steps 3 to 6: 5, 0, 1 and 4 add their ids. Step 7: the list is back at 3, which sends "5 is the leader".',
        'Steps 8 to 10: 5, 0 and 1 pass it on; so does 4, for which no step is printed. Step 11: 3 receives it, and stops it.',
      ].join('\n'),
      scenario: slides,
    },
    'stops-at-leader': {
      about: 'The announcement ends at the process it names: those behind it never hear.',
      scenario: living,
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
  test('the slides, steps 2 to 11: five lists, one number longer each time, and five announcements that end where they began', () => {
    const lists: string[] = [];
    const trace = (line: string) => {
      for (const [, list] of line.matchAll(/to \d election\(list=\[([\d,]+)\]/g)) lists.push(list!);
    };
    const run = simulate(listCarryingRing, slides, { trace, invariants: true });
    expect(lists).toEqual(['3', '3,5', '3,5,0', '3,5,0,1', '3,5,0,1,4']);
    expect(run).toMatchObject({ ok: true, leader: 5, messages: { byType: { election: 5, coordinator: 5 } } });
    expect(run.withinBounds).toBe(true);
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
