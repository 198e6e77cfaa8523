import type { Leader, MemberId } from '../member/index.ts';

/**
 * What is told of who leads. Who wins while others of higher priority may stand asks them first and may hand its term on: until it is sure,
 * nobody leads.
 */
export class Leadership {
  readonly #me: MemberId;
  readonly #tell: (election: string, leader: Leader) => void;
  readonly #led = new Set<string>(); // elections of which a leader was told
  readonly #unsure = new Map<string, number>(); // that this member has won, and their terms

  constructor(me: MemberId, tell: (election: string, leader: Leader) => void) {
    this.#me = me;
    this.#tell = tell;
  }

  isUnsure(election: string): boolean {
    return this.#unsure.has(election);
  }

  /** To be said before it is heard that this member leads. */
  doubt(election: string, term: number): void {
    this.#unsure.set(election, term);
  }

  /** The term that others are to be told now; null if there is none. */
  confirm(election: string): number | null {
    const term = this.#unsure.get(election);
    if (term === undefined) return null;
    this.#unsure.delete(election);
    this.heard(election, { id: this.#me, term });
    return term;
  }

  heard(election: string, leader: Leader): void {
    const isOurs = leader !== null && leader.term === this.#unsure.get(election);
    if (!isOurs) this.#unsure.delete(election);
    const known = isOurs ? null : leader;
    if (known === null && !this.#led.delete(election)) return; // as before
    if (known !== null) this.#led.add(election);
    this.#tell(election, known);
  }
}
