import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changRoberts } from '../../src/algorithms/election/chang-roberts.ts';
import { check } from '../../src/check/index.ts';
import type { Bound, Circumstances } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { mutants } from '../../src/mutants/index.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsForAllIds } from '../conformance/checked.ts';
import { rings } from '../conformance/conformance.ts';
import { conformsToElection } from '../conformance/election.ts';
import { bitReversal, everyStartElects } from '../conformance/rings.ts';
import { thorough } from '../tiers.ts';

// ER-35, on the ring 1 -> 2: a participant starts; 1 starts before it learns that 2 has won; 1's id arrives last.
const again: Scenario = { ids: [1, 2], latency: 'fixed:2', start: [{ process: 0 }, { process: 1, at: 3 }] };
const early: Scenario = { ...again, start: [{ process: 1 }, { process: 0, at: 5 }] };
const late: Scenario = { ids: [1, 2], channels: 'unordered', latency: 'exponential:20', seed: 7 };
// 2 starts, 3 starts when it has won, and 1 when it has learned that.
const overlapping: Scenario = {
  ids: [1, 2, 3],
  latency: 'fixed:2',
  start: [{ process: 1 }, { process: 2, at: 9 }, { process: 0, at: 11 }],
};
const onceMore: Scenario = { ids: [1, 2, 3], start: [{ process: 0 }, { process: 1, at: 100 }] };

conformsToElection(changRoberts, {
  hash: '6190921658aaf7a8',
  reaches: { best: { ids: [1, 2, 3, 4, 5] }, worst: { ids: [5, 4, 3, 2, 1] } },
  survives: {
    channels:
      'an id that is overtaken begins an election that nobody needs, and the same process wins; see ER-35',
    'no duplication': 'the largest id may return twice and be announced twice, with the same result',
  },
  foundOut: {
    'chang-roberts-no-guard': (one) => !simulate(one, again).ok,
    'chang-roberts-clears-twice': (one) => !simulate(one, overlapping).ok,
  },
  golden: {
    'ids-2-3-1': {
      about: 'Sending order 2 3 1. Id 1 is swallowed by 2; id 3 goes round.',
      scenario: { ids: [2, 3, 1], start: [{ process: 0 }, { process: 2 }], seed: 7 },
    },
    'w5-worst': {
      about: 'W5. Ids decrease along the sending direction, all start: n(n+1)/2 = 10 election messages.',
      scenario: { ids: [4, 3, 2, 1] },
    },
    'w5-best': {
      about: 'W5. Ids increase along the sending direction, all start: 2n-1 = 7 election messages.',
      scenario: { ids: [1, 2, 3, 4] },
    },
    'w5-two': {
      about: 'W5. Two processes, only 1 starts: E(1), E(2), E(2), L(2), L(2).',
      scenario: { ids: [1, 2], start: [{ process: 0 }] },
    },
    'er-03': {
      about: 'ER-03. The printed rule: only 1 starts, 2 swallows its id, nobody wins.',
      scenario: { ids: [1, 2], start: [{ process: 0 }] },
      of: 'chang-roberts-lost-negation',
    },
    'er-34': {
      about:
        'ER-34. The successor of the largest starts alone: 2n-1 = 7 election messages, where 2(n-1) is printed.',
      scenario: { ids: [4, 1, 2, 3], start: [{ process: 1 }], latency: 'fixed:1' },
    },
    'er-35-no-guard': {
      about: 'ER-35. 2 takes part already when it starts: its id goes round twice, and it is elected twice.',
      scenario: again,
      of: 'chang-roberts-no-guard',
    },
    'er-35-early': {
      about:
        'ER-35. 2 wins and clears its mark; 1, which takes part, starts before it hears of that, and 2 begins again.',
      scenario: early,
      of: 'chang-roberts-no-guard',
    },
    'er-35-no-fifo': {
      about:
        'ER-35. Without FIFO channels the id of 1 is overtaken; when it comes, 2 has won and cleared its mark, and begins again.',
      scenario: late,
    },
    'clears-twice': {
      about:
        'The announcement of 3 comes back when 3 has started again, and clears its new mark: 3 answers the id of 2, and is elected once too often.',
      scenario: overlapping,
      of: 'chang-roberts-clears-twice',
    },
    'second-election': {
      about: 'Slides, 5a to 5c: the announcement clears the marks, and 2 holds a second election.',
      scenario: onceMore,
    },
  },
});

everyStartElects(changRoberts);

const elections = (ids: readonly number[], start?: number[]) => {
  const run = simulate(changRoberts, start ? { ids, start: start.map((process) => ({ process })) } : { ids });
  expect(run.ok).toBe(true);
  return run.messages.byType.election!;
};
const bound = (which: Bound['case'], n: number, all = true): number => {
  const circumstances = { n, initiators: all ? n : 1, together: true } as Circumstances;
  const found = changRoberts.bounds.filter((b) => b.case === which && (b.when?.holds(circumstances) ?? true));
  return Math.max(...found.filter((b) => b.counts.includes('election')).map((b) => b.value(circumstances)));
};

describe('chang-roberts, all arrangements, all processes start', () => {
  const means = [1, 3, 5.5, 8.3333, 11.4167, 14.7, 18.15, 21.7429];
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'n = %i: minimum, maximum and mean are exactly 2n-1, n(n+1)/2, n H_n',
    (n) => {
      const counts = [...rings(n)].map((ids) => elections(ids));
      expect(Math.min(...counts)).toBe(bound('best', n));
      expect(Math.max(...counts)).toBe(bound('worst', n));
      expect([bound('best', n), bound('worst', n)]).toEqual([2 * n - 1, (n * (n + 1)) / 2]);
      // The mean is sum / (n-1)!; n H_n = (sum of n!/k over k) / (n-1)!: equal numerators, in whole numbers.
      const factorial = counts.length * n;
      const sum = counts.reduce((a, b) => a + b, 0);
      expect(sum).toBe(Array.from({ length: n }, (_, k) => factorial / (k + 1)).reduce((a, b) => a + b, 0));
      expect(bound('mean', n)).toBeCloseTo(sum / counts.length, 10);
      expect(bound('mean', n)).toBeCloseTo(means[n - 1]!, 3);
    },
  );

  test('E_i = n / (n-i+1): the mean number of passes of id i', () => {
    const n = 6;
    const passes = new Map<number, number>();
    for (const ids of rings(n)) {
      simulate(
        changRoberts,
        { ids },
        {
          trace: (line) => {
            for (const [, id] of line.matchAll(/to \d election\(id=(\d)\)/g))
              passes.set(Number(id), (passes.get(Number(id)) ?? 0) + 1);
          },
        },
      );
    }
    expect(passes.size).toBe(n);
    for (const [id, count] of passes) expect(count / 120).toBeCloseTo(n / (n - id + 1), 10);
  });
});

describe('chang-roberts, one process starts', () => {
  test('the largest: n messages', () => {
    for (const ids of rings(6)) expect(elections(ids, [0])).toBe(bound('best', 6, false));
    expect(bound('best', 6, false)).toBe(6);
  });

  test('any other: n messages, and one more for each hop to the largest', () => {
    for (const ids of [...rings(6), bitReversal(6)]) {
      const n = ids.length;
      const largest = ids.indexOf(n);
      for (let first = 0; first < n; first += 1)
        expect(elections(ids, [first])).toBe(n + ((largest - first + n) % n));
    }
  });

  test('ER-34: the successor of the largest costs 2n-1 messages, not 2(n-1)', () => {
    for (let n = 2; n <= 7; n += 1) {
      const ids = Array.from({ length: n }, (_, i) => (i === 0 ? n : i));
      expect(elections(ids, [1])).toBe(2 * n - 1);
    }
  });
});

describe('ER-35: an election that nobody needs', () => {
  const noGuard = mutants.find(({ name }) => name === 'chang-roberts-no-guard')!;

  test('a participant that starts has the same leader elected again: the announcement goes round twice', () => {
    for (const scenario of [again, early]) {
      const run = simulate(noGuard, scenario);
      expect(run.violations.map(({ property }) => property)).toEqual(['the message bound']);
      expect(run).toMatchObject({ leader: 2, times: 1, messages: { byType: { leader: 4 } } });
    }
  });

  test('the guard and FIFO channels prevent it', () => {
    for (const scenario of [again, early, { ...late, channels: 'fifo' as const }])
      expect(simulate(changRoberts, scenario)).toMatchObject({ ok: true, times: 1, withinBounds: true });
  });

  test('without FIFO channels the bound and the lemma are lost, but not the leader', () => {
    expect(simulate(changRoberts, late)).toMatchObject({
      ok: true,
      leader: 2,
      times: 1,
      withinBounds: false,
      messages: { byType: { leader: 4 } },
    });
    const { violation } = check(changRoberts, { ids: [1, 2], channels: 'unordered' }, { lemmas: true });
    expect(violation?.property).toBe('the sender of an id on its way takes part');
    for (const ids of rings(4))
      expect(check(changRoberts, { ids, channels: 'unordered' }, { lemmas: false })).toMatchObject({
        ok: true,
        complete: true,
      });
  });
});

describe('elections that happen again', () => {
  test('a process that knows the leader starts the next one, and bounds are counted per election', () => {
    const run = simulate(changRoberts, onceMore, { invariants: true });
    expect(run).toMatchObject({
      ok: true,
      leader: 3,
      times: 2,
      messages: { byType: { election: 9, leader: 6 } },
    });
    expect(run.bounds).toEqual({ atLeast: 12, atMost: 18 });
    expect(simulate(changRoberts, overlapping)).toMatchObject({ ok: true, times: 2 });
  });

  test('a start of a participant belongs to the election that it takes part in', () => {
    expect(
      simulate(changRoberts, { ...onceMore, start: [{ process: 0 }, { process: 1, at: 1 }] }).times,
    ).toBe(1);
  });

  test('they may overlap: n starts at any time, with lemmas and bounds', () => {
    const counts = new Map<number, number>();
    for (let seed = 0; seed < 3000; seed += 1) {
      const n = 2 + (seed % 6);
      const random = new Random(seed, 'starts');
      const start = Array.from({ length: n }, (_, process) => ({ process, at: random.below(80 * n) }));
      const run = simulate(changRoberts, { n, start, seed, latency: 'uniform:1:20' }, { invariants: true });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      counts.set(run.times, (counts.get(run.times) ?? 0) + 1);
    }
    expect(Math.max(...counts.keys())).toBeGreaterThanOrEqual(3);
  });
});

test('every ring elects its largest id, within the bound', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(ids, fc.nat(), (ids, seed) => {
      const run = simulate(changRoberts, { ids, seed });
      return run.leaders.every((leader) => leader === Math.max(...ids)) && run.withinBounds;
    }),
  );
});

thorough('a million processes are an ordinary run', () => {
  const run = simulate(changRoberts, { n: 1_000_000, seed: 1 });
  expect(run).toMatchObject({ ok: true, leader: 1_000_000, withinBounds: true });
});

holdsForAllIds(changRoberts, { inFull: { 2: 38, 3: 793, 4: 27_398 }, searched: { 5: 58_294 } });
