// The locks of one member in the installed view. One run of an algorithm passes each lock from member to member.

import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { hash } from '../core/random.ts';
import { visibleText } from '../core/visible-text.ts';
import { MemoryBudget } from './early-messages.ts';
import type { Host } from './host.ts';
import { electionOf, isElection } from './leaders.ts';
import { LocalLock } from './local-lock.ts';
import { LockNetwork } from './lock-network.ts';
import { type InheritedHold, LockRun, type LockRunActions } from './lock-run.ts';
import type {
  AlgorithmMessage,
  HeldLock,
  InheritedLock,
  MemberMessage,
  ViewMessage,
} from './member-messages.ts';
import { lastEntry, type View } from './view.ts';

// Milliseconds.
const firstProbeDelay = 4;
const longestProbeDelay = 1000;
const tokenPaceMs = 2; // delay of a token that circulates without a request

/** The parts of a member that its lock table uses. */
export interface LockTableContext<R> {
  readonly host: Host<R>;
  readonly algorithm: string; // of the group
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly fence: (epoch: number, entry: number) => number;
  sendTo(to: Pid, message: MemberMessage): void;
  hintHandover(to: Pid): void;
  broadcast(message: MemberMessage): void;
  announceLeader(election: string, term: number, ends: boolean): void;
  requestNewEpoch(): void;
  contractBroken(reason: string): void; // ends the membership
}

/** The state of one view, from its installation to the next view. */
interface InstalledView {
  readonly view: View;
  readonly position: Pid;
  readonly inherited: ReadonlyMap<string, InheritedHold>;
  readonly networks: Map<string, LockNetwork>;
  readonly budget: MemoryBudget<Pid>; // of messages that causal channels hold back
}

export class LockTable<R> {
  readonly #all = new Map<string, LocalLock<R>>();
  readonly #context: LockTableContext<R>;
  #installed: InstalledView | null = null;
  #attempts = 0;

  constructor(context: LockTableContext<R>) {
    this.#context = context;
  }

  [Symbol.iterator](): Iterator<LocalLock<R>> {
    return this.#all.values();
  }

  get(name: string): LocalLock<R> | undefined {
    return this.#all.get(name);
  }

  /** @internal */
  inspectState() {
    const locks = [...this].map(({ name, algorithm, waiting, attempts, holder, fence, run }) => {
      const hold = holder === null ? null : { holder, fence }; // nobody reads the fence of an earlier hold
      return { name, algorithm, waiting, attempts: [...attempts], hold, run: run?.inspectState() ?? null };
    });
    return { locks, inherited: [...(this.#installed?.inherited ?? [])], attempts: this.#attempts };
  }

  /** Counts locks that are idle and unused since the last call. Only a new epoch can forget them. */
  countStale(): { readonly stale: number; readonly used: number } {
    let stale = 0;
    let used = 0;
    for (const lock of this) {
      if (lock.isIdle && !lock.wasUsedRecently) stale += 1;
      else used += 1;
      lock.wasUsedRecently = false;
    }
    return { stale, used };
  }

  request(name: string, request: R, algorithm: string, isTry = false): void {
    const lock = this.#lock(name, algorithm);
    const { host } = this.#context;
    if (lock.algorithm !== algorithm) host.refused(request, algorithmConflict(name, lock.algorithm));
    else if (isTry && !lock.isIdle) host.busy(request);
    else {
      lock.wasUsedRecently = true;
      lock.waiting.push(request);
      this.#advance(lock);
      if (isTry && this.#all.get(name) === lock && lock.holder !== request) this.#try(lock, request);
    }
  }

  cancel(name: string, request: R): void {
    const lock = this.#all.get(name);
    if (lock?.removeWaiter(request)) this.#forgetIdle(lock);
  }

  release(name: string, request: R): void {
    const lock = this.#all.get(name);
    if (lock === undefined || lock.holder !== request) return;
    lock.holder = null;
    if (isElection(name)) this.#context.announceLeader(electionOf(name), lock.fence, true);
    const { run } = lock;
    if (run?.phase === 'inside') {
      run.release();
      this.#settle(lock, run);
    } else this.#forgetIdle(lock); // between views, or before re-entry: `#settle` finds no holder and releases
  }

  // Views.

  held(): HeldLock[] {
    const held: HeldLock[] = [];
    for (const { name: lock, algorithm, fence, holder } of this)
      if (holder !== null) held.push({ lock, algorithm, fence });
    return held;
  }

  stop(): void {
    this.#installed = null;
    for (const lock of this) {
      lock.run = null;
      this.#forgetIdle(lock);
    }
  }

  clear(): void {
    this.stop();
    for (const lock of this) lock.attempts.clear();
    this.#all.clear();
  }

  /** Whether every lock that this member holds is named as its own. If one is not, other members do not wait for its release. */
  areAllNamed(position: Pid, held: readonly InheritedLock[]): boolean {
    const own = new Map(held.filter(({ by }) => by === position).map((one) => [one.lock, one]));
    return this.held().every(({ lock, algorithm, fence }) => {
      const named = own.get(lock);
      return named?.algorithm === algorithm && named.fence === fence;
    });
  }

  /** No lock may be named twice, and every position must be in the view. */
  begin(view: View, position: Pid, held: readonly InheritedLock[]): void {
    const inherited = new Map<string, InheritedHold>();
    this.#installed = { view, position, inherited, networks: new Map(), budget: new MemoryBudget() };
    for (const { lock, algorithm, by } of held) {
      const hasReentered = this.#network(algorithm)?.entersWithoutMessages(by) ?? false;
      inherited.set(lock, { position: by, algorithm, hasReentered });
    }
    for (const [name, hold] of inherited)
      if (hold.position === position) this.#reenter(this.#lock(name, hold.algorithm));
    for (const lock of [...this]) this.#advance(lock);
  }

  // Messages.

  onBusy(name: string, attempt: number): void {
    const lock = this.#all.get(name);
    const request = lock?.attempts.get(attempt);
    if (lock === undefined || request === undefined) return;
    lock.attempts.delete(attempt);
    if (!lock.removeWaiter(request)) return;
    this.#forgetIdle(lock);
    this.#context.host.busy(request);
  }

  onConflict(name: string, algorithm: string): void {
    const lock = this.#all.get(name);
    for (const request of [...(lock?.waiting ?? [])]) {
      lock!.removeWaiter(request);
      this.#context.host.refused(request, algorithmConflict(name, algorithm));
    }
    if (lock !== undefined) this.#context.requestNewEpoch(); // members that agreed to our algorithm keep it until then
  }

  /** Only the member that held the lock before the view opens it. Returns false for any other one. */
  onOpen(name: string, sender: Pid): boolean {
    const hold = this.#installed!.inherited.get(name);
    if (hold?.position !== sender) return false;
    hold.hasReentered = true;
    const lock = this.#all.get(name);
    if (lock !== undefined) this.#advance(lock);
    return true;
  }

  onBegin({ lock: name, algorithm }: ViewMessage & { type: 'begin' }, sender: Pid): void {
    const lock = this.#isKnown(algorithm) ? this.#lockFor(name, algorithm, sender) : null;
    if (lock === null) return;
    this.#runOf(lock);
    this.#context.sendTo(sender, { type: 'agree', epoch: this.#installed!.view.epoch, lock: name });
  }

  onAgree(name: string, sender: Pid): void {
    const lock = this.#all.get(name);
    if (lock?.run?.awaitedAgreements?.delete(sender)) this.#advance(lock);
  }

  /** Whether a member can have sent this message of a run: it arrives by a link from there, and has the fields that its algorithm declares. */
  isPossible({ algorithm, entry, as, stamp, message }: AlgorithmMessage, sender: Pid): boolean {
    const { view, position } = this.#installed!;
    const network = this.#network(algorithm ?? this.#context.algorithm);
    if (network === null) return true; // an algorithm that only other members know: its messages are not handled
    return (
      entry <= lastEntry + view.members.length &&
      (stamp !== null) === network.isCausal &&
      network.comesFrom(position, as, sender) &&
      network.accepts(message)
    );
  }

  /** Handles a message that is possible. Returns false if it refers to earlier ones that were not sent, or if too much is held back. */
  onAlgorithmMessage(envelope: AlgorithmMessage, sender: Pid): boolean {
    const algorithm = envelope.algorithm ?? this.#context.algorithm;
    const lock = this.#isKnown(algorithm) ? this.#lockFor(envelope.lock, algorithm, sender) : null;
    if (lock === null) return true;
    const run = this.#runOf(lock);
    if (run.causalInbox === null) this.#deliver(lock, run, envelope);
    else if (run.causalInbox.arrive(sender, envelope.stamp, envelope))
      for (const due of run.causalInbox.due()) this.#deliver(lock, run, due);
    else return false;
    return true;
  }

  #deliver(lock: LocalLock<R>, run: LockRun, { entry, message, as }: AlgorithmMessage): void {
    if (entry > run.entry) run.entry = entry;
    lock.wasUsedRecently ||= run.algorithm.perpetual !== true;
    run.receive(message, as);
    this.#settle(lock, run);
  }

  #isKnown(algorithm: string): boolean {
    const isKnown = this.#network(algorithm) !== null;
    if (!isKnown) this.#context.host.messageDropped('malformed');
    return isKnown;
  }

  /** Returns the lock, or null if this member uses another algorithm for it. */
  #lockFor(name: string, algorithm: string, sender: Pid): LocalLock<R> | null {
    const lock = this.#lock(name, algorithm);
    if (lock.algorithm === algorithm) return lock;
    this.#context.sendTo(sender, { type: 'conflict', lock: name, algorithm: lock.algorithm });
    return null;
  }

  // Runs.

  #runOf(lock: LocalLock<R>): LockRun {
    if (lock.run !== null) return lock.run;
    const { view, position, inherited, budget } = this.#installed!;
    const hold = inherited.get(lock.name) ?? null;
    const root = hold?.position ?? defaultRoot(lock.name, view.members.length);
    const network = this.#network(lock.algorithm)!;
    const at = { position, root, inherited: hold, budget };
    const run = new LockRun(network, at, (r) => this.#actions(lock, r));
    lock.run = run;
    run.begin();
    return run;
  }

  /** An algorithm with a `begin` handler must run at every member, even before a message arrives there. */
  #startRunEverywhere({ name, algorithm, run }: LocalLock<R>): void {
    if (run === null && this.#network(algorithm)!.algorithm.begin !== undefined)
      this.#context.broadcast({ type: 'begin', epoch: this.#installed!.view.epoch, lock: name, algorithm });
  }

  #advance(lock: LocalLock<R>): void {
    if (this.#installed === null || lock.waiting.length === 0 || lock.holder !== null) return;
    if (lock.run === null) this.#startRunEverywhere(lock);
    const run = this.#runOf(lock);
    if (run.phase !== 'idle' || run.inherited?.hasReentered === false || !this.#isAgreed(lock, run)) return;
    if (run.entry < lastEntry) {
      run.request();
      this.#settle(lock, run);
    } else this.#context.requestNewEpoch();
  }

  /**
   * Two algorithms for one lock do not exclude each other. All members use the algorithm of the group by default. Every member must
   * agree to any other one before the first request.
   */
  #isAgreed({ name, algorithm }: LocalLock<R>, run: LockRun): boolean {
    const { view, position } = this.#installed!;
    if (algorithm === this.#context.algorithm || run.inherited !== null) return true;
    if (run.awaitedAgreements === null) {
      run.awaitedAgreements = new Set(view.members.keys());
      run.awaitedAgreements.delete(position);
      this.#context.broadcast({ type: 'begin', epoch: view.epoch, lock: name, algorithm });
    }
    return run.awaitedAgreements.size === 0;
  }

  /** Runs after every handler. If the algorithm entered, grants the lock to the first waiter, or releases it if there is none. */
  #settle(lock: LocalLock<R>, run: LockRun): void {
    if (run.phase === 'inside' && run.isReentering) this.#reentered(lock, run);
    if (run.phase === 'inside' && lock.holder === null) {
      const request = lock.waiting[0];
      if (request === undefined) run.release();
      else if (this.#context.host.holdsLease()) this.#grant(lock, run, request);
    }
    if (run.phase === 'idle') this.#advance(lock);
  }

  #grant(lock: LocalLock<R>, run: LockRun, request: R): void {
    lock.waiting.shift();
    lock.holder = request;
    const before = lock.fence;
    lock.fence = this.#context.fence(this.#installed!.view.epoch, run.entry);
    if (isElection(lock.name)) this.#context.announceLeader(electionOf(lock.name), lock.fence, false);
    this.#context.host.granted(request, lock.fence, lock.fence - before - 1);
  }

  #reenter(lock: LocalLock<R>): void {
    this.#startRunEverywhere(lock);
    const run = this.#runOf(lock);
    run.isReentering = true;
    run.request();
    this.#settle(lock, run);
  }

  #reentered({ name }: LocalLock<R>, run: LockRun): void {
    run.isReentering = false;
    if (run.inherited!.hasReentered) return;
    run.inherited!.hasReentered = true;
    this.#context.broadcast({ type: 'open', epoch: this.#installed!.view.epoch, lock: name });
  }

  #actions(lock: LocalLock<R>, run: LockRun): LockRunActions {
    const { name } = lock;
    const { epoch } = this.#installed!.view;
    const { host, sendTo, hintHandover } = this.#context;
    const algorithm = lock.algorithm === this.#context.algorithm ? null : lock.algorithm;
    const timers = new Map<string, () => void>();
    const { token, perpetual } = run.algorithm;
    const isPaced = perpetual === true;
    return {
      contractBroken: (reason) => this.#context.contractBroken(reason),
      send: (to, as, message) => {
        const stamp = run.causalInbox?.stampFor(to) ?? null;
        const envelope = {
          type: 'run',
          epoch,
          lock: name,
          algorithm,
          entry: run.entry,
          as,
          stamp,
          message: message as AlgorithmMessage['message'],
        } as const;
        if (isPaced && (run.pacedSends.length > 0 || lock.isIdle)) {
          run.pacedSends.push({ to, envelope });
          host.after(tokenPaceMs, () => {
            run.pacedSends.shift();
            if (lock.run === run) sendTo(to, envelope);
          });
        } else sendTo(to, envelope);
        const next = token?.next?.(message);
        if (next !== undefined) hintHandover(next);
      },
      after: (milliseconds, message) => {
        timers.get(message.type)?.();
        const fire = () => {
          timers.delete(message.type);
          if (lock.run !== run) return;
          run.fire(message);
          this.#settle(lock, run);
        };
        timers.set(message.type, host.after(milliseconds, fire));
      },
      cancel: (type) => {
        timers.get(type)?.();
        timers.delete(type);
      },
    };
  }

  #try(lock: LocalLock<R>, request: R): void {
    this.#attempts += 1;
    lock.attempts.set(this.#attempts, request);
    this.#probe(lock, this.#attempts, firstProbeDelay);
  }

  /** The holder answers a probe. Without a holder, this request or an earlier one is granted soon. */
  #probe(lock: LocalLock<R>, attempt: number, delay: number): void {
    const request = lock.attempts.get(attempt);
    if (request === undefined) return;
    if (lock.waiting.includes(request)) {
      this.#context.broadcast({ type: 'probe', lock: lock.name, attempt });
      this.#context.host.after(delay, () =>
        this.#probe(lock, attempt, Math.min(2 * delay, longestProbeDelay)),
      );
    } else lock.attempts.delete(attempt);
  }

  #lock(name: string, algorithm: string): LocalLock<R> {
    let lock = this.#all.get(name);
    if (lock === undefined) {
      lock = new LocalLock<R>(name, this.#installed?.inherited.get(name)?.algorithm ?? algorithm);
      this.#all.set(name, lock);
    }
    return lock;
  }

  #network(name: string): LockNetwork | null {
    const { networks, view } = this.#installed!;
    const known = networks.get(name);
    if (known !== undefined) return known;
    const algorithm = this.#context.algorithmOf(name);
    if (algorithm === undefined) return null;
    const network = new LockNetwork(algorithm, view.members.length);
    networks.set(name, network);
    return network;
  }

  #forgetIdle(lock: LocalLock<R>): void {
    if (lock.run === null && lock.isIdle) this.#all.delete(lock.name);
  }
}

/** Returns the same root at every member, so that requests find it. */
const defaultRoot = (name: string, n: number): Pid => (hash(name) >>> 0) % n;

const algorithmConflict = (name: string, algorithm: string) =>
  `lock '${visibleText(name)}' is handed on by ${visibleText(algorithm)} in this group: name the same algorithm in every process`;
