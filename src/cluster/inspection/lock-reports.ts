// What one member reports of itself: the locks that its process holds or waits for, and the clocks of the other members.
import { electionLock, type Member, type PeerClocks } from '../../member/index.ts';
import type { LockRequest } from '../group/lock.ts';
import type { PeerClockReport } from '../transport/transport.ts';

/** What one member knows of one lock; times in milliseconds since 1970. */
export interface LockReport {
  readonly name: string;
  readonly algorithm: string;
  readonly held: { readonly since: number; readonly fence: number } | null;
  readonly waiting: readonly number[]; // start of each wait
}

/** The state of one member that reports are made of. */
interface ReportSource {
  readonly member: Member<LockRequest>;
  readonly clocks: PeerClocks;
}

export function lockReportsOf({ member }: ReportSource): LockReport[] {
  const origin = Date.now() - performance.now();
  let reports: LockReport[] = [];
  for (const { name, algorithm, holder, fence, waiting } of member.locks) {
    if (holder === null && waiting.length === 0) continue;
    const held = holder && { since: origin + holder.grantedAt, fence };
    reports.push({ name, algorithm, held, waiting: waiting.map(({ since }) => origin + since) });
  }
  for (const { election, waiting } of member.elections.waiting()) {
    const name = electionLock(election);
    const { algorithm, held, waiting: others } = reports.find((one) => one.name === name) ?? none(member);
    const all = [...others, ...waiting.map(({ since }) => origin + since)];
    reports = [...reports.filter((one) => one.name !== name), { name, algorithm, held, waiting: all }];
  }
  return reports;
}

const none = ({ algorithm }: Member<LockRequest>) => ({ algorithm, held: null, waiting: [] });

/** What this member knows of the clocks of the other members. */
export function peerClockReportsOf({ member, clocks }: ReportSource): PeerClockReport[] {
  return (member.view?.members ?? []).flatMap(({ id }) => {
    const clock = clocks.of(id);
    if (clock === null) return [];
    const { offset, error, rate, at } = clock;
    return [{ id, offset, error, rate, age: performance.now() - at }];
  });
}

/** Returns the reports in an answer from the network; none if it has another shape. */
export function parseLockReports(answer: unknown): readonly LockReport[] {
  return Array.isArray(answer) && answer.every(isLockReport) ? answer : [];
}

const isLockReport = (value: unknown): value is LockReport => {
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

/** Says whether a member reports that it waits for a lock. */
export const isWaitingFor = (lock: string, report: unknown): boolean =>
  parseLockReports(report).some(({ name, waiting }) => name === lock && waiting.length > 0);
