import {
  electionOf,
  isElection,
  type MemberId,
  type MemberRef,
  type Peer,
  type View,
} from '../../member/index.ts';
import type { MemberReport, PeerClockReport } from '../transport/transport.ts';
import { type ClockSkew, isSignificantSkew, skewOf } from './clock-skew.ts';
import { parseLockReports } from './lock-reports.ts';

/** A member that holds or waits, and since when. */
export interface MemberSince extends MemberRef {
  /** The time by the clock of the member. */
  readonly since: Date;
}

/** A lock, as the members report it. */
export interface LockInspection {
  /** The name of the lock. */
  readonly name: string;
  /** The name of the algorithm of this lock. */
  readonly algorithm: string;
  /** The holder; null if no member reports holding it. */
  readonly holder:
    | (MemberSince & {
        /** The fence of the holder. */
        readonly fence: number;
      })
    | null;
  /** The waiting requests, longest wait first. A member has one for each of its calls. */
  readonly waiters: readonly MemberSince[];
}

/** The clocks of one member, compared with those of another. */
export interface ClockInspection {
  /** Its time of day minus that of the other member, `ageMs` ago, with an error of at most `errorMs`. */
  readonly offsetMs: number;
  /** The largest error of `offsetMs`. */
  readonly errorMs: number;
  /** How much faster its monotonic clock runs, in parts per million, within `rateErrorPpm`. Null: not known yet. */
  readonly ratePpm: number | null;
  /** The largest error of `ratePpm`. Null: not known yet. */
  readonly rateErrorPpm: number | null;
  /** The time since the clocks were compared. */
  readonly ageMs: number;
}

/** The reports of all members of a group. They are not of the same moment. */
export interface Inspection {
  /** The name of the group. */
  readonly group: string;
  /** The epoch of the view. */
  readonly epoch: number;
  /** The members of the view, oldest first. */
  readonly members: readonly (MemberRef & {
    /** True for the member that asks. */
    readonly isMe: boolean;
    /** False if the member did not answer in time: its locks and waiting requests are missing. */
    readonly answered: boolean;
    /** Its clocks, compared with those of `clocksBy`. Null: `clocksBy` does not know them. */
    readonly clock: ClockInspection | null;
  })[];
  /** The member whose clocks the others are compared with. */
  readonly clocksBy: MemberRef | null;
  /** The clock skews that reduce the safety margin of leases, between any two members. */
  readonly skews: readonly ClockSkew[];
  /** The locks that members hold or wait for, by name. */
  readonly locks: readonly LockInspection[];
  /** The elections that have a leader or candidates, by name. */
  readonly elections: readonly {
    /** The name of the election. */
    readonly name: string;
    /** The leader; null if no member reports leading. */
    readonly leader:
      | (MemberSince & {
          /** The fence of the leader's term. */
          readonly term: number;
        })
      | null;
    /** The members that stand for election and do not lead, longest wait first. */
    readonly candidates: readonly MemberSince[];
  }[];
}

export function inspectionOf(
  group: string,
  view: View,
  me: MemberId,
  answers: ReadonlyMap<MemberId, MemberReport>,
): Inspection {
  const { members } = view;
  const clocksIn = ({ id }: Peer) => answers.get(id)?.clocks ?? [];
  const clocksBy = members.find(({ id }) => id === me) ?? members.find((peer) => clocksIn(peer).length > 0);
  const locks = new Map<
    string,
    { algorithm: string; holder: LockInspection['holder']; waiters: MemberSince[] }
  >();
  for (const peer of members)
    for (const { name, algorithm, held, waiting } of parseLockReports(answers.get(peer.id)?.report)) {
      const lock = locks.get(name) ?? { algorithm, holder: null, waiters: [] };
      locks.set(name, lock);
      // Reports are not of one moment: if two members report holding the lock, the higher fence is newer.
      if (held !== null && held.fence > (lock.holder?.fence ?? -1))
        lock.holder = { ...memberRef(peer), since: new Date(held.since), fence: held.fence };
      for (const since of waiting) lock.waiters.push({ ...memberRef(peer), since: new Date(since) });
    }
  const all = [...locks].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, { waiters }] of all) waiters.sort((a, b) => a.since.getTime() - b.since.getTime());
  return {
    group,
    epoch: view.epoch,
    members: members.map((peer) => ({
      ...memberRef(peer),
      isMe: peer.id === me,
      answered: answers.has(peer.id),
      clock: clockIn(clocksBy ? clocksIn(clocksBy) : [], peer.id),
    })),
    clocksBy: clocksBy ? memberRef(clocksBy) : null,
    skews: worstOfEachPair(
      members.flatMap((peer) => skewsIn(peer, clocksIn(peer), members)).filter(isSignificantSkew),
    ),
    locks: all.flatMap(([name, lock]) => (isElection(name) ? [] : [{ name, ...lock }])),
    elections: all.flatMap(([name, { holder, waiters }]) =>
      isElection(name)
        ? [{ name: electionOf(name), leader: holder && leaderOf(holder), candidates: waiters }]
        : [],
    ),
  };
}

const memberRef = ({ id, label }: MemberRef): MemberRef => ({ id, label });

function clockIn(clocks: readonly PeerClockReport[], id: MemberId): ClockInspection | null {
  const clock = clocks.find((one) => one.id === id);
  if (clock === undefined) return null;
  const { offset, error, rate, age } = clock;
  return {
    offsetMs: offset,
    errorMs: error,
    ratePpm: rate && ((rate.low + rate.high) / 2) * 1e6,
    rateErrorPpm: rate && ((rate.high - rate.low) / 2) * 1e6,
    ageMs: age,
  };
}

/** Returns the skews between one member and its peers, from its clock reports. */
const skewsIn = (by: MemberRef, clocks: readonly PeerClockReport[], members: readonly Peer[]): ClockSkew[] =>
  clocks.flatMap(({ id, rate }) => {
    const peer = members.find((one) => one.id === id);
    const skew = peer && rate && skewOf(memberRef(by), memberRef(peer), rate);
    return skew ? [skew] : [];
  });

/** Returns the skews between a member and its peers; none while it is not in the view. */
export function skewsSeenBy(
  id: MemberId,
  members: readonly Peer[],
  clocks: readonly PeerClockReport[],
): ClockSkew[] {
  const me = members.find((peer) => peer.id === id);
  return me === undefined ? [] : skewsIn(me, clocks, members);
}

/** Keeps the larger skew if both members of a pair report one. */
function worstOfEachPair(skews: readonly ClockSkew[]): ClockSkew[] {
  const pairs = new Map<string, ClockSkew>();
  for (const skew of [...skews].sort((a, b) => b.eaten - a.eaten)) {
    const pair = [skew.slower.id, skew.faster.id].sort().join();
    if (!pairs.has(pair)) pairs.set(pair, skew);
  }
  return [...pairs.values()];
}

const leaderOf = ({ fence, ...holder }: MemberSince & { fence: number }) => ({ ...holder, term: fence });
