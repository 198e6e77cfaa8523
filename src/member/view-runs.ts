// The runs of a view with members before version 6. There is one run of a lock in each view, over all its members. It starts when it is first
// needed, from what the members held when the view was installed.

import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { hash } from '../core/random.ts';
import { MemoryBudget } from './early-messages.ts';
import type { Host } from './host.ts';
import type { LocalLock } from './local-lock.ts';
import { LockNetwork } from './lock-network.ts';
import type { InheritedHold, LockRun } from './lock-run.ts';
import type { LockRunSource, LockTable } from './lock-table.ts';
import type { AlgorithmMessage, InheritedLock, MemberMessage, ViewMessage } from './member-messages.ts';
import { fenceOf, lastEntry, type MemberId, positionIn, type View } from './view.ts';

/** The parts of a member that the runs of its view use. */
export interface ViewRunsContext<R> {
  readonly host: Pick<Host<R>, 'messageDropped'>;
  readonly id: MemberId;
  readonly algorithm: string; // of the group
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly locks: LockTable<R>;
  sendTo(to: MemberId, message: MemberMessage): void;
  broadcast(message: MemberMessage): void;
}

export class ViewRuns<R> implements LockRunSource<R> {
  readonly #context: ViewRunsContext<R>;
  readonly #view: View;
  readonly #members: readonly MemberId[];
  readonly #position: Pid;
  readonly #first: number; // fence of the view
  readonly #networks = new Map<string, LockNetwork>();
  readonly #budget = new MemoryBudget<Pid>(); // of messages that causal channels hold back
  #inherited: ReadonlyMap<string, InheritedHold> | null = null; // null until the view is installed

  constructor(context: ViewRunsContext<R>, view: View) {
    this.#context = context;
    this.#view = view;
    this.#members = view.members.map(({ id }) => id);
    this.#position = positionIn(view, context.id);
    this.#first = fenceOf(view.epoch, 0);
  }

  /** @internal */
  inspectState() {
    return { inherited: [...(this.#inherited ?? [])], isInstalled: this.#inherited !== null };
  }

  /** Whether every lock that this member holds is named as its own. If one is not, other members do not wait for its release. */
  areAllNamed(held: readonly InheritedLock[]): boolean {
    const own = new Map(held.filter(({ by }) => by === this.#position).map((one) => [one.lock, one]));
    return this.#context.locks.held().every(({ lock, algorithm, fence }) => {
      const named = own.get(lock);
      return named?.algorithm === algorithm && named.fence === fence;
    });
  }

  /** No lock may be named twice, and every position must be in the view. */
  install(held: readonly InheritedLock[]): void {
    const { locks } = this.#context;
    const inherited = new Map<string, InheritedHold>();
    for (const { lock, algorithm, by } of held) {
      const hasReentered = this.#network(algorithm)?.entersWithoutMessages(by) ?? false;
      inherited.set(lock, { position: by, algorithm, hasReentered });
    }
    this.#inherited = inherited;
    for (const [name, hold] of inherited)
      if (hold.position === this.#position) this.#reenter(locks.add(name, hold.algorithm));
    for (const lock of [...locks.waiting]) locks.advance(lock);
  }

  #reenter(lock: LocalLock<R>): void {
    this.#startEverywhere(lock);
    this.#context.locks.reenter(lock, this.#runOf(lock));
  }

  // Run source.

  runFor(lock: LocalLock<R>): LockRun | null {
    if (this.#inherited === null) return null;
    if (lock.run === null) this.#startEverywhere(lock);
    const run = this.#runOf(lock);
    return this.#isAgreed(lock, run) ? run : null;
  }

  reentered({ name }: LocalLock<R>, run: LockRun): void {
    if (run.inherited!.hasReentered) return;
    run.inherited!.hasReentered = true;
    this.#context.broadcast({ type: 'open', epoch: this.#view.epoch, lock: name });
  }

  algorithmOf(name: string): string | undefined {
    return this.#inherited?.get(name)?.algorithm;
  }

  forgotten(): void {}

  mayHold(): null {
    return null;
  }

  #runOf(lock: LocalLock<R>): LockRun {
    if (lock.run !== null) return lock.run;
    const { algorithm } = lock;
    const inherited = this.#inherited!.get(lock.name) ?? null;
    const named = algorithm === this.#context.algorithm ? null : algorithm;
    const { epoch } = this.#view;
    return this.#context.locks.start(lock, this.#network(algorithm)!, {
      number: this.#first,
      members: this.#members,
      position: this.#position,
      root: inherited?.position ?? defaultRoot(lock.name, this.#members.length),
      inherited,
      last: this.#first,
      budget: this.#budget,
      envelope: (run, to, as, message) => ({
        type: 'run',
        epoch,
        lock: lock.name,
        algorithm: named,
        entry: run.last - this.#first,
        as,
        stamp: run.causalInbox?.stampFor(to) ?? null,
        message: message as AlgorithmMessage['message'],
      }),
    });
  }

  /** An algorithm with a `begin` handler must run at every member, even before a message arrives there. */
  #startEverywhere({ name, algorithm, run }: LocalLock<R>): void {
    if (run === null && this.#network(algorithm)!.algorithm.begin !== undefined)
      this.#context.broadcast({ type: 'begin', epoch: this.#view.epoch, lock: name, algorithm });
  }

  /**
   * Two algorithms for one lock do not exclude each other. All members use the algorithm of the group by default. Every member must
   * agree to any other one before the first request.
   */
  #isAgreed({ name, algorithm }: LocalLock<R>, run: LockRun): boolean {
    if (algorithm === this.#context.algorithm || run.inherited !== null) return true;
    if (run.awaitedAgreements === null) {
      run.awaitedAgreements = new Set(this.#members.keys());
      run.awaitedAgreements.delete(this.#position);
      this.#context.broadcast({ type: 'begin', epoch: this.#view.epoch, lock: name, algorithm });
    }
    return run.awaitedAgreements.size === 0;
  }

  // Messages.

  /** Only the member that held the lock before the view opens it. Returns false for any other one. */
  onOpen(name: string, sender: Pid): boolean {
    const hold = this.#inherited!.get(name);
    if (hold?.position !== sender) return false;
    hold.hasReentered = true;
    const lock = this.#context.locks.get(name);
    if (lock !== undefined) this.#context.locks.advance(lock);
    return true;
  }

  onBegin({ lock: name, algorithm }: ViewMessage & { type: 'begin' }, sender: Pid): void {
    const lock = this.#isKnown(algorithm) ? this.#lockFor(name, algorithm, sender) : null;
    if (lock === null) return;
    this.#runOf(lock);
    this.#context.sendTo(this.#members[sender]!, { type: 'agree', epoch: this.#view.epoch, lock: name });
  }

  onAgree(name: string, sender: Pid): void {
    const lock = this.#context.locks.get(name);
    if (lock?.run?.awaitedAgreements?.delete(sender)) this.#context.locks.advance(lock);
  }

  /** Whether a member can have sent this message of a run: it arrives by a link from there, and has the fields that its algorithm declares. */
  isPossible({ algorithm, entry, as, stamp, message }: AlgorithmMessage, sender: Pid): boolean {
    const network = this.#network(algorithm ?? this.#context.algorithm);
    if (network === null) return true; // an algorithm that only other members know: its messages are not handled
    return (
      entry <= lastEntry + this.#members.length &&
      (stamp !== null) === network.isCausal &&
      network.comesFrom(this.#position, as, sender) &&
      network.accepts(message)
    );
  }

  /** Handles a message that is possible. Returns false if it refers to earlier ones that were not sent, or if too much is held back. */
  onAlgorithmMessage(envelope: AlgorithmMessage, sender: Pid): boolean {
    const { locks } = this.#context;
    const algorithm = envelope.algorithm ?? this.#context.algorithm;
    const lock = this.#isKnown(algorithm) ? this.#lockFor(envelope.lock, algorithm, sender) : null;
    if (lock === null) return true;
    const run = this.#runOf(lock);
    const last = (due: AlgorithmMessage) => this.#first + due.entry;
    if (run.causalInbox === null) locks.deliver(lock, run, last(envelope), envelope);
    else if (run.causalInbox.arrive(sender, envelope.stamp, envelope))
      for (const due of run.causalInbox.due()) locks.deliver(lock, run, last(due as AlgorithmMessage), due);
    else return false;
    return true;
  }

  #isKnown(algorithm: string): boolean {
    const isKnown = this.#network(algorithm) !== null;
    if (!isKnown) this.#context.host.messageDropped('malformed');
    return isKnown;
  }

  /** Returns the lock, or null if this member uses another algorithm for it. */
  #lockFor(name: string, algorithm: string, sender: Pid): LocalLock<R> | null {
    const lock = this.#context.locks.add(name, algorithm);
    if (lock.algorithm === algorithm) return lock;
    this.#context.sendTo(this.#members[sender]!, { type: 'conflict', lock: name, algorithm: lock.algorithm });
    return null;
  }

  #network(name: string): LockNetwork | null {
    const known = this.#networks.get(name);
    if (known !== undefined) return known;
    const algorithm = this.#context.algorithmOf(name);
    if (algorithm === undefined) return null;
    const network = new LockNetwork(algorithm, this.#members.length);
    this.#networks.set(name, network);
    return network;
  }
}

/** Returns the same root at every member, so that requests find it. */
const defaultRoot = (name: string, n: number): Pid => (hash(name) >>> 0) % n;
