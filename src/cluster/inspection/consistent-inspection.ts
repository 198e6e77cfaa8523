// A group as it could have been at one moment: a snapshot that one of its members takes for whoever asks.
import type { GroupSnapshot, LockSnapshot, MemberRef, View } from '../../member/index.ts';
import { electionOf, isElection } from '../../member/index.ts';

/** Where the one token is, in a group whose algorithm has one. */
export type TokenAt = { readonly at: MemberRef } | { readonly from: MemberRef; readonly to: MemberRef };

export interface ConsistentLock {
  readonly name: string;
  readonly algorithm: string;
  readonly holders: readonly MemberRef[]; // one or nobody
  readonly waiters: readonly MemberRef[];
  readonly tokens: readonly TokenAt[] | null; // one; null: the algorithm has none
}

/** All of one view, and of one moment at which it could have been so. */
export interface ConsistentInspection {
  readonly group: string;
  readonly epoch: number;
  readonly members: readonly MemberRef[];
  readonly locks: readonly ConsistentLock[];
  readonly elections: readonly ConsistentLock[]; // who holds, leads
}

/** What a member answers: positions are those in `members`. */
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
  const who = (at: number) => members[at]!;
  const shown = ({ lock, algorithm, holders, waiting, tokens }: LockSnapshot): ConsistentLock => ({
    name: isElection(lock) ? electionOf(lock) : lock,
    algorithm,
    holders: holders.map(who),
    waiters: waiting.map(who),
    tokens:
      tokens?.map((token) =>
        'at' in token ? { at: who(token.at) } : { from: who(token.from), to: who(token.to) },
      ) ?? null,
  });
  return {
    group,
    epoch,
    members,
    locks: locks.filter(({ lock }) => !isElection(lock)).map(shown),
    elections: locks.filter(({ lock }) => isElection(lock)).map(shown),
  };
}

/** What came over the wire, if it is what a member answers. */
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
  return { epoch: epoch as number, members, locks };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOf = <T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] =>
  Array.isArray(value) && value.every(is);

const isMemberRef = (value: unknown): value is MemberRef =>
  isRecord(value) && typeof value.id === 'string' && typeof value.label === 'string';

const isLockIn =
  (size: number) =>
  (value: unknown): value is LockSnapshot => {
    const isAt = (at: unknown): at is number =>
      Number.isSafeInteger(at) && (at as number) >= 0 && (at as number) < size;
    const isToken = (token: unknown): token is object =>
      isRecord(token) && ('at' in token ? isAt(token.at) : isAt(token.from) && isAt(token.to));
    if (!isRecord(value)) return false;
    const { lock, algorithm, holders, waiting, tokens } = value;
    return (
      typeof lock === 'string' &&
      typeof algorithm === 'string' &&
      isListOf(holders, isAt) &&
      isListOf(waiting, isAt) &&
      (tokens === null || isListOf(tokens, isToken))
    );
  };
