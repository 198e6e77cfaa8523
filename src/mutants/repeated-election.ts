import { changRoberts } from '../algorithms/election/chang-roberts.ts';
import { repeatedElection } from '../compositions/index.ts';
import type { Mutant } from './mutant.ts';

const rounds = repeatedElection(changRoberts);

export const changRobertsRoundsLeaderOnly: Mutant = {
  ...rounds,
  name: 'chang-roberts+rounds-leader-only',
  of: rounds.name,
  lie: 'a new round starts only if the leader has crashed: a crash during an election is ignored, and its messages are lost',
  failingRun: { n: '4', crash: '1@5', start: '0', latency: 'fixed:10' },
  on: {
    ...rounds.on,
    crashed(s, p, m, j) {
      if (s.leader !== null) rounds.on.crashed!(s, p, m, j);
      else s.crashed.push(j);
    },
  },
};

export const changRobertsRoundsOpenRing: Mutant = {
  ...rounds,
  name: 'chang-roberts+rounds-open-ring',
  of: rounds.name,
  lie: 'the next round has all processes as members again: the ring does not close over the one that crashed',
  failingRun: { n: '4', crash: '3@100' },
  on: {
    ...rounds.on,
    crashed(s, p, _m, j) {
      if (s.election === null || (s.leader !== null && s.leader !== j)) return;
      s.election = null;
      rounds.calls.start!(s, p);
    },
  },
};

export const changRobertsRoundsMixed: Mutant = {
  ...rounds,
  name: 'chang-roberts+rounds-mixed',
  of: rounds.name,
  lie: 'a message of an older round is taken for one of the current round: a process that has crashed is elected',
  failingRun: { n: '3', crash: '2@15', seed: '152' },
  on: {
    ...rounds.on,
    election: (s, p, m, j) => rounds.on.election!(s, p, { ...m, among: newest(s, m) }, j),
    leader: (s, p, m, j) => rounds.on.leader!(s, p, { ...m, among: newest(s, m) }, j),
  },
};

/** The members of our round, or of the message's if those are fewer. */
const newest = (s: { members: readonly number[] }, m: { among: readonly number[] }) =>
  s.members.length < m.among.length ? s.members : m.among;
