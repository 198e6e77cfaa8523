// One lock at its home: what the home knows of it, the round that starts it again, and the outcome of a round.
import type { HomeMessage } from './member-messages.ts';
import { slotOf } from './slots.ts';
import type { MemberId } from './view.ts';

export type Stopped = HomeMessage & { type: 'stopped' };
export type Answer = Omit<Stopped, 'type' | 'run' | 'lock' | 'closes' | 'isWaiting' | 'algorithm'> & {
  isWaiting: boolean;
  algorithm: string | null;
};

/** A lock is being stopped where it may be running, to be started again. */
export interface Round {
  readonly run: number; // the one that will start
  readonly algorithm: string | null; // of the first member that wants it
  readonly asked: Set<MemberId>;
  readonly awaited: Set<MemberId>; // those that have not answered
  readonly wanting: Set<MemberId>;
  readonly answers: Map<MemberId, Answer>;
  cancelGrace: (() => void) | null;
}

export interface DirectoryEntry {
  readonly lock: string;
  readonly slot: number;
  parts: readonly MemberId[]; // every member that may have a part; some may have left the group
  algorithm: string | null; // null: unknown
  run: number; // that was started from here; 0: none was, and only the reports of the members say who has a part
  latest: number; // the latest run that any home has started; 0: unknown
  number: number; // the highest run number used
  unconfirmed: readonly MemberId[]; // those of `parts` that only the home before has named
  idle: { readonly run: number; readonly members: Set<MemberId> } | null;
  round: Round | null;
}

/** What a home tells its successor of one lock. */
export interface ReportedPart {
  readonly lock: string;
  readonly parts: readonly MemberId[];
  readonly latest: number;
}

export const newEntry = (lock: string): DirectoryEntry => ({
  lock,
  slot: slotOf(lock),
  parts: [],
  algorithm: null,
  run: 0,
  latest: 0,
  number: 0,
  unconfirmed: [],
  idle: null,
  round: null,
});

/** @internal See `Member.inspectState`. */
export const inspectEntry = ({ parts, unconfirmed, idle, round, ...rest }: DirectoryEntry) => ({
  ...rest,
  parts: [...parts].sort(),
  unconfirmed: [...unconfirmed].sort(),
  idle: idle && { run: idle.run, members: [...idle.members].sort() },
  round: round && {
    run: round.run,
    algorithm: round.algorithm,
    asked: [...round.asked].sort(),
    awaited: [...round.awaited].sort(),
    wanting: [...round.wanting], // the first may become the root
    answers: [...round.answers].sort(([a], [b]) => (a < b ? -1 : 1)),
    hasGrace: round.cancelGrace !== null,
  },
});

/** How a round ends. Without members, the lock is forgotten. */
export interface RoundOutcome {
  readonly algorithm: string | null;
  readonly members: readonly MemberId[];
  readonly root: MemberId | undefined;
  readonly isHeld: boolean; // by the root
  readonly last: number; // the highest fence of all answers
  readonly refused: readonly MemberId[]; // they wait for the lock with another algorithm
}

/** Returns the outcome of a round. `positionOf` is the order of the members in the run. */
export function outcomeOf(
  entry: DirectoryEntry,
  { algorithm: wanted, answers, wanting }: Round,
  positionOf: (id: MemberId) => number,
): RoundOutcome {
  const answered = [...answers].sort(([a], [b]) => positionOf(a) - positionOf(b));
  const hasPart = ({ claim, isUsing }: Answer) => claim !== 'none' || isUsing;
  const claimant =
    answered.find(([, { claim }]) => claim === 'lock') ?? answered.find(([, { claim }]) => claim !== 'none');
  const partner = claimant ?? answered.find(([, one]) => hasPart(one));
  const isAsking = ({ isWaiting }: Answer) => isWaiting;
  const first = answered.find(([, one]) => isAsking(one))?.[1].algorithm ?? null;
  const algorithm = partner?.[1].algorithm ?? entry.algorithm ?? wanted ?? first;
  const isWaiting = (one: Answer) => one.isWaiting && one.algorithm === algorithm;
  const isHeld = claimant?.[1].claim === 'lock';
  const waiting = answered.flatMap(([id, one]) => (isWaiting(one) ? [id] : []));
  const isNeeded = isHeld || waiting.length > 0;
  return {
    algorithm,
    members: isNeeded ? answered.flatMap(([id, one]) => (hasPart(one) || isWaiting(one) ? [id] : [])) : [],
    root: claimant?.[0] ?? [...wanting].find((id) => waiting.includes(id)) ?? waiting[0],
    isHeld,
    last: Math.max(0, ...answered.map(([, { last }]) => last)),
    refused: answered.flatMap(([id, one]) => (one.isWaiting && !isWaiting(one) ? [id] : [])),
  };
}
