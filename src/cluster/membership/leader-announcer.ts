import type { Leader, MemberId } from '../../member/index.ts';

/**
 * What is told of who leads. Who wins while others of higher priority may stand asks them first and may hand its term on: until it is sure,
 * nobody leads.
 */
export class LeaderAnnouncer {
  readonly #me: MemberId;
  readonly #announce: (election: string, leader: Leader) => void;
  readonly #announced = new Set<string>(); // elections of which a leader was told
  readonly #withheld = new Map<string, number>(); // that this member has won, and their terms

  constructor(me: MemberId, tell: (election: string, leader: Leader) => void) {
    this.#me = me;
    this.#announce = tell;
  }

  isWithheld(election: string): boolean {
    return this.#withheld.has(election);
  }

  /** To be said before it is heard that this member leads. */
  withhold(election: string, term: number): void {
    this.#withheld.set(election, term);
  }

  /** The term that others are to be told now; null if there is none. */
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
    if (known === null && !this.#announced.delete(election)) return; // as before
    if (known !== null) this.#announced.add(election);
    this.#announce(election, known);
  }
}
