// D. Ongaro, J. Ousterhout: In Search of an Understandable Consensus Algorithm. USENIX ATC 2014, 305-319: the election of Raft, sections 5.1 and
// 5.2 and what they need of Figure 2. There is no log, so the log of every candidate is up to date, and AppendEntries needs no reply: a leader of an
// earlier term hears from the later one. A crash is for good here: Raft keeps currentTerm and votedFor on stable storage.

import type { Address, Algorithm, Process } from '../../core/algorithm.ts';
import { atLeast, nobodyCrashes } from '../../core/bounds.ts';

type Knows = ['me', 'n', 'neighbours', 'maxDelay'];

const init = () => ({
  currentTerm: 0,
  votedFor: null as Address | null, // in currentTerm
  state: 'follower' as 'follower' | 'candidate' | 'leader',
  leaderId: null as Address | null, // in currentTerm
  votes: [] as Address[], // for this candidate, in ascending order
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'RequestVote' | 'AppendEntries'; term: number }
  | { type: 'RequestVoteResponse'; term: number; voteGranted: boolean }
  | { type: 'electionTimeout' | 'heartbeat' };
type P = Process<'election', Message, Knows>;
// Time-outs are an order of magnitude longer than a delay (section 5.6). Two that differ, differ by a delay, so the second candidate hears of the first.
const rearm = (p: P) => p.after((10 + p.choose(Math.max(10, p.n))) * p.maxDelay, { type: 'electionTimeout' });

function enterTerm(s: State, p: P, term: number, state: State['state']) {
  Object.assign(s, { ...init(), currentTerm: term, state });
  p.emit({ type: 'electing', round: term });
}

function hear(s: State, p: P, term: number) {
  if (term <= s.currentTerm) return; // Rules for all servers: a process that hears of a later term is a follower in it
  if (s.state === 'leader') p.cancel('heartbeat');
  if (s.state === 'leader') rearm(p);
  enterTerm(s, p, term, 'follower');
}

function startElection(s: State, p: P) {
  enterTerm(s, p, s.currentTerm + 1, 'candidate'); // Rules for candidates
  s.votedFor = p.me;
  rearm(p);
  for (const j of p.neighbours) p.send(j, { type: 'RequestVote', term: s.currentTerm });
  count(s, p, p.me);
}

function count(s: State, p: P, j: Address) {
  s.votes = [...new Set([...s.votes, j])].sort((a, b) => a - b);
  if (s.votes.length <= p.n / 2) return; // a majority makes it the leader
  p.cancel('electionTimeout');
  follow(s, p, 'leader', p.me);
  raftElection.on.heartbeat(s, p, { type: 'heartbeat' }, p.me);
}

function follow(s: State, p: P, state: 'leader' | 'follower', leader: Address) {
  if (s.leaderId === null) p.emit({ type: 'elected', leader, round: s.currentTerm });
  Object.assign(s, { state, leaderId: leader, votes: [] });
}

const vote = ['RequestVote', 'RequestVoteResponse'] as const;
const supports = (v: State, { currentTerm: term }: State, i: Address) =>
  v.currentTerm > term || (v.currentTerm === term && v.votedFor === i);

/** Ongaro and Ousterhout (2014): a candidate leads a term if a majority votes for it. Time-outs are random, so that votes are rarely split. */
export const raftElection: Algorithm<'election', State, Message, Knows> = {
  name: 'raft-election',
  problem: 'election',
  paper: 'USENIX ATC 2014',
  assumes: {
    topology: 'complete',
    channels: 'unordered',
    failures: 'crash',
    timing: 'bounded',
    quorum: 'majority',
  },
  knows: ['me', 'n', 'neighbours', 'maxDelay'],
  addresses: { values: ['votedFor', 'leaderId', 'votes'] },
  timers: ['electionTimeout', 'heartbeat'],
  perpetual: true,
  rounds: { field: 'currentTerm', inMessages: 'term', matters: () => true },
  bounds: [
    atLeast(vote, '2(n-1)', 'by the rules: one candidate', ({ n }) => 2 * (n - 1), nobodyCrashes),
    atLeast(['AppendEntries'], 'n-1', 'by the rules: one heartbeat', ({ n }) => n - 1, nobodyCrashes),
  ],
  init,
  begin: (_s, p) => rearm(p),
  calls: { start: (s, p) => s.state !== 'leader' && startElection(s, p) }, // as if it timed out now

  on: {
    RequestVote(s, p, { term }, j) {
      hear(s, p, term);
      const voteGranted = term === s.currentTerm && (s.votedFor ?? j) === j;
      if (voteGranted) s.votedFor = j;
      if (voteGranted) rearm(p);
      p.send(j, { type: 'RequestVoteResponse', term: s.currentTerm, voteGranted });
    },
    RequestVoteResponse(s, p, { term, voteGranted }, j) {
      hear(s, p, term);
      if (s.state === 'candidate' && term === s.currentTerm && voteGranted) count(s, p, j);
    },
    AppendEntries(s, p, { term }, j) {
      hear(s, p, term);
      if (term < s.currentTerm) return;
      follow(s, p, 'follower', j); // also a candidate
      rearm(p);
    },
    electionTimeout: (s, p) => startElection(s, p),
    heartbeat(s, p) {
      for (const j of p.neighbours) p.send(j, { type: 'AppendEntries', term: s.currentTerm });
      p.after(3 * p.maxDelay, { type: 'heartbeat' });
    },
  },

  invariants: {
    'a majority voted for the leader, or is in a later term': ({ states }) =>
      states.every(
        (s, i) => s.state !== 'leader' || 2 * states.filter((v) => supports(v, s, i)).length > states.length,
      ),
  },
};
