import { describe, expect, test } from 'vitest';
import { omega } from '../../src/algorithms/election/omega.ts';
import { Random } from '../../src/core/random.ts';
import type { Fault } from '../../src/sim/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToPerpetualElection } from '../conformance/election.ts';

const crash = (process: number, at = 0): Fault => ({ type: 'crash', process, at });

conformsToPerpetualElection(omega, {
  hash: '33073d29e44b8d5c',
  scenarios: [{ limit: 1_000_000 }],
  survives: {
    reliability: 'a lost heartbeat looks like a late one: the time-out doubles',
    'no duplication': 'a second heartbeat says what the first one did',
    'bounded delay':
      'a time-out doubles until longer delays are too rare to be seen in the time that a run lasts',
  },
  reaches: {
    best: 'heartbeats go on until the run ends',
    worst: 'there is no upper bound: heartbeats never cease',
  },
  golden: {
    'first-crashes': {
      about:
        'Process 0 crashes. Process 1 suspects it and leads; 2 trusts 1 by the time that its heartbeat comes.',
      scenario: { n: 3, latency: 'fixed:1', faults: [crash(0, 25)] },
    },
    'too-short': {
      about:
        'The first heartbeat takes longer than the first time-out. Process 1 leads, too, until it comes.',
      scenario: { n: 2, latency: 'fixed:15' },
    },
  },
});

describe('omega', () => {
  test('in the end only the leader sends, to all processes after it', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const senders = new Set<number>();
      const run = simulate(omega, { n: 5, seed, events: true, faults: [crash(0, 200)] });
      expect(run).toMatchObject({ ok: true, leader: 1 });
      for (const { time, process, outputs } of run.trace.events)
        if (time > run.stableSince! && outputs.some(({ kind }) => kind === 'send')) senders.add(process);
      expect([...senders]).toEqual([1]);
    }
  });

  test('it settles though no process knows how long a message takes', () => {
    for (const latency of ['fixed:1', 'uniform:1:100', 'uniform:1:1000', 'fixed:1000']) {
      const run = simulate(omega, { n: 4, latency });
      expect(run, latency).toMatchObject({ ok: true, leader: 0 });
    }
  });

  test('crashes, restarts and pauses: the first living process leads', () => {
    const random = new Random(1, 'omega');
    for (let seed = 0; seed < 500; seed += 1) {
      const n = 2 + random.below(5);
      const [first, second, third] = [random.below(n), random.below(n), random.below(n)];
      const faults: Fault[] = [
        crash(first, random.below(200)),
        { type: 'restart', process: first, at: 200 + random.below(200) },
        { type: 'pause', process: second, at: random.below(200), until: 200 + random.below(300) },
        crash(third, 500 + random.below(200)),
      ];
      const run = simulate(omega, { n, faults, seed });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.leader).toBe(third === 0 ? 1 : 0);
    }
  });

  test('in a partition each side has a leader, and one is left when it heals', () => {
    const partition: Fault = { type: 'partition', side: [3, 4], at: 100, until: 600 };
    const during = simulate(omega, { n: 5, faults: [{ ...partition, until: Infinity }] });
    expect(during.leaders).toEqual([0, 0, 0, 3, 3]);
    expect(during.violations).toEqual([
      {
        property: 'eventually one leader, and it stays',
        why: 'in the end processes 0, 1, 2 follow 0; processes 3, 4 follow 3',
      },
    ]);
    expect(simulate(omega, { n: 5, faults: [partition] })).toMatchObject({ ok: true, leader: 0 });
  });

  test('clocks may tick at different rates', () => {
    for (let seed = 0; seed < 200; seed += 1)
      expect(simulate(omega, { n: 4, clocks: [9, 1, 3, 1 + (seed % 7)], seed }).violations).toEqual([]);
  });
});

holdsEverywhere(omega, [
  [{ n: 1 }, {}, 11],
  [{ n: 2 }, {}, 55],
  [{ n: 2 }, { crashes: 1 }, 132],
  [{ n: 2, latency: 'uniform:0:20' }, { crashes: 1 }, 3445],
  [{ n: 2, clocks: [2, 3] }, { crashes: 1 }, 290],
  [{ n: 3 }, {}, 358],
  [{ n: 3 }, { crashes: 2 }, 1461],
  [{ n: 3 }, { losses: 1 }, 1884],
  [{ n: 4 }, { crashes: 2 }, 18_395],
  [{ n: 5 }, { crashes: 1 }, 177_686],
]);
