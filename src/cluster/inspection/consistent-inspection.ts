// A consistent global state of a group, from a snapshot that one of its members takes.
import type { GroupSnapshot, LockSnapshot, MemberRef, View } from '../../member/index.ts';
import { electionOf, isElection } from '../../member/index.ts';

/** Where the token of a lock is: at a member, or on its way between two. */
export type TokenAt = { readonly at: MemberRef } | { readonly from: MemberRef; readonly to: MemberRef };

/** A lock in a consistent global state. */
export interface ConsistentLock {
  /** The name of the lock or the election. */
  readonly name: string;
  /** The name of the algorithm of this lock. */
  readonly algorithm: string;
  /** The holder: at most one, unless the algorithm is wrong. */
  readonly holders: readonly MemberRef[];
  /** The members that wait. */
  readonly waiters: readonly MemberRef[];
  /** The token: exactly one, unless the algorithm is wrong. Null if the algorithm has no token, or while the lock is being started. */
  readonly tokens: readonly TokenAt[] | null;
  /** Whether the lock is just being started, for the first time or again. Until it is, no other member can enter. */
  readonly isStarting: boolean;
}

/** A consistent global state of a group, in one view. */
export interface ConsistentInspection {
  /** The name of the group. */
  readonly group: string;
  /** The epoch of the view. */
  readonly epoch: number;
  /** The members of the view, oldest first. */
  readonly members: readonly MemberRef[];
  /** The locks that a member holds or waits for. */
  readonly locks: readonly ConsistentLock[];
  /** The elections. The holder is the leader. */
  readonly elections: readonly ConsistentLock[];
}

/** The answer of a member. Positions refer to `members`. */
export type ConsistentReport =
  | {
      readonly epoch: number;
      readonly members: readonly MemberRef[];
      readonly locks: readonly LockSnapshot[];
    }
  | { readonly failed: string };

export function consistentReport(snapshot: GroupSnapshot, view: View | null): ConsistentReport {
  if ('failed' in snapshot) return snapshot;
  const members = view!.members.map(({ id, label }): MemberRef => ({ id, label }));
  return { ...snapshot, members };
}

export function consistentInspection(
  group: string,
  { epoch, members, locks }: Exclude<ConsistentReport, { failed: string }>,
): ConsistentInspection {
  const memberAt = (at: number) => members[at]!;
  const inspected = ({
    lock,
    algorithm,
    holders,
    waiting,
    tokens,
    isStarting,
  }: LockSnapshot): ConsistentLock => ({
    name: isElection(lock) ? electionOf(lock) : lock,
    algorithm,
    holders: holders.map(memberAt),
    waiters: waiting.map(memberAt),
    tokens:
      tokens?.map((token) =>
        'at' in token ? { at: memberAt(token.at) } : { from: memberAt(token.from), to: memberAt(token.to) },
      ) ?? null,
    isStarting,
  });
  return {
    group,
    epoch,
    members,
    locks: locks.filter(({ lock }) => !isElection(lock)).map(inspected),
    elections: locks.filter(({ lock }) => isElection(lock)).map(inspected),
  };
}

/** Returns null unless the answer from the network has the shape of a report. */
export function parseConsistentReport(answer: unknown): ConsistentReport | null {
  if (!isRecord(answer)) return null;
  if (typeof answer.failed === 'string') return { failed: answer.failed };
  const { epoch, members, locks } = answer;
  if (
    !Number.isSafeInteger(epoch) ||
    !isListOf(members, isMemberRef) ||
    !isListOf(locks, isLockIn(members.length))
  )
    return null;
  return {
    epoch: epoch as number,
    members,
    locks: locks.map((lock) => ({ ...lock, isStarting: lock.isStarting ?? false })),
  };
}

/** Members before version 6 do not tell whether a lock is being started: in their groups, none is when a snapshot is taken. */
type AnsweredLock = Omit<LockSnapshot, 'isStarting'> & Partial<Pick<LockSnapshot, 'isStarting'>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOf = <T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] =>
  Array.isArray(value) && value.every(is);

const isMemberRef = (value: unknown): value is MemberRef =>
  isRecord(value) && typeof value.id === 'string' && typeof value.label === 'string';

const isLockIn =
  (size: number) =>
  (value: unknown): value is AnsweredLock => {
    const isAt = (at: unknown): at is number =>
      Number.isSafeInteger(at) && (at as number) >= 0 && (at as number) < size;
    const isToken = (token: unknown): token is object =>
      isRecord(token) && ('at' in token ? isAt(token.at) : isAt(token.from) && isAt(token.to));
    if (!isRecord(value)) return false;
    const { lock, algorithm, holders, waiting, tokens, isStarting = false } = value;
    return (
      typeof lock === 'string' &&
      typeof algorithm === 'string' &&
      isListOf(holders, isAt) &&
      isListOf(waiting, isAt) &&
      (tokens === null || isListOf(tokens, isToken)) &&
      typeof isStarting === 'boolean'
    );
  };
