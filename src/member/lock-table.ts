// The locks of one member in the view that is installed, each handed on by one run of an algorithm.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { hash } from '../core/random.ts';
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
const tokenPaceMs = 2; // between two steps of a token that nobody asks for

/** What locks need of the member they belong to. */
export interface LockTableContext<W> {
  readonly host: Host<W>;
  readonly algorithm: string; // of the group
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly fence: (epoch: number, entry: number) => number;
  sendTo(to: Pid, word: MemberMessage): void;
  hintHandover(to: Pid): void;
  broadcast(word: MemberMessage): void;
  announceLeader(election: string, term: number, ends: boolean): void;
  requestNewEpoch(): void;
  contractBroken(reason: string): void; // the membership ends
}

/** The view in which runs go on, from its install to the next view. */
interface InstalledView {
  readonly view: View;
  readonly position: Pid;
  readonly inherited: ReadonlyMap<string, InheritedHold>;
  readonly networks: Map<string, LockNetwork>;
}

export class LockTable<W> {
  readonly #all = new Map<string, LocalLock<W>>();
  readonly #context: LockTableContext<W>;
  #installed: InstalledView | null = null;
  #attempts = 0;

  constructor(around: LockTableContext<W>) {
    this.#context = around;
  }

  [Symbol.iterator](): Iterator<LocalLock<W>> {
    return this.#all.values();
  }

  get(name: string): LocalLock<W> | undefined {
    return this.#all.get(name);
  }

  /** What is kept only because its part of a run is here, and was not used since this was last asked: a new epoch forgets it. */
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

  request(name: string, wait: W, algorithm: string, isTry = false): void {
    const lock = this.#lock(name, algorithm);
    const { host } = this.#context;
    if (lock.algorithm !== algorithm) host.refused(wait, algorithmConflict(name, lock.algorithm));
    else if (isTry && !lock.isIdle) host.busy(wait);
    else {
      lock.wasUsedRecently = true;
      lock.waiting.push(wait);
      this.#advance(lock);
      if (isTry && this.#all.get(name) === lock && lock.holder !== wait) this.#try(lock, wait);
    }
  }

  cancel(name: string, wait: W): void {
    const lock = this.#all.get(name);
    if (lock?.removeWaiter(wait)) this.#forgetIdle(lock);
  }

  release(name: string, wait: W): void {
    const lock = this.#all.get(name);
    if (lock === undefined || lock.holder !== wait) return;
    lock.holder = null;
    if (isElection(name)) this.#context.announceLeader(electionOf(name), lock.fence, true);
    const { run } = lock;
    if (run?.phase === 'inside') {
      run.release();
      this.#settle(lock, run);
    } else this.#forgetIdle(lock); // the view changes, or we are not yet inside again: `settle` will see that nobody holds it
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

  begin(view: View, position: Pid, held: readonly InheritedLock[]): void {
    const inherited = new Map<string, InheritedHold>();
    this.#installed = { view, position, inherited, networks: new Map() };
    for (const { lock, algorithm, by } of held) {
      if (inherited.has(lock)) fail(`two members of one view hold '${lock}'`);
      const hasReentered = this.#network(algorithm)?.entersWithoutMessages(by) ?? false;
      inherited.set(lock, { position: by, algorithm, hasReentered });
    }
    for (const [name, hold] of inherited)
      if (hold.position === position) this.#reenter(this.#lock(name, hold.algorithm));
    for (const lock of [...this]) this.#advance(lock);
  }

  // Words.

  onBusy(name: string, attempt: number): void {
    const lock = this.#all.get(name);
    const wait = lock?.attempts.get(attempt);
    if (lock === undefined || wait === undefined) return;
    lock.attempts.delete(attempt);
    if (!lock.removeWaiter(wait)) return;
    this.#forgetIdle(lock);
    this.#context.host.busy(wait);
  }

  onConflict(name: string, algorithm: string): void {
    const lock = this.#all.get(name);
    for (const wait of [...(lock?.waiting ?? [])]) {
      lock!.removeWaiter(wait);
      this.#context.host.refused(wait, algorithmConflict(name, algorithm));
    }
    if (lock !== undefined) this.#context.requestNewEpoch(); // who agreed with us before would hold to that until then
  }

  onOpen(name: string): void {
    const seat = this.#installed!.inherited.get(name);
    if (seat !== undefined) seat.hasReentered = true;
    const lock = this.#all.get(name);
    if (lock !== undefined) this.#advance(lock);
  }

  onBegin({ lock: name, algorithm }: ViewMessage & { type: 'begin' }, sender: Pid): void {
    const lock = this.#lockFor(name, algorithm, sender);
    if (lock === null) return;
    this.#runOf(lock);
    this.#context.sendTo(sender, { type: 'agree', epoch: this.#installed!.view.epoch, lock: name });
  }

  onAgree(name: string, sender: Pid): void {
    const lock = this.#all.get(name);
    if (lock?.run?.awaitedAgreements?.delete(sender)) this.#advance(lock);
  }

  onAlgorithmMessage(word: AlgorithmMessage, sender: Pid): void {
    const lock = this.#lockFor(word.lock, word.algorithm ?? this.#context.algorithm, sender);
    if (lock === null) return;
    const run = this.#runOf(lock);
    const { on, timers = [] } = run.algorithm;
    const { type } = word.message;
    const isKnown = Object.hasOwn(on, type) && !timers.includes(type);
    if (!isKnown || !run.layout.comesFrom(this.#installed!.position, word.as, sender))
      this.#context.host.messageDropped('malformed');
    else if (run.causalInbox === null) this.#deliver(lock, run, word);
    else if (run.causalInbox.isStamp(word.stamp))
      for (const due of run.causalInbox.arrived(sender, word.stamp, word)) this.#deliver(lock, run, due);
    else this.#context.host.messageDropped('malformed');
  }

  #deliver(lock: LocalLock<W>, run: LockRun, { entry, message, as }: AlgorithmMessage): void {
    if (entry > run.entry) run.entry = entry;
    lock.wasUsedRecently ||= run.algorithm.perpetual !== true;
    run.receive(message, as);
    this.#settle(lock, run);
  }

  /** The lock, if this member knows the algorithm and has no other for it. */
  #lockFor(name: string, algorithm: string, sender: Pid): LocalLock<W> | null {
    if (this.#network(algorithm) === null) {
      this.#context.host.messageDropped('malformed');
      return null;
    }
    const lock = this.#lock(name, algorithm);
    if (lock.algorithm === algorithm) return lock;
    this.#context.sendTo(sender, { type: 'conflict', lock: name, algorithm: lock.algorithm });
    return null;
  }

  // Runs.

  #runOf(lock: LocalLock<W>): LockRun {
    if (lock.run !== null) return lock.run;
    const { view, position, inherited } = this.#installed!;
    const seat = inherited.get(lock.name) ?? null;
    const root = seat?.position ?? defaultRoot(lock.name, view.members.length);
    const layout = this.#network(lock.algorithm)!;
    const run = new LockRun(layout, { position, root, seat }, (r) => this.#actions(lock, r));
    lock.run = run;
    run.begin();
    return run;
  }

  /** Of an algorithm that begins something by itself everybody's part must run, though nobody speaks to it. */
  #startRunEverywhere({ name, algorithm, run }: LocalLock<W>): void {
    if (run === null && this.#network(algorithm)!.algorithm.begin !== undefined)
      this.#context.broadcast({ type: 'begin', epoch: this.#installed!.view.epoch, lock: name, algorithm });
  }

  #advance(lock: LocalLock<W>): void {
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
   * Two algorithms for one lock do not exclude each other. That of the group is everybody's who is in it; any other must be agreed to by
   * all before it is asked for.
   */
  #isAgreed({ name, algorithm }: LocalLock<W>, run: LockRun): boolean {
    const { view, position } = this.#installed!;
    if (algorithm === this.#context.algorithm || run.inherited !== null) return true;
    if (run.awaitedAgreements === null) {
      run.awaitedAgreements = new Set(view.members.keys());
      run.awaitedAgreements.delete(position);
      this.#context.broadcast({ type: 'begin', epoch: view.epoch, lock: name, algorithm });
    }
    return run.awaitedAgreements.size === 0;
  }

  /** After every handler: if that brought us inside, whose turn is it? */
  #settle(lock: LocalLock<W>, run: LockRun): void {
    if (run.phase === 'inside' && run.isReentering) this.#reentered(lock, run);
    if (run.phase === 'inside' && lock.holder === null) {
      const wait = lock.waiting[0];
      if (wait === undefined) run.release();
      else if (this.#context.host.holdsLease()) this.#grant(lock, run, wait);
    }
    if (run.phase === 'idle') this.#advance(lock);
  }

  #grant(lock: LocalLock<W>, run: LockRun, wait: W): void {
    lock.waiting.shift();
    lock.holder = wait;
    const before = lock.fence;
    lock.fence = this.#context.fence(this.#installed!.view.epoch, run.entry);
    if (isElection(lock.name)) this.#context.announceLeader(electionOf(lock.name), lock.fence, false);
    this.#context.host.granted(wait, lock.fence, lock.fence - before - 1);
  }

  #reenter(lock: LocalLock<W>): void {
    this.#startRunEverywhere(lock);
    const run = this.#runOf(lock);
    run.isReentering = true;
    run.request();
    this.#settle(lock, run);
  }

  #reentered({ name }: LocalLock<W>, run: LockRun): void {
    run.isReentering = false;
    if (run.inherited!.hasReentered) return;
    run.inherited!.hasReentered = true;
    this.#context.broadcast({ type: 'open', epoch: this.#installed!.view.epoch, lock: name });
  }

  #actions(lock: LocalLock<W>, run: LockRun): LockRunActions {
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
        const word = {
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
          run.pacedSends.push({ to, word });
          host.after(tokenPaceMs, () => {
            run.pacedSends.shift();
            if (lock.run === run) sendTo(to, word);
          });
        } else sendTo(to, word);
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

  #try(lock: LocalLock<W>, wait: W): void {
    this.#attempts += 1;
    lock.attempts.set(this.#attempts, wait);
    this.#probe(lock, this.#attempts, firstProbeDelay);
  }

  /** Whoever holds it says so. If nobody does, this wait is granted soon, or somebody else's before it. */
  #probe(lock: LocalLock<W>, attempt: number, again: number): void {
    const wait = lock.attempts.get(attempt);
    if (wait === undefined) return;
    if (lock.waiting.includes(wait)) {
      this.#context.broadcast({ type: 'probe', lock: lock.name, attempt });
      this.#context.host.after(again, () =>
        this.#probe(lock, attempt, Math.min(2 * again, longestProbeDelay)),
      );
    } else lock.attempts.delete(attempt);
  }

  #lock(name: string, algorithm: string): LocalLock<W> {
    let lock = this.#all.get(name);
    if (lock === undefined) {
      lock = new LocalLock<W>(name, this.#installed?.inherited.get(name)?.algorithm ?? algorithm);
      this.#all.set(name, lock);
    }
    return lock;
  }

  #network(name: string): LockNetwork | null {
    const { networks, view } = this.#installed!;
    const known = networks.get(name);
    const algorithm = known?.algorithm ?? this.#context.algorithmOf(name);
    if (algorithm === undefined) return null;
    const layout = known ?? new LockNetwork(algorithm, view.members.length);
    networks.set(name, layout);
    return layout;
  }

  #forgetIdle(lock: LocalLock<W>): void {
    if (lock.run === null && lock.isIdle) this.#all.delete(lock.name);
  }
}

/** The same member everywhere, so that a request finds the root. */
const defaultRoot = (name: string, n: number): Pid => (hash(name) >>> 0) % n;

const algorithmConflict = (name: string, algorithm: string) =>
  `lock '${name}' is handed on by ${algorithm} in this group: name the same algorithm in every process`;
