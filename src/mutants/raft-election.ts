import { raftElection } from '../algorithms/election/raft-election.ts';
import type { Mutant } from './mutant.ts';

export const raftElectionVotesTwice: Mutant = {
  ...raftElection,
  name: 'raft-election-votes-twice',
  of: 'raft-election',
  lie: 'a process votes for every candidate of its term, not only for the first',
  failingRun: { n: '3', seed: '1' },
  on: {
    ...raftElection.on,
    RequestVote(s, p, m, j) {
      if (m.term === s.currentTerm && s.state === 'follower') s.votedFor = j;
      raftElection.on.RequestVote(s, p, m, j);
    },
  },
};

export const raftElectionNoMajority: Mutant = {
  ...raftElection,
  name: 'raft-election-no-majority',
  of: 'raft-election',
  lie: 'a candidate leads by its own vote alone',
  failingRun: { n: '3', seed: '1' },
  on: {
    ...raftElection.on,
    electionTimeout: (s, p, m, j) => raftElection.on.electionTimeout(s, alone(p), m, j),
  },
};

export const raftElectionIgnoresLaterTerms: Mutant = {
  ...raftElection,
  name: 'raft-election-ignores-later-terms',
  of: 'raft-election',
  lie: 'a process that is asked for its vote in a later term stays in its own and refuses',
  on: {
    ...raftElection.on,
    RequestVote(s, p, m, j) {
      if (m.term <= s.currentTerm) raftElection.on.RequestVote(s, p, m, j);
      else p.send(j, { type: 'RequestVoteResponse', term: s.currentTerm, voteGranted: false });
    },
  },
};

export const raftElectionFixedTimeouts: Mutant = {
  ...raftElection,
  name: 'raft-election-fixed-timeouts',
  of: 'raft-election',
  lie: 'all election time-outs are the same, so that all become candidates at once and split the votes again and again',
  begin: (s, p) => raftElection.begin!(s, withoutChance(p)),
  on: Object.fromEntries(
    Object.entries(raftElection.on as Mutant['on']).map(([type, handle]) => [
      type,
      (s, p, m, j) => handle(s, withoutChance(p), m, j),
    ]),
  ),
};

type P = Parameters<typeof raftElection.on.electionTimeout>[1];

const changed = (p: P, change: Partial<P>): P => ({
  me: p.me,
  n: p.n,
  neighbours: p.neighbours,
  maxDelay: p.maxDelay,
  send: (to, message) => p.send(to, message),
  emit: (event) => p.emit(event),
  after: (ticks, message) => p.after(ticks, message),
  cancel: (type) => p.cancel(type),
  choose: (options) => p.choose(options),
  ...change,
});

const alone = (p: P): P => changed(p, { n: 1 });

const withoutChance = (p: P): P => changed(p, { choose: () => 0 });
