// Elections by algorithm. The leader of an election is the holder of a hidden lock, and its term is the fence of that lock. An election
// algorithm only decides which candidate requests that lock. So there is at most one leader at a time, and terms rise, whatever it does.
//
// 1. A candidate tells the first member of the view that it stands. It does so again in every view. Before its first round in a view, the
//    first member polls all members, so that no candidate is missing. It does not wait for a silent one.
// 2. The first member begins a round when there are candidates, nobody leads, and no round is running. It sends the candidates to all.
// 3. Each candidate runs a fresh state of the algorithm over the candidates of the round. The one that is elected reports this to the
//    first member, and requests the lock. It withdraws when its term ends. Then the next round begins.
// 4. A candidate that withdraws during a round ends that round, unless another one was elected. So does a new view.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { visibleText } from '../core/visible-text.ts';
import { MemoryBudget } from './early-messages.ts';
import { ElectionContests } from './election-contests.ts';
import { ElectionRun, type ElectionRunActions, lineupOf } from './election-run.ts';
import type { After, Host } from './host.ts';
import { electionLock } from './leaders.ts';
import type { LockTable } from './lock-table.ts';
import type { ElectionMessage, ElectionViewMessage, MemberMessage } from './member-messages.ts';
import { retainedBytes } from './retained-bytes.ts';
import { isFlushed, type MemberId, positionIn, type View } from './view.ts';

/** The parts of a member that its elections use. */
export interface ElectionRoundsContext<R> {
  readonly host: Host<R>;
  readonly after: After;
  readonly locks: LockTable<R>;
  readonly algorithm: string; // of the hidden locks
  readonly electionAlgorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly maxDelay: number; // milliseconds: the bound on message delays that algorithms with timers are told
  leaderOf(election: string): MemberId | null;
  isBroken(peer: MemberId): boolean; // its channel: messages may be missing
  sendTo(to: Pid, message: MemberMessage): void;
  broadcast(message: MemberMessage): void;
  requestNewEpoch(): void;
  contractBroken(reason: string): void; // ends the membership
}

/** This member as a candidate. It is one candidate, even if its application made several requests. */
interface Candidacy<R> {
  readonly election: string;
  readonly algorithm: string;
  readonly waiting: R[];
  number: number;
  asked: R | null; // the request for which this member was elected: it waits for the lock, or holds it
  run: ElectionRun | null;
}

/** The state of one view. */
interface ElectionView {
  readonly view: View;
  readonly position: Pid;
  readonly first: Pid; // the first member, which conducts the elections; a silent one does not
  readonly contests: ElectionContests | null; // at the first member
  readonly known: Map<string, string>; // the algorithms that decide elections
  readonly budget: MemoryBudget<Pid>; // of `early`
  early: { readonly message: ElectionMessage; readonly sender: Pid; readonly bytes: number }[]; // of rounds to come
  round: number; // the last one that began
  isInstalled: boolean;
}

const longestTimer = 2 ** 31 - 1; // milliseconds; no round takes as long

export class ElectionRounds<R> {
  readonly #context: ElectionRoundsContext<R>;
  readonly #candidacies = new Map<string, Candidacy<R>>();
  #now: ElectionView | null = null;
  #numbers = 0;

  constructor(context: ElectionRoundsContext<R>) {
    this.#context = context;
  }

  /** The number of retained items. */
  get size(): number {
    const { known, early, contests } = this.#now ?? {};
    return this.#candidacies.size + (known?.size ?? 0) + (early?.length ?? 0) + (contests?.size ?? 0);
  }

  /** The candidates of this process that wait, by election. One that was elected waits for the lock instead. */
  *waiting(): Generator<{ readonly election: string; readonly waiting: readonly R[] }> {
    for (const { election, waiting } of this.#candidacies.values()) yield { election, waiting };
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    const { known, early, round, contests } = this.#now ?? {};
    return {
      candidacies: [...this.#candidacies.values()].map(({ run, ...rest }) => ({
        ...rest,
        run: run?.inspectState() ?? null,
      })),
      numbers: this.#numbers,
      known: [...(known ?? [])],
      early: early?.map(({ message, sender }) => ({ message, sender })) ?? [],
      round: round ?? 0,
      contests: contests?.inspectState() ?? null,
    };
  }

  // Calls of the application.

  /** Stands for election, by this algorithm or by none. The request is granted when this member leads. */
  stand(election: string, request: R, algorithm: string | null): void {
    const { locks, host } = this.#context;
    const candidacy = this.#candidacies.get(election);
    const used = candidacy?.algorithm ?? (algorithm === null ? this.#now?.known.get(election) : undefined);
    if (used !== undefined && used !== algorithm) host.refused(request, electionConflict(election, used));
    else if (algorithm === null) locks.request(electionLock(election), request, this.#context.algorithm);
    else if (candidacy !== undefined) candidacy.waiting.push(request);
    else if (locks.get(electionLock(election))?.isIdle === false)
      host.refused(request, electionConflict(election, null));
    else this.#enter({ election, algorithm, waiting: [request], number: 0, asked: null, run: null });
  }

  /** The member that this one waits for: it is a candidate, and nobody leads. Null if it waits for none. */
  get awaited(): MemberId | null {
    for (const { election, asked } of this.#candidacies.values())
      if (asked === null && this.#context.leaderOf(election) === null && this.#now !== null)
        return this.#now.view.members[this.#now.first]!.id;
    return null;
  }

  /** Withdraws a request. One that was elected is withdrawn from its lock. */
  cancel(election: string, request: R): void {
    const candidacy = this.#candidacies.get(election);
    const index = candidacy?.waiting.indexOf(request) ?? -1;
    if (index >= 0) candidacy!.waiting.splice(index, 1);
    this.settle(election);
  }

  /** Must be called when requests for the lock of this election may have ended. */
  settle(election: string): void {
    const candidacy = this.#candidacies.get(election);
    if (candidacy === undefined) return;
    const { asked, waiting } = candidacy;
    const hasEnded = asked !== null && !this.#isPending(election, asked);
    if (!hasEnded && (asked !== null || waiting.length > 0)) return;
    candidacy.run = null;
    candidacy.asked = null;
    this.#candidacies.delete(election);
    const { number } = candidacy;
    if (this.#isKnownToFirst)
      this.#tellFirst({ type: 'withdraw', epoch: this.#now!.view.epoch, election, number });
    if (waiting.length > 0) this.#enter(candidacy);
  }

  #enter(candidacy: Candidacy<R>): void {
    this.#numbers += 1;
    candidacy.number = this.#numbers;
    this.#candidacies.set(candidacy.election, candidacy);
    if (this.#isKnownToFirst) this.#tellStand(candidacy);
  }

  /** Whether the request waits for the hidden lock or holds it. */
  #isPending(election: string, request: R): boolean {
    const lock = this.#context.locks.get(electionLock(election));
    return lock !== undefined && (lock.holder === request || lock.waiting.includes(request));
  }

  // Views.

  /** The runs of the locks must have ended. Members that were elected and do not lead yet stand again. */
  viewChanged(view: View, position: Pid): void {
    const { leaderOf, isBroken, sendTo } = this.#context;
    const first = isFlushed(view)
      ? 0
      : Math.max(
          0,
          view.members.findIndex(({ isSilent }) => isSilent !== true),
        );
    const isCurrent = () => this.#now?.view === view; // a lock that is granted can show that the lease is over, which ends this member
    const contests = new ElectionContests({
      epoch: view.epoch,
      leader: (election) => {
        const id = leaderOf(election);
        if (id === null) return null;
        return isBroken(id) ? 'unknown' : positionIn(view, id);
      },
      tell: (to, message) => {
        if (!isCurrent()) return;
        if (to === position) this.received(message, position);
        else sendTo(to, message);
      },
      tellAll: (message) => {
        if (!isCurrent()) return;
        this.#context.broadcast(message);
        this.received(message, position);
      },
      others: isFlushed(view) ? null : [...view.members.keys()].filter((at) => at !== position),
      after: this.#context.after,
    });
    this.#now = {
      view,
      position,
      first,
      contests: position === first ? contests : null,
      known: new Map(),
      budget: new MemoryBudget(),
      early: [],
      round: 0,
      isInstalled: false,
    };
    for (const candidacy of this.#candidacies.values()) {
      this.#standAgain(candidacy);
      if (position !== first) this.#tellStand(candidacy);
    }
  }

  #standAgain(candidacy: Candidacy<R>): void {
    const { election, asked, waiting } = candidacy;
    const { locks } = this.#context;
    candidacy.run = null;
    if (asked === null || locks.get(electionLock(election))?.holder === asked) return;
    locks.cancel(electionLock(election), asked);
    waiting.unshift(asked);
    candidacy.asked = null;
  }

  /** The view is installed, and messages for it can be handled. */
  installed(): void {
    if (this.#now === null) return;
    this.#now.isInstalled = true;
    if (this.#now.contests !== null) for (const one of this.#candidacies.values()) this.#tellStand(one);
  }

  /** In the flush protocol: the messages that came before the install have been handled, so all candidacies are known. */
  ready(): void {
    this.#now?.contests?.open();
  }

  /** Ends all candidacies. Returns the requests that were waiting. */
  clear(): { readonly election: string; readonly algorithm: string; readonly requests: readonly R[] }[] {
    const unserved = [...this.#candidacies.values()].flatMap(({ election, algorithm, waiting }) =>
      waiting.length === 0 ? [] : [{ election, algorithm, requests: [...waiting] }],
    );
    for (const candidacy of this.#candidacies.values()) candidacy.run = null;
    this.#candidacies.clear();
    this.#now = null;
    return unserved;
  }

  /** The term of a leader has ended: of this member, or of another one. */
  termEnded(election: string): void {
    this.settle(election);
    this.#now?.contests?.advance(election);
  }

  // Messages.

  /** Handles a message. Returns false if no working member can have sent it. */
  received(message: ElectionViewMessage, sender: Pid): boolean {
    const { contests } = this.#now!;
    switch (message.type) {
      case 'stand':
        return contests?.onStand(message, sender) ?? false;
      case 'withdraw':
        contests?.onWithdraw(message, sender);
        return contests !== null;
      case 'elected':
        return contests?.onElected(message, sender) ?? false;
      case 'round':
        return sender === this.#now!.first && this.#onRound(message);
      case 'stand-refused':
        return sender === this.#now!.first && this.#onRefused(message);
      case 'elect':
        return this.#onElect(message, sender);
      case 'poll':
        if (sender !== this.#now!.first) return false;
        this.#context.sendTo(sender, { type: 'polled', epoch: message.epoch });
        return true;
      case 'polled':
        contests?.onPolled(sender);
        return contests !== null;
    }
  }

  #onRound(message: ElectionViewMessage & { type: 'round' }): boolean {
    const now = this.#now!;
    const { election, algorithm, round, candidates } = message;
    const positions = candidates.map(({ by }) => by);
    const isPossible =
      round > now.round &&
      positions.every((by) => by < now.view.members.length) &&
      new Set(positions).size === positions.length &&
      (algorithm !== null || positions.length === 0);
    if (!isPossible) return false;
    now.round = round;
    const candidacy = this.#candidacies.get(election);
    if (candidacy !== undefined) candidacy.run = null;
    if (algorithm === null) now.known.delete(election);
    else {
      now.known.set(election, algorithm);
      this.#refuseOthers(election, algorithm);
    }
    const own = candidates.find(({ by }) => by === now.position);
    if (candidacy !== undefined && candidacy.number === own?.number && candidacy.algorithm === algorithm)
      this.#takePart(candidacy, round, positions);
    return this.#handleEarly(now);
  }

  /** Refuses the requests of this process that were made without an algorithm. */
  #refuseOthers(election: string, algorithm: string): void {
    const { locks, host } = this.#context;
    const name = electionLock(election);
    const asked = this.#candidacies.get(election)?.asked;
    for (const request of [...(locks.get(name)?.waiting ?? [])]) {
      if (request === asked) continue;
      locks.cancel(name, request);
      host.refused(request, electionConflict(election, algorithm));
    }
  }

  #onRefused({ election, number, algorithm }: ElectionViewMessage & { type: 'stand-refused' }): boolean {
    const candidacy = this.#candidacies.get(election);
    if (candidacy?.number !== number) return true; // it has withdrawn
    const { waiting, asked } = candidacy;
    if (asked === null) this.#candidacies.delete(election);
    for (const request of waiting.splice(0))
      this.#context.host.refused(request, electionConflict(election, algorithm));
    return true;
  }

  /** Messages of a round may overtake its beginning. Those of an earlier round are too late. */
  #onElect(message: ElectionMessage, sender: Pid): boolean {
    const now = this.#now!;
    const { election, round, as } = message;
    if (round > now.round) {
      const bytes = retainedBytes(message);
      if (!now.budget.take(sender, bytes)) return false;
      now.early.push({ message, sender, bytes });
      return true;
    }
    const candidacy = this.#candidacies.get(election);
    const { run } = candidacy ?? {};
    if (run?.round !== round) return true;
    const isPossible = run.receive(message.message, as, sender);
    this.#afterStep(candidacy!, run);
    return isPossible;
  }

  #handleEarly(now: ElectionView): boolean {
    const due = now.early.filter(({ message }) => message.round <= now.round);
    now.early = now.early.filter(({ message }) => message.round > now.round);
    let arePossible = true;
    for (const { message, sender, bytes } of due) {
      if (this.#now !== now) break;
      now.budget.give(sender, bytes);
      arePossible = this.#onElect(message, sender) && arePossible;
    }
    return arePossible;
  }

  // Rounds.

  #takePart(candidacy: Candidacy<R>, round: number, candidates: readonly Pid[]): void {
    const { view, position } = this.#now!;
    const { electionAlgorithmOf, maxDelay } = this.#context;
    const { election, asked } = candidacy;
    const algorithm = electionAlgorithmOf(candidacy.algorithm)!;
    const lineup = lineupOf(algorithm, view, candidates);
    const actions = this.#actions(candidacy, round);
    const run = new ElectionRun(algorithm, { round, lineup, me: position, maxDelay }, actions);
    candidacy.run = run;
    // It was elected in an earlier round, which was given up before the first member heard of that.
    if (asked !== null) this.#tellFirst({ type: 'elected', epoch: view.epoch, election, round });
    run.start();
    this.#afterStep(candidacy, run);
  }

  #actions(candidacy: Candidacy<R>, round: number): ElectionRunActions {
    const { host, sendTo, contractBroken, requestNewEpoch } = this.#context;
    const { epoch } = this.#now!.view;
    const { election } = candidacy;
    const timers = new Map<string, () => void>();
    return {
      contractBroken,
      roundFailed: () => {
        host.messageDropped('malformed');
        requestNewEpoch();
      },
      choose: (options) => host.choose(options),
      send: (to, as, message) =>
        sendTo(to, {
          type: 'elect',
          epoch,
          election,
          round,
          as,
          message: message as ElectionMessage['message'],
        }),
      after: (milliseconds, message) => {
        timers.get(message.type)?.();
        const fire = () => {
          timers.delete(message.type);
          const { run } = candidacy;
          if (run?.round !== round || this.#now?.view.epoch !== epoch) return;
          run.fire(message);
          this.#afterStep(candidacy, run);
        };
        timers.set(message.type, this.#context.after(Math.min(milliseconds, longestTimer), fire));
      },
      cancel: (type) => {
        timers.get(type)?.();
        timers.delete(type);
      },
    };
  }

  /** Runs after every step. If the algorithm elected this member, requests the lock for its first waiting request. */
  #afterStep(candidacy: Candidacy<R>, run: ElectionRun): void {
    const { election, waiting, asked } = candidacy;
    if (!run.isElected || candidacy.run !== run || asked !== null) return;
    const { epoch } = this.#now!.view;
    const request = waiting.shift()!;
    candidacy.asked = request;
    this.#tellFirst({ type: 'elected', epoch, election, round: run.round });
    this.#context.locks.request(electionLock(election), request, this.#context.algorithm);
    this.settle(election);
  }

  /** Whether the first member hears of candidacies as they change. If not, it hears of them with the view. */
  get #isKnownToFirst(): boolean {
    return this.#now !== null && (this.#now.position !== this.#now.first || this.#now.isInstalled);
  }

  #tellStand({ election, algorithm, number, asked }: Candidacy<R>): void {
    const { epoch } = this.#now!.view;
    this.#tellFirst({ type: 'stand', epoch, election, algorithm, number });
    if (asked !== null) this.#tellFirst({ type: 'elected', epoch, election, round: 0 });
  }

  #tellFirst(message: ElectionViewMessage): void {
    const { position, first } = this.#now!;
    if (position === first) this.received(message, position);
    else this.#context.sendTo(first, message);
  }
}

const electionConflict = (election: string, algorithm: string | null) =>
  algorithm === null
    ? `election '${visibleText(election)}' is decided without an algorithm in this group: name the same algorithm in every process, or none`
    : `election '${visibleText(election)}' is decided by ${visibleText(algorithm)} in this group: name the same algorithm in every process`;
