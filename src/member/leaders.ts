import type { Leader } from './host.ts';
import type { InheritedLock } from './member-messages.ts';
import { fenceOf, type MemberId, type View } from './view.ts';

const electionPrefix = '\u0001'; // no application may start a lock's name with this

/** The holder of this lock is the leader; the fence is the term. */
export const electionLock = (election: string): string => electionPrefix + election;
export const isElection = (lock: string): boolean => lock.startsWith(electionPrefix);
export const electionOf = (lock: string): string => lock.slice(electionPrefix.length);

/**
 * The leader of each election, from announcements and, in the flush protocol, from installed views. A term that ended never returns. A term
 * ends when a higher one starts, when its leader is no longer in the view, or when a view is installed without it.
 */
export class Leaders {
  readonly #known = new Map<string, { leader: Leader; term: number; isDoubtful?: boolean }>();
  #lowestNewTerm = 0; // of terms that can start in the installed view; 0 without the flush protocol
  readonly #changed: (election: string, leader: Leader) => void;

  constructor(changed: (election: string, leader: Leader) => void) {
    this.#changed = changed;
  }

  /** @internal */
  inspectState() {
    return { known: Object.fromEntries(this.#known), lowestNewTerm: this.#lowestNewTerm };
  }

  of(election: string): Leader {
    return this.#known.get(election)?.leader ?? null;
  }

  leads(election: string, id: MemberId, term: number): void {
    const known = this.#known.get(election);
    const isNew = term > (known?.term ?? 0) || (term === known?.term && known.isDoubtful === true);
    if (term >= this.#lowestNewTerm && isNew) this.#set(election, { id, term }, term);
  }

  ends(election: string, term: number): void {
    const known = this.#known.get(election);
    if (known === undefined || term >= known.term) this.#set(election, null, term);
  }

  /** A leader that is not in the view leads no more. */
  viewChanged({ members }: View): void {
    this.#lowestNewTerm = 0;
    const ids = new Set(members.map(({ id }) => id));
    for (const [election, { leader, term }] of this.#known)
      if (leader !== null && !ids.has(leader.id)) this.#set(election, null, term);
  }

  /** Messages of this member were lost: it may no longer lead. If it does, it announces that again. */
  gap(id: MemberId): void {
    for (const [election, { leader, term }] of this.#known) {
      if (leader?.id !== id) continue;
      this.#set(election, null, term);
      this.#known.get(election)!.isDoubtful = true;
    }
  }

  installed(view: View, held: readonly InheritedLock[]): void {
    this.#lowestNewTerm = fenceOf(view.epoch, 0);
    const led = new Map(
      held.filter(({ lock }) => isElection(lock)).map((one) => [electionOf(one.lock), one]),
    );
    for (const [election, { leader, term }] of this.#known) {
      if (term >= this.#lowestNewTerm || led.get(election)?.fence === term) continue;
      if (leader !== null) this.#changed(election, null);
      this.#known.delete(election);
    }
    for (const [election, { by, fence }] of led)
      if (fence > (this.#known.get(election)?.term ?? 0))
        this.#set(election, { id: view.members[by]!.id, term: fence }, fence);
  }

  /** Called when the member leaves the group: it no longer knows any leader. */
  clear(): void {
    for (const [election, { leader }] of this.#known) if (leader !== null) this.#changed(election, null);
    this.#known.clear();
  }

  #set(election: string, leader: Leader, term: number): void {
    const before = this.of(election);
    this.#known.set(election, { leader, term });
    if (leader?.term !== before?.term) this.#changed(election, leader);
  }
}
