// What the first member of a view knows of elections by algorithm: the candidates of each election, and its round. It begins a round when
// there are candidates, nobody leads, and no round is running.
import type { Pid } from '../core/algorithm.ts';
import type { After } from './host.ts';
import type { ElectionViewMessage } from './member-messages.ts';

const pollMs = 300; // for members to tell their candidacies

interface Contest {
  readonly algorithm: string;
  readonly candidates: Map<Pid, number>; // the number of each candidacy
  readonly elected: Set<Pid>; // candidates that were elected, until they withdraw
  participants: ReadonlySet<Pid> | null; // of the running round; null: none runs
  round: number;
  isAnnounced: boolean; // the other members know the algorithm
}

/** The parts of a member that the contests use. Messages to this member itself are handled at once. */
export interface ElectionContestsContext {
  readonly epoch: number;
  /** Returns the position of the leader, null if nobody leads, or 'unknown' if its candidacy may have been lost on a broken channel. */
  leader(election: string): Pid | null | 'unknown';
  tell(to: Pid, message: ElectionViewMessage): void;
  tellAll(message: ElectionViewMessage): void;
  readonly others: readonly Pid[] | null; // all other members, to be polled; null: their candidacies come with the flush
  readonly after: After;
}

export class ElectionContests {
  readonly #contests = new Map<string, Contest>();
  readonly #context: ElectionContestsContext;
  #rounds = 0; // of all elections, so that a round is never taken for another one
  #isOpen = false; // the candidacies that came with the view are known
  #unpolled: Set<Pid> | null = null; // members that have not answered the poll; null: it was not sent

  constructor(context: ElectionContestsContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#contests.size;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    const contests = [...this.#contests].map(
      ([election, { candidates, elected, participants, ...rest }]) => ({
        ...rest,
        election,
        candidates: [...candidates],
        elected: [...elected],
        participants: participants && [...participants],
      }),
    );
    const unpolled = this.#unpolled && [...this.#unpolled];
    return { contests, rounds: this.#rounds, isOpen: this.#isOpen, unpolled };
  }

  /** The candidacies that members had before the view are known. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const election of [...this.#contests.keys()]) this.advance(election);
  }

  /** Asks all members for their candidacies, once. Does not wait for a silent one. */
  #poll(): void {
    const { others, epoch } = this.#context;
    if (this.#unpolled !== null || others === null) return;
    this.#unpolled = new Set(others);
    for (const to of others) this.#context.tell(to, { type: 'poll', epoch });
    this.#context.after(pollMs, () => this.open());
    if (others.length === 0) this.open();
  }

  onPolled(sender: Pid): void {
    this.#unpolled?.delete(sender);
    if (this.#unpolled?.size === 0) this.open();
  }

  /** Returns false if no working member can have sent the message. */
  onStand({ election, algorithm, number }: ElectionViewMessage & { type: 'stand' }, sender: Pid): boolean {
    const contest = this.#contests.get(election) ?? {
      algorithm,
      candidates: new Map<Pid, number>(),
      elected: new Set<Pid>(),
      participants: null,
      round: 0,
      isAnnounced: false,
    };
    if (contest.candidates.has(sender)) return false;
    if (contest.algorithm !== algorithm) this.#refuse(election, sender, number, contest.algorithm);
    else {
      this.#contests.set(election, contest);
      contest.candidates.set(sender, number);
      if (!this.#isOpen) this.#poll();
      this.advance(election);
    }
    return true;
  }

  onWithdraw({ election, number }: ElectionViewMessage & { type: 'withdraw' }, sender: Pid): void {
    const contest = this.#contests.get(election);
    if (contest?.candidates.get(sender) !== number) return; // it was refused
    contest.candidates.delete(sender);
    contest.elected.delete(sender);
    if (contest.elected.size === 0 && contest.participants?.has(sender)) contest.participants = null;
    if (contest.candidates.size === 0) this.#forget(election, contest);
    else this.advance(election);
  }

  /** Returns false if no working member can have sent the message. */
  onElected({ election, round }: ElectionViewMessage & { type: 'elected' }, sender: Pid): boolean {
    const contest = this.#contests.get(election);
    if (contest?.candidates.has(sender) && round === contest.round) contest.elected.add(sender);
    return round <= this.#rounds;
  }

  /** Begins a round if one is due. */
  advance(election: string): void {
    const contest = this.#contests.get(election);
    if (contest === undefined || !this.#isOpen) return;
    const known = this.#context.leader(election);
    const leader = typeof known === 'number' && this.#unpolled?.has(known) ? 'unknown' : known; // it may be a candidate
    if (typeof leader === 'number' && !contest.candidates.has(leader)) {
      this.#forget(election, contest); // the leader was not elected by an algorithm
      for (const [sender, number] of contest.candidates) this.#refuse(election, sender, number, null);
    } else if (leader === null && contest.elected.size === 0 && contest.participants === null)
      this.#begin(election, contest, [...contest.candidates.keys()]);
    else if (!contest.isAnnounced) this.#announce(election, contest, []);
  }

  #begin(election: string, contest: Contest, participants: readonly Pid[]): void {
    contest.participants = new Set(participants);
    this.#announce(election, contest, participants);
  }

  #announce(election: string, contest: Contest, participants: readonly Pid[]): void {
    this.#rounds += 1;
    contest.isAnnounced = true;
    if (participants.length > 0) contest.round = this.#rounds;
    const candidates = participants.map((by) => ({ by, number: contest.candidates.get(by)! }));
    this.#tellAll(election, contest.algorithm, candidates);
  }

  #forget(election: string, { isAnnounced }: Contest): void {
    this.#contests.delete(election);
    if (!isAnnounced) return;
    this.#rounds += 1;
    this.#tellAll(election, null, []);
  }

  #tellAll(
    election: string,
    algorithm: string | null,
    candidates: (ElectionViewMessage & { type: 'round' })['candidates'],
  ): void {
    const { epoch } = this.#context;
    this.#context.tellAll({ type: 'round', epoch, election, algorithm, round: this.#rounds, candidates });
  }

  #refuse(election: string, sender: Pid, number: number, algorithm: string | null): void {
    const { epoch } = this.#context;
    this.#context.tell(sender, { type: 'stand-refused', epoch, election, number, algorithm });
  }
}
