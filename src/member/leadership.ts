import type { Channels } from './channels.ts';
import type { ElectionRounds } from './election-rounds.ts';
import { electionOf, isElection, type Leaders } from './leaders.ts';
import type { LockTable } from './lock-table.ts';
import type { MemberMessage } from './member-messages.ts';
import type { MemberId } from './view.ts';

type Announcement = MemberMessage & { type: 'leads' };

/** The parts of a member that its leadership uses. */
export interface LeadershipParts<R> {
  readonly leaders: Leaders;
  readonly locks: LockTable<R>;
  readonly elections: ElectionRounds<R>;
  readonly channels: Channels<R>;
}

/** Tells other members which elections this member leads. The leader of an election is the holder of its hidden lock. */
export class Leadership<R> {
  readonly #id: MemberId;
  readonly #parts: LeadershipParts<R>;

  constructor(id: MemberId, parts: LeadershipParts<R>) {
    this.#id = id;
    this.#parts = parts;
  }

  /** This member begins or ends a term. */
  announce(election: string, term: number, ends: boolean): void {
    const message = { type: 'leads', election, term, ends } as const;
    this.#parts.channels.broadcast(message);
    this.announced(this.#id, message);
  }

  announced(by: MemberId, { election, term, ends }: Announcement): void {
    const { leaders, elections } = this.#parts;
    if (ends) {
      leaders.ends(election, term);
      elections.termEnded(election);
    } else leaders.leads(election, by, term);
  }

  /** The peer does not know which elections this member leads. */
  announceTo(peer: MemberId): void {
    if (peer === this.#id) return;
    const { locks, channels } = this.#parts;
    for (const { name, isHeld, fence } of locks)
      if (isHeld && isElection(name))
        channels.send(peer, { type: 'leads', election: electionOf(name), term: fence, ends: false });
  }
}
