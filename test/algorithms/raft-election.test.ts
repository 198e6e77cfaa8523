import { describe, expect, test } from 'vitest';
import { raftElection } from '../../src/algorithms/election/raft-election.ts';
import { check } from '../../src/check/index.ts';
import { Random } from '../../src/core/random.ts';
import { type Fault, scenarioKeepsAssumptions, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToPerpetualElection } from '../conformance/election.ts';
import { long } from '../tiers.ts';

const crash = (process: number, at = 0): Fault => ({ type: 'crash', process, at });

conformsToPerpetualElection(raftElection, {
  hash: 'e7fed1e0c28b0836',
  scenarios: [{ limit: 1_000_000 }],
  survives: {
    reliability:
      'a lost vote costs an election, and a time-out begins the next; three lost heartbeats in a row do the same',
    'no duplication': 'a vote that comes twice counts once',
    'bounded delay': 'a late heartbeat costs an election, never a second leader in a term',
  },
  reaches: {
    best: 'heartbeats go on until the run ends',
    worst: 'there is no upper bound: votes can be split again and again, and heartbeats never cease',
  },
  golden: {
    uncontested: {
      about: 'Process 1 starts at once, as if it had timed out: 2 + 2 messages, and the first heartbeats.',
      scenario: { n: 3, latency: 'fixed:1', start: [{ process: 1 }] },
    },
    'split-vote': {
      about:
        'All start at once, and nobody gets a majority in term 1. The first that times out leads term 2.',
      scenario: { n: 3, latency: 'fixed:1', start: 'all' },
    },
    'restart-without-storage': {
      about:
        'Process 1 votes for 0, crashes, and restarts without its vote. It votes for 2 in the same term, and two lead it.',
      scenario: {
        n: 3,
        seed: 8,
        start: [{ process: 0 }, { process: 2, at: 3 }],
        faults: [crash(1, 8), { type: 'restart', process: 1, at: 9 }],
      },
    },
  },
});

describe('raft-election', () => {
  test('an election with one candidate takes 2(n-1) messages, and the first heartbeat tells all', () => {
    for (const n of [2, 3, 5, 8]) {
      for (let seed = 0; seed < 100; seed += 1) {
        const run = simulate(raftElection, { n, seed, start: [{ process: 0 }] });
        expect(run).toMatchObject({ ok: true, leader: 0, times: 1 });
        expect(run.messages.byType).toMatchObject({ RequestVote: n - 1, RequestVoteResponse: n - 1 });
      }
    }
  });

  test('after crashes of a minority one process leads, and it stays', () => {
    const random = new Random(1, 'raft');
    for (let seed = 0; seed < 500; seed += 1) {
      const n = 3 + random.below(5);
      const crashes = 1 + random.below(Math.floor((n - 1) / 2));
      const faults = Array.from({ length: crashes }, (_, k) => crash(k, random.below(600)));
      const clocks = Array.from({ length: n }, () => 1 + random.below(4));
      const run = simulate(raftElection, { n, faults, clocks, seed });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.leader).toBeGreaterThanOrEqual(crashes);
    }
  });

  test('without a majority nobody is elected', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const faults = [crash(0), crash(1)];
      const run = simulate(raftElection, { n: 4, faults, seed });
      expect(run.leaders).toEqual([null, null, null, null]);
      expect(run.violations[0]!.why).toBe('in the end processes 2, 3 follow nobody');
      expect(scenarioKeepsAssumptions(raftElection, { n: 4, faults })).toBe(false);
    }
    expect(scenarioKeepsAssumptions(raftElection, { n: 5, faults: [crash(0), crash(1)] })).toBe(true);
  });

  test('in a partition only the side with a majority has a leader of a new term', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const start = [{ process: 0 }];
      const partition: Fault = { type: 'partition', side: [0, 1], at: 100, until: Infinity };
      const { leaders } = simulate(raftElection, { n: 5, seed, start, faults: [partition] });
      expect(leaders.slice(0, 2)).toEqual([0, 0]); // the old leader does not know
      expect(new Set(leaders.slice(2)).size).toBe(1);
      expect(leaders[2]).toBeGreaterThanOrEqual(2);
      const healed = simulate(raftElection, { n: 5, seed, start, faults: [{ ...partition, until: 900 }] });
      expect(healed.violations).toEqual([]);
    }
  });

  test('a minority that loses its leader elects nobody', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const faults: Fault[] = [{ type: 'partition', side: [3, 4], at: 0, until: Infinity }];
      const { leaders } = simulate(raftElection, { n: 5, seed, faults });
      expect(leaders.slice(3)).toEqual([null, null]);
      expect(leaders[0]).not.toBeNull();
    }
  });

  test('restart without storage: a process votes twice in a term, and two lead it', () => {
    const start = [{ process: 0 }, { process: 2, at: 3 }];
    const faults: Fault[] = [crash(1, 8), { type: 'restart', process: 1, at: 9 }];
    expect(simulate(raftElection, { n: 3, start, faults, seed: 8 }).violations).toEqual([
      {
        property: 'at most one leader',
        why: 'in round 1 process 0 has leader 0, process 2 has leader 2',
      },
    ]);
    expect(scenarioKeepsAssumptions(raftElection, { n: 3, start, faults })).toBe(false);
  });
});

describe('raft-election, every interleaving', () => {
  test('without a majority there is a run without a leader', () => {
    const { violation } = check(raftElection, { n: 2 }, { crashes: 1 });
    expect(violation).toMatchObject({ property: 'eventually one leader, and it stays' });
  });

  long('three processes, delays of 0 or 1 tick', () => {
    expect(check(raftElection, { n: 3 })).toMatchObject({ ok: true, complete: true, states: 6_730_898 });
  });

  long('three processes, delays of 0 or 1 tick, and a crash', () => {
    const report = check(raftElection, { n: 3 }, { crashes: 1 });
    expect(report).toMatchObject({ ok: true, complete: true, states: 7_479_887 });
  });
});

holdsEverywhere(raftElection, [
  [{ n: 1 }, { lemmas: true }, 46],
  [{ n: 2 }, { lemmas: true }, 5702],
  [{ n: 2, latency: 'fixed:1' }, { lemmas: true }, 3244],
  [{ n: 2, start: 'all' }, { lemmas: true }, 368_745],
  [{ n: 3, latency: 'fixed:1' }, { lemmas: true }, 310_416],
  [{ n: 3, latency: 'fixed:1' }, { crashes: 1 }, 413_547],
]);
