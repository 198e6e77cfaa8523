import type { MemberId, Peer, View } from '../member/index.ts';
import { electionOf, isElection } from '../member/index.ts';
import type { Runtime } from './runtime.ts';
import type { Wait } from './wait.ts';

/** A member, for people. */
export interface Who {
  readonly id: MemberId;
  readonly label: string; // host and process
}

export interface Turn extends Who {
  readonly since: Date;
}

export interface LockInspection {
  readonly name: string;
  readonly algorithm: string;
  readonly holder: (Turn & { readonly fence: number }) | null;
  readonly waiters: readonly Turn[]; // who has waited longest first
}

/** The group as its members told it a moment ago; not one moment for all. */
export interface Inspection {
  readonly group: string;
  readonly epoch: number;
  readonly members: readonly (Who & { readonly isMe: boolean; readonly answered: boolean })[];
  readonly locks: readonly LockInspection[];
  readonly elections: readonly {
    readonly name: string;
    readonly leader: (Turn & { readonly term: number }) | null;
    readonly candidates: readonly Turn[];
  }[];
}

/** What one member knows of one lock; times in milliseconds since 1970. */
export interface LockReport {
  readonly name: string;
  readonly algorithm: string;
  readonly held: { readonly since: number; readonly fence: number } | null;
  readonly waiting: readonly number[]; // since when each
}

export function reportOf(runtime: Runtime): LockReport[] {
  const origin = Date.now() - performance.now();
  const reports: LockReport[] = [];
  for (const { name, algorithm, holder, fence, waiting } of runtime.now.member.locks) {
    if (holder === null && waiting.length === 0) continue;
    const held = holder && { since: origin + holder.grantedAt, fence };
    reports.push({ name, algorithm, held, waiting: waiting.map(({ since }: Wait) => origin + since) });
  }
  return reports;
}

export function inspectionOf(
  group: string,
  view: View,
  me: MemberId,
  answers: ReadonlyMap<MemberId, unknown>,
): Inspection {
  const locks = new Map<string, { algorithm: string; holder: LockInspection['holder']; waiters: Turn[] }>();
  for (const peer of view.members)
    for (const { name, algorithm, held, waiting } of reportsIn(answers.get(peer.id))) {
      const lock = locks.get(name) ?? { algorithm, holder: null, waiters: [] };
      locks.set(name, lock);
      // Reports are not of one moment: of two who say they hold it, the later is right.
      if (held !== null && held.fence > (lock.holder?.fence ?? -1))
        lock.holder = { ...who(peer), since: new Date(held.since), fence: held.fence };
      for (const since of waiting) lock.waiters.push({ ...who(peer), since: new Date(since) });
    }
  const all = [...locks].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, { waiters }] of all) waiters.sort((a, b) => a.since.getTime() - b.since.getTime());
  return {
    group,
    epoch: view.epoch,
    members: view.members.map((peer) => ({
      ...who(peer),
      isMe: peer.id === me,
      answered: answers.has(peer.id),
    })),
    locks: all.flatMap(([name, lock]) => (isElection(name) ? [] : [{ name, ...lock }])),
    elections: all.flatMap(([name, { holder, waiters }]) =>
      isElection(name)
        ? [{ name: electionOf(name), leader: holder && leaderOf(holder), candidates: waiters }]
        : [],
    ),
  };
}

const who = ({ id, label }: Peer): Who => ({ id, label });

const leaderOf = ({ fence, ...turn }: Turn & { fence: number }) => ({ ...turn, term: fence });

/** What came over the wire, if it is what a member reports. */
export function reportsIn(answer: unknown): readonly LockReport[] {
  return Array.isArray(answer) && answer.every(isReport) ? answer : [];
}

const isReport = (value: unknown): value is LockReport => {
  const { name, algorithm, held, waiting } = (value ?? {}) as Partial<Record<keyof LockReport, unknown>>;
  const { since, fence } = (held ?? { since: 0, fence: 0 }) as { since?: unknown; fence?: unknown };
  return (
    typeof name === 'string' &&
    typeof algorithm === 'string' &&
    Number.isFinite(since) &&
    Number.isFinite(fence) &&
    Array.isArray(waiting) &&
    waiting.every(Number.isFinite)
  );
};
