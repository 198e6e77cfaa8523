// The locks of one member: requests, grants, and the steps of the runs that pass each lock from member to member. A run source decides which
// run that is: `started-runs.ts`, or `view-runs.ts` in a view of the flush protocol.

import type { Pid } from '../core/algorithm.ts';
import { visibleText } from '../core/visible-text.ts';
import type { After, Host } from './host.ts';
import { electionOf, isElection } from './leaders.ts';
import { LocalLock } from './local-lock.ts';
import type { LockNetwork } from './lock-network.ts';
import { LockRun, type LockRunActions, type LockRunStart } from './lock-run.ts';
import type { AlgorithmMessage, HeldLock, MemberMessage, StepMessage } from './member-messages.ts';
import { epochOf, fenceOf, lastEntry, type MemberId } from './view.ts';

// Milliseconds.
const firstProbeDelay = 4;
const longestProbeDelay = 1000;
const tokenPaceMs = 2; // delay of a token that circulates without a request

/** The parts of a member that its lock table uses. */
export interface LockTableContext<R> {
  readonly host: Host<R>;
  readonly fence: (last: number) => number;
  readonly after: After;
  sendStep(to: MemberId, message: StepMessage | AlgorithmMessage): void;
  hintHandover(to: MemberId): void;
  broadcast(message: MemberMessage): void;
  announceLeader(election: string, term: number, ends: boolean): void;
  requestNewEpoch(): void;
  contractBroken(reason: string): void; // ends the membership
}

/** Where the runs of locks come from. */
export interface LockRunSource<R> {
  /** Returns the run in which this member may request the lock now. Returns null, and asks for a run, if it has to wait for one. */
  runFor(lock: LocalLock<R>): LockRun | null;
  /** The holder is inside again, in a run that started while it held the lock: others may request. */
  reentered(lock: LocalLock<R>, run: LockRun): void;
  /** The algorithm that a lock has which this member does not use; undefined: unknown. */
  algorithmOf(name: string): string | undefined;
  /** This member has no part in the lock any more. */
  forgotten(lock: LocalLock<R>): void;
  /** The members that may hold the lock; null: all. */
  mayHold(lock: LocalLock<R>): readonly MemberId[] | null;
}

/** Before the first view, and after the end. */
const noRuns: LockRunSource<never> = {
  runFor: () => null,
  reentered() {},
  algorithmOf: () => undefined,
  forgotten() {},
  mayHold: () => [],
};

export class LockTable<R> {
  readonly #all = new Map<string, LocalLock<R>>();
  readonly #waiting = new Set<LocalLock<R>>(); // those with waiting requests
  readonly #context: LockTableContext<R>;
  #source: LockRunSource<R> = noRuns;
  #attempts = 0;

  constructor(context: LockTableContext<R>) {
    this.#context = context;
  }

  [Symbol.iterator](): Iterator<LocalLock<R>> {
    return this.#all.values();
  }

  get size(): number {
    return this.#all.size;
  }

  /** The locks with waiting requests. */
  get waiting(): ReadonlySet<LocalLock<R>> {
    return this.#waiting;
  }

  get(name: string): LocalLock<R> | undefined {
    return this.#all.get(name);
  }

  /** @internal */
  inspectState() {
    const locks = [...this].map((lock) => {
      const { name, algorithm, waiting, attempts, holder, fence, run, promised, over, last } = lock;
      const left = lock.left && { number: lock.left.number, members: lock.left.members };
      const { wantedIn, claimed, isUntold, isHalfStarted, early, ticks, wasUsedRecently } = lock;
      const hold = holder === null ? null : { holder, fence }; // nobody reads the fence of an earlier hold
      const parts = { left, claimed, isUntold, isHalfStarted };
      const rounds = { promised, over, last, wantedIn, ...parts, early, ticks, wasUsedRecently };
      const inspected = run?.inspectState() ?? null;
      return { name, algorithm, waiting, attempts: [...attempts], hold, run: inspected, ...rounds };
    });
    return { locks, attempts: this.#attempts };
  }

  request(name: string, request: R, algorithm: string, isTry = false): void {
    const lock = this.add(name, algorithm);
    const { host } = this.#context;
    if (lock.algorithm !== algorithm) host.refused(request, algorithmConflict(name, lock.algorithm));
    else if (isTry && !lock.isIdle) host.busy(request);
    else {
      lock.wasUsedRecently = true;
      lock.waiting.push(request);
      this.advance(lock);
      if (lock.waiting.length > 0 && this.#all.get(name) === lock) this.#waiting.add(lock); // most are granted at once
      if (isTry && this.#all.get(name) === lock && lock.holder !== request) this.#try(lock, request);
    }
  }

  cancel(name: string, request: R): void {
    const lock = this.#all.get(name);
    if (lock !== undefined && this.#removeWaiter(lock, request)) this.forgetIdle(lock);
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
    } else {
      // Between two runs, or before re-entry: `#settle` finds no holder and releases.
      if (run === null) this.advance(lock);
      this.forgetIdle(lock);
    }
  }

  /** Refuses the waiting requests: other members use another algorithm. */
  conflict(name: string, algorithm: string): void {
    const lock = this.#all.get(name);
    if (lock === undefined) return;
    for (const request of [...lock.waiting]) {
      this.#removeWaiter(lock, request);
      this.#context.host.refused(request, algorithmConflict(name, algorithm));
    }
    this.forgetIdle(lock);
  }

  // Run sources.

  /** Ends all runs, and takes them from this source from now on. Requests and holds stay. */
  useSource(source: LockRunSource<R>): void {
    this.#source = source;
    for (const lock of this) {
      lock.run = null;
      lock.promised = 0;
      lock.over = 0;
      lock.wantedIn = -1;
      lock.left = null;
      lock.claimed = 0;
      lock.isUntold = lock.isHeld;
      lock.isHalfStarted = false;
      lock.early = [];
      if (lock.isIdle) this.#all.delete(lock.name);
    }
  }

  clear(): void {
    this.useSource(noRuns);
    for (const lock of this) lock.attempts.clear();
    this.#waiting.clear();
    this.#all.clear();
  }

  held(): HeldLock[] {
    const held: HeldLock[] = [];
    for (const { name: lock, algorithm, fence, holder } of this)
      if (holder !== null) held.push({ lock, algorithm, fence });
    return held;
  }

  /** Returns the lock, and adds it if this member does not have it. */
  add(name: string, algorithm: string): LocalLock<R> {
    let lock = this.#all.get(name);
    if (lock === undefined) {
      lock = new LocalLock<R>(name, this.#source.algorithmOf(name) ?? algorithm);
      this.#all.set(name, lock);
    } else if (lock.isIdle && lock.run === null && lock.claimed === 0) lock.algorithm = algorithm;
    return lock;
  }

  /** Forgets a lock that is idle and in which the member has no part. */
  forgetIdle(lock: LocalLock<R>): void {
    const isAwaited = lock.isStopped || lock.isHalfStarted; // the outcome of a round
    if (lock.run !== null || !lock.isIdle || isAwaited || !this.#all.delete(lock.name)) return;
    this.#source.forgotten(lock);
  }

  /** Starts this member's part in a run. */
  start(lock: LocalLock<R>, network: LockNetwork, start: LockRunStart): LockRun {
    const run = new LockRun(network, start, (one) => this.#actions(lock, one));
    lock.run = run;
    run.begin();
    return run;
  }

  /** Requests the lock that this member holds, in a run that has just started. */
  reenter(lock: LocalLock<R>, run: LockRun): void {
    run.isReentering = true;
    run.request();
    this.#settle(lock, run);
  }

  /** Handles a message of the run. `last` is the highest fence that the sender knows. */
  deliver(
    lock: LocalLock<R>,
    run: LockRun,
    last: number,
    { message, as }: StepMessage | AlgorithmMessage,
  ): void {
    if (last > run.last) run.last = last;
    if (!lock.wasUsedRecently) lock.wasUsedRecently = run.algorithm.perpetual !== true;
    run.receive(message, as);
    this.#settle(lock, run);
  }

  /** Requests the lock, if a request of the application waits and a run allows it. */
  advance(lock: LocalLock<R>): void {
    if (lock.waiting.length === 0 || lock.holder !== null) return;
    const run = this.#source.runFor(lock);
    if (run === null || run.phase !== 'idle' || run.inherited?.hasReentered === false) return;
    if (isExhausted(run)) this.#context.requestNewEpoch();
    else {
      run.request();
      this.#settle(lock, run);
    }
  }

  // Tries.

  onBusy(name: string, attempt: number): void {
    const lock = this.#all.get(name);
    const request = lock?.attempts.get(attempt);
    if (lock === undefined || request === undefined) return;
    lock.attempts.delete(attempt);
    if (!this.#removeWaiter(lock, request)) return;
    this.forgetIdle(lock);
    this.#context.host.busy(request);
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
      const probe = { type: 'probe', lock: lock.name, attempt } as const;
      const to = this.#source.mayHold(lock);
      if (to === null) this.#context.broadcast(probe);
      else for (const id of to) this.#context.host.send(id, probe);
      this.#context.after(delay, () => this.#probe(lock, attempt, Math.min(2 * delay, longestProbeDelay)));
    } else lock.attempts.delete(attempt);
  }

  // Steps of runs.

  /** Runs after every handler. If the algorithm entered, grants the lock to the first waiter, or releases it if there is none. */
  #settle(lock: LocalLock<R>, run: LockRun): void {
    if (run.phase === 'inside' && run.isReentering) {
      run.isReentering = false;
      this.#source.reentered(lock, run);
    }
    if (run.phase === 'inside' && lock.holder === null) {
      const request = lock.waiting[0];
      if (request === undefined) run.release();
      else if (this.#context.host.holdsLease()) this.#grant(lock, run, request);
    }
    if (run.phase === 'idle') this.advance(lock);
  }

  #grant(lock: LocalLock<R>, run: LockRun, request: R): void {
    lock.waiting.shift();
    if (lock.waiting.length === 0 && this.#waiting.size > 0) this.#waiting.delete(lock);
    lock.holder = request;
    lock.ticks = 0;
    const before = lock.fence;
    lock.fence = this.#context.fence(run.last);
    if (isElection(lock.name)) this.#context.announceLeader(electionOf(lock.name), lock.fence, false);
    this.#context.host.granted(request, lock.fence, lock.fence - before - 1);
  }

  #removeWaiter(lock: LocalLock<R>, request: R): boolean {
    const isRemoved = lock.removeWaiter(request);
    if (lock.waiting.length === 0) this.#waiting.delete(lock);
    return isRemoved;
  }

  #actions(lock: LocalLock<R>, run: LockRun): LockRunActions {
    const { after, sendStep, hintHandover } = this.#context;
    let timers: Map<string, () => void> | null = null;
    const { token, perpetual } = run.algorithm;
    const isPaced = perpetual === true;
    return {
      contractBroken: (reason) => this.#context.contractBroken(reason),
      send: (to, as, message) => {
        const envelope = run.envelope(run, to, as, message);
        const id = run.members[to]!;
        if (isPaced && (run.pacedSends.length > 0 || lock.isIdle)) {
          run.pacedSends.push({ to, envelope });
          after(tokenPaceMs, () => {
            run.pacedSends.shift();
            if (lock.run === run) sendStep(id, envelope);
          });
        } else sendStep(id, envelope);
        const next = token?.next?.(message);
        if (next !== undefined) this.#hint(run, next, hintHandover);
      },
      after: (milliseconds, message) => {
        timers ??= new Map();
        timers.get(message.type)?.();
        const fire = () => {
          timers!.delete(message.type);
          if (lock.run !== run) return;
          run.fire(message);
          this.#settle(lock, run);
        };
        timers.set(message.type, after(milliseconds, fire));
      },
      cancel: (type) => {
        timers?.get(type)?.();
        timers?.delete(type);
      },
    };
  }

  #hint(run: LockRun, next: Pid, hintHandover: (to: MemberId) => void): void {
    const id = run.members[next];
    if (id !== undefined && next !== run.position) hintHandover(id);
  }
}

/** The fences of an epoch are used up, but for those that members need that have not heard of it. */
export const isExhausted = ({ last }: LockRun): boolean => last - fenceOf(epochOf(last), 0) >= lastEntry;

const algorithmConflict = (name: string, algorithm: string) =>
  `lock '${visibleText(name)}' is handed on by ${visibleText(algorithm)} in this group: name the same algorithm in every process`;
