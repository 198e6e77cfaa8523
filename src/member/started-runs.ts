// This member's part in the runs that homes start. docs/internals/membership.md has the rules; their numbers stand here.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { Departures } from './departures.ts';
import { MemoryBudget } from './early-messages.ts';
import type { Host } from './host.ts';
import type { LocalLock } from './local-lock.ts';
import { carriesToken, LockNetwork } from './lock-network.ts';
import { type LockRun, stepEnvelope } from './lock-run.ts';
import { isExhausted, type LockRunSource, type LockTable } from './lock-table.ts';
import type {
  Claim,
  EarlyRunMessage,
  HomeMessage,
  IdleLock,
  MemberMessage,
  RunMessage,
  StepMessage,
} from './member-messages.ts';
import { retainedBytes } from './retained-bytes.ts';
import { epochOf, fenceOf, lastEntry, type MemberId, mostMembers, type View } from './view.ts';

/** The parts of a member that its runs use. */
export interface StartedRunsContext<R> {
  readonly host: Pick<Host<R>, 'memberOut' | 'messageDropped'>;
  readonly id: MemberId;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly locks: LockTable<R>;
  sendTo(to: MemberId, message: MemberMessage): void;
  malformed(from: MemberId): void; // no working member can have sent its message
}

type Stop = HomeMessage & { type: 'stop' };
type Start = HomeMessage & { type: 'start' };

export class StartedRuns<R> implements LockRunSource<R> {
  readonly #context: StartedRunsContext<R>;
  readonly #networks = new Map<string, LockNetwork>(); // by algorithm and size
  readonly #stopped = new Set<LocalLock<R>>(); // those between a stop and its outcome
  readonly #departures: Departures;
  readonly #budget = new MemoryBudget<MemberId>(); // of messages for runs that have not started here
  #view!: View;
  #members = new Set<MemberId>(); // of the view
  #homes: readonly MemberId[] = []; // by slot

  constructor(context: StartedRunsContext<R>) {
    this.#context = context;
    this.#departures = new Departures(context.sendTo);
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return { left: this.#departures.inspectState(), stopped: [...this.#stopped].map(({ name }) => name) };
  }

  homeOf({ slot }: LocalLock<R>): MemberId {
    return this.#homes[slot]!;
  }

  // Views.

  /** Runs continue. A member that waits without a run asks the home of the new view (rule 8). */
  viewChanged(view: View, homes: readonly MemberId[]): void {
    this.#view = view;
    this.#members = new Set(view.members.map(({ id }) => id));
    this.#homes = homes;
    const { locks } = this.#context;
    this.#departures.viewChanged(view.epoch, homes);
    for (const lock of this.#stopped) this.#abandon(lock);
    for (const lock of [...locks.waiting]) {
      if (lock.run !== null && isExhausted(lock.run) && epochOf(lock.run.last) < view.epoch)
        lock.over = Math.max(lock.over, lock.run.number);
      locks.advance(lock);
    }
  }

  /**
   * The run that was promised counts as over. Others may have started it, and wait for this member, so it asks the home again in every view
   * until it hears an outcome (rule 10).
   */
  #abandon(lock: LocalLock<R>): void {
    lock.over = Math.max(lock.over, lock.promised);
    this.#refuseEarly(lock);
    if (lock.left !== null) this.#tellOver(lock, lock.left.members);
    if (lock.left !== null) lock.left = { ...lock.left, members: [] }; // told
    lock.isHalfStarted = true;
    this.#want(lock);
  }

  /** Messages between this member and the peer were lost: the runs that they share are over (rule 14). */
  gap(peer: MemberId): void {
    for (const lock of [...this.#context.locks]) {
      const { run } = lock;
      if (run === null || run.positionOf(peer) < 0) continue;
      this.#leave(lock, run);
      lock.isUntold = true;
      for (const id of run.members)
        if (id !== this.#context.id)
          this.#context.sendTo(id, { type: 'over', lock: lock.name, run: run.number });
      this.#context.locks.advance(lock);
      this.#context.locks.forgetIdle(lock);
    }
  }

  // Run source.

  runFor(lock: LocalLock<R>): LockRun | null {
    const { run } = lock;
    if (run !== null && this.isUsable(lock, run)) return run;
    if (run !== null) lock.over = Math.max(lock.over, run.number);
    if (lock.wantedIn !== this.#view.epoch) this.#want(lock);
    return null;
  }

  /** A run is usable while it is not over and all its members are in the view (rule 1). */
  isUsable({ over }: LocalLock<R>, run: LockRun): boolean {
    if (run.number <= over) return false;
    if (run.checkedEpoch === this.#view.epoch) return true;
    if (!run.members.every((id) => this.#members.has(id))) return false;
    run.checkedEpoch = this.#view.epoch;
    return true;
  }

  /** The lock is handed on too slowly, and a member of its run does not answer. */
  restart(lock: LocalLock<R>): void {
    if (lock.run === null || lock.run.number <= lock.over) return;
    lock.over = lock.run.number;
    lock.wantedIn = -1;
    this.#context.locks.advance(lock);
  }

  #want(lock: LocalLock<R>): void {
    const { name, algorithm, over, waiting } = lock;
    const isWaiting = waiting.length > 0;
    const { epoch } = this.#view;
    lock.wantedIn = isWaiting ? epoch : -1;
    this.#context.sendTo(this.homeOf(lock), { type: 'want', epoch, lock: name, algorithm, over, isWaiting });
  }

  reentered(lock: LocalLock<R>, run: LockRun): void {
    if (run.inherited!.hasReentered) return;
    run.inherited!.hasReentered = true;
    for (const id of run.members)
      if (id !== this.#context.id)
        this.#context.sendTo(id, { type: 'opened', lock: lock.name, run: run.number });
  }

  algorithmOf(): undefined {}

  /** The home does not know that this member has no part in the lock any more. */
  forgotten({ name, isUntold, promised, over, last, claimed: closes }: LocalLock<R>): void {
    if (!isUntold) return;
    const idle = { lock: name, run: Math.max(promised, over), last, closes };
    this.#departures.add(idle);
    this.#departures.tell([idle]);
  }

  mayHold({ run }: LocalLock<R>): readonly MemberId[] {
    return run?.members.filter((id) => id !== this.#context.id) ?? [];
  }

  // Messages of the home.

  /** Leaves the run, and says what this member has of it (rule 3). */
  onStop({ run: number, lock: name }: Stop, home: MemberId): boolean {
    const lock = this.#context.locks.get(name) ?? this.#context.locks.add(name, '');
    if (number <= lock.promised) return false;
    const { run } = lock;
    const claim: Claim = lock.isHeld ? 'lock' : run?.canClaimToken ? 'token' : 'none';
    const hasPart = run !== null || lock.isHeld;
    if (run !== null) {
      const isUnique = run.isTokenUnique;
      lock.left = {
        number: run.number,
        members: run.members,
        carriesToken: (message) => isUnique && carriesToken(run.algorithm, message),
      };
      this.#leave(lock, run);
    }
    this.#refuseEarly(lock);
    lock.promised = number;
    this.#stopped.add(lock);
    const isWaiting = lock.waiting.length > 0;
    lock.wantedIn = isWaiting ? this.#view.epoch : -1;
    this.#context.sendTo(home, {
      type: 'stopped',
      run: number,
      lock: name,
      algorithm: hasPart || isWaiting || lock.claimed !== 0 ? lock.algorithm : null,
      claim,
      closes: lock.claimed,
      last: Math.max(lock.last, lock.isHeld ? lock.fence : 0),
      isWaiting,
      isUsing: hasPart && lock.wasUsedRecently,
    });
    return true;
  }

  #leave(lock: LocalLock<R>, run: LockRun): void {
    lock.claimed = lock.isHeld || run.canClaimToken ? run.number : 0;
    lock.over = Math.max(lock.over, run.number);
    lock.last = Math.max(lock.last, run.last);
    lock.run = null;
  }

  /** The outcome of a round. Returns false if no working home can have sent it. */
  onStart(start: Start): boolean {
    const { run: number, lock: name, members: positions, unanswered, root, isHeld, last } = start;
    const { locks, host } = this.#context;
    const size = this.#view.members.length;
    const isPossible =
      [...positions, ...unanswered].every((at) => at < size) &&
      new Set(positions).size === positions.length &&
      (positions.length === 0 || root < positions.length) &&
      last < fenceOf(this.#view.epoch + 1, 0);
    if (!isPossible) return false;
    const idOf = (at: Pid) => this.#view.members[at]!.id;
    const members = positions.map(idOf);
    const position = members.indexOf(this.#context.id);
    const { algorithm } = start;
    if (position >= 0 && algorithm === null) return false;
    const network = position < 0 ? null : this.#network(algorithm!, members.length);
    const lock = locks.get(name) ?? (position < 0 ? null : locks.add(name, algorithm!));
    if (lock === null) return true; // it was forgotten meanwhile
    if (number < lock.promised) return true; // a later round has begun
    if (position >= 0 && (network === null || lock.algorithm !== algorithm)) return false;
    this.#stopped.delete(lock);
    this.#departures.noted(name);
    lock.claimed = 0;
    lock.isUntold = false;
    lock.isHalfStarted = false;
    this.#tellOver(lock, unanswered.map(idOf));
    lock.left = null;
    lock.promised = number;
    lock.wantedIn = -1;
    lock.ticks = 0;
    if (lock.isHeld && (position < 0 || !isHeld || root !== position)) {
      host.memberOut('forgotten'); // others do not wait for its release
      return true;
    }
    if (position < 0) this.#leftOut(lock, number);
    else this.#begin(lock, network!, { ...start, members, position });
    return true;
  }

  #leftOut(lock: LocalLock<R>, number: number): void {
    lock.over = number;
    this.#refuseEarly(lock);
    this.#context.locks.advance(lock);
    this.#context.locks.forgetIdle(lock);
  }

  #begin(
    lock: LocalLock<R>,
    network: LockNetwork,
    {
      run: number,
      members,
      position,
      root,
      isHeld,
      last,
    }: Omit<Start, 'members'> & {
      readonly members: readonly MemberId[];
      readonly position: Pid;
    },
  ): void {
    const { locks } = this.#context;
    const { algorithm } = lock;
    const hasReentered = members.length === 1 || network.entersWithoutMessages(root);
    const run = locks.start(lock, network, {
      ...{ number, members, position, root, last },
      inherited: isHeld ? { position: root, algorithm, hasReentered } : null,
      budget: new MemoryBudget<Pid>(),
      envelope: stepEnvelope(lock.name, number),
    });
    run.checkedEpoch = this.#view.epoch;
    if (isHeld && root === position) locks.reenter(lock, run);
    else locks.advance(lock);
    const { early } = lock;
    lock.early = [];
    for (const { from, message, bytes } of early) {
      this.#budget.give(from, bytes);
      if (lock.run === run && !this.#handle(lock, run, message, from)) this.#context.malformed(from);
    }
  }

  // Messages of runs.

  /** Handles a message of a run, or keeps it until the run starts here. Returns false if no working member can have sent it. */
  received(message: EarlyRunMessage, from: MemberId): boolean {
    const lock = this.#context.locks.get(message.lock);
    if (lock?.run?.number === message.run) return this.#handle(lock, lock.run, message, from);
    if (lock?.isStopped && lock.promised === message.run) return this.#keepEarly(lock, message, from);
    this.#context.sendTo(from, { type: 'over', lock: message.lock, run: message.run }); // rule 12
    if (lock !== undefined && message.type === 'step') this.#refuseToken(lock, message);
    return true;
  }

  /** A token that arrives after its run was left here goes no further: that run is closed (rule 3). */
  #refuseToken(lock: LocalLock<R>, { run, message, entry }: StepMessage): void {
    const { left, name, over } = lock;
    if (left?.number !== run || lock.isHeld || !left.carriesToken(message)) return;
    lock.claimed = run;
    lock.last = Math.max(lock.last, fenceOf(epochOf(run), entry));
    const { epoch } = this.#view;
    const closed = { lock: name, run: over, last: lock.last, closes: run };
    this.#context.sendTo(this.homeOf(lock), { type: 'idle', epoch, locks: [closed] });
  }

  onOver({ lock: name, run: number }: RunMessage & { type: 'over' }): void {
    const lock = this.#context.locks.get(name);
    if (lock?.run && lock.run.number <= number) this.restart(lock);
  }

  #handle(lock: LocalLock<R>, run: LockRun, message: EarlyRunMessage, from: MemberId): boolean {
    const sender = run.positionOf(from);
    if (message.type === 'step') return this.#deliver(lock, run, message, sender);
    if (run.inherited === null || sender !== run.root) return false; // only the holder opens the run
    run.inherited.hasReentered = true;
    this.#context.locks.advance(lock);
    return true;
  }

  #deliver(lock: LocalLock<R>, run: LockRun, message: StepMessage, sender: Pid): boolean {
    const { entry, as, stamp } = message;
    const { network, causalInbox } = run;
    const isPossible =
      sender >= 0 &&
      entry <= lastEntry + mostMembers &&
      (stamp !== null) === network.isCausal &&
      network.comesFrom(run.position, as, sender) &&
      network.accepts(message.message);
    if (!isPossible) return false;
    const first = fenceOf(epochOf(run.number), 0);
    const { locks } = this.#context;
    if (causalInbox === null) locks.deliver(lock, run, first + entry, message);
    else if (causalInbox.arrive(sender, stamp, message)) {
      for (const due of causalInbox.due())
        if (lock.run === run) locks.deliver(lock, run, first + (due as StepMessage).entry, due);
    } else return false;
    return true;
  }

  #keepEarly(lock: LocalLock<R>, message: EarlyRunMessage, from: MemberId): boolean {
    const bytes = retainedBytes(message);
    if (!this.#budget.take(from, bytes)) return false;
    lock.early = [...lock.early, { from, message, bytes }];
    return true;
  }

  #refuseEarly(lock: LocalLock<R>): void {
    for (const { from, message, bytes } of lock.early) {
      this.#budget.give(from, bytes);
      this.#context.sendTo(from, { type: 'over', lock: lock.name, run: message.run });
    }
    lock.early = [];
  }

  /**
   * Tells these members that the runs so far are over: they may not have left them, and may not hear the home of this view (rule 11). One of them
   * can be in a run that never started here.
   */
  #tellOver(lock: LocalLock<R>, ids: readonly MemberId[]): void {
    const { name, over } = lock;
    for (const id of over === 0 ? [] : ids)
      if (id !== this.#context.id && this.#members.has(id))
        this.#context.sendTo(id, { type: 'over', lock: name, run: over });
  }

  // Parts and idle locks.

  /** The locks of these slots in which this member has a part. */
  *partsIn(slots: ReadonlySet<number>): Generator<string> {
    for (const lock of this.#context.locks) {
      const { name, slot, run, isHeld } = lock;
      if (!slots.has(slot) || (run === null && !isHeld)) continue;
      yield name;
    }
  }

  /**
   * Tells the homes which locks are idle and were not used since the last call. If the run of such a lock is over, or this member is alone in
   * it, it leaves the run (rule 15).
   */
  tellIdle(): void {
    const idle: IdleLock[] = [];
    for (const lock of [...this.#context.locks]) {
      const { run, name } = lock;
      const isStale = run !== null && lock.isIdle && !lock.wasUsedRecently;
      lock.wasUsedRecently = false;
      if (!isStale) continue;
      const mayLeave = run.members.length === 1 || !this.isUsable(lock, run);
      if (mayLeave) this.#leave(lock, run);
      const closes = mayLeave ? lock.claimed : 0;
      const stale = { lock: name, run: run.number, last: mayLeave ? run.last : null, closes };
      idle.push(stale);
      if (!mayLeave) continue;
      this.#departures.add(stale);
      lock.isUntold = false;
      this.#context.locks.forgetIdle(lock);
    }
    this.#departures.tell(idle);
  }

  /** This member is about to leave the group, and holds nothing: whoever has the token of a run closes it (rule 13). */
  leaveAll(): void {
    const closed: IdleLock[] = [];
    for (const { name, run, isHeld, over, claimed, last } of this.#context.locks) {
      const closes = run?.canClaimToken ? run.number : claimed;
      const known = { run: Math.max(over, run?.number ?? 0), last: Math.max(last, run?.last ?? 0) };
      if (closes !== 0 && !isHeld) closed.push({ lock: name, ...known, closes });
    }
    this.#departures.tell(closed);
    for (const lock of [...this.#context.locks])
      if (lock.run !== null && !lock.isHeld) this.#leave(lock, lock.run);
  }

  onNoted({ locks }: HomeMessage & { type: 'noted' }): void {
    for (const name of locks) this.#departures.noted(name);
  }

  /** The flush protocol starts all runs anew. A member that misses this view would continue them, and is told that they are over. */
  forget({ members }: View): void {
    this.#members = new Set(members.map(({ id }) => id));
    for (const lock of this.#context.locks) {
      if (lock.run === null && !this.#stopped.has(lock)) continue;
      lock.over = Math.max(lock.over, lock.promised);
      this.#tellOver(lock, lock.run?.members ?? [...this.#members]);
    }
    this.#departures.clear();
    this.#stopped.clear();
  }

  #network(name: string, size: number): LockNetwork | null {
    const key = `${name} ${size}`;
    const known = this.#networks.get(key);
    if (known !== undefined) return known;
    const algorithm = this.#context.algorithmOf(name);
    if (algorithm === undefined) return null;
    const network = new LockNetwork(algorithm, size);
    this.#networks.set(key, network);
    return network;
  }
}
