import type { Leader, MemberId } from '../../member/index.ts';

/**
 * Announces leaders. A winner that sees members of higher priority asks them first and may resign in their favor. Until then it withholds
 * its announcement, and no leader is reported.
 */
export class LeaderAnnouncer {
  readonly #me: MemberId;
  readonly #announce: (election: string, leader: Leader) => void;
  readonly #announced = new Set<string>(); // elections whose leader was announced
  readonly #withheld = new Map<string, number>(); // terms that this member has won and not announced yet

  constructor(me: MemberId, announce: (election: string, leader: Leader) => void) {
    this.#me = me;
    this.#announce = announce;
  }

  isWithheld(election: string): boolean {
    return this.#withheld.has(election);
  }

  /** Must be called before `leaderChanged` reports the term. */
  withhold(election: string, term: number): void {
    this.#withheld.set(election, term);
  }

  /** Announces a withheld term. Returns it, for the other members; null if there is none. */
  confirm(election: string): number | null {
    const term = this.#withheld.get(election);
    if (term === undefined) return null;
    this.#withheld.delete(election);
    this.leaderChanged(election, { id: this.#me, term });
    return term;
  }

  leaderChanged(election: string, leader: Leader): void {
    const isOurs = leader !== null && leader.term === this.#withheld.get(election);
    if (!isOurs) this.#withheld.delete(election);
    const known = isOurs ? null : leader;
    if (known === null && !this.#announced.delete(election)) return; // no leader before, none now
    if (known !== null) this.#announced.add(election);
    this.#announce(election, known);
  }
}
