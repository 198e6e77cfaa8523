// How locks move between the members of a group: each lock has a home, which starts its runs. docs/internals/membership.md has the rules.
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { Directory, type DirectoryContext } from './directory.ts';
import type { After, Host } from './host.ts';
import type { LocalLock } from './local-lock.ts';
import type { LockRun } from './lock-run.ts';
import type { LockTable } from './lock-table.ts';
import type { HomeMessage, MemberMessage, RunMessage } from './member-messages.ts';
import { Silence } from './silence.ts';
import { homesOf, slotOf } from './slots.ts';
import { StartedRuns } from './started-runs.ts';
import { isSilentIn, type MemberId, type Peer, positionIn, type View } from './view.ts';

const tickMs = 15;
// Ticks after which a member that does not answer is silent, unless it has been slow before. To replace a home costs a view, and to replace
// the conductor of elections begins them again.
const ticksToAnswer = { inRun: 1, asHome: 3, asConductor: 10 };
const membersPerTick = 16; // a member of a larger run has more time, and a home of a larger group
const membersPerProposal = 32; // that propose to replace it at the same time
// Until a silent member that answers again may be a home. Doubles each time, and halves with each sweep: on an overloaded machine every view
// would make more members late.
const speakAgainMs = { first: 2000, longest: 64_000 };

/** The parts of a member that the protocol uses. */
export interface HomeProtocolContext<R> {
  readonly host: Host<R>;
  readonly after: After;
  readonly id: MemberId;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly spansMachines: boolean;
  readonly locks: LockTable<R>;
  sendTo(to: MemberId, message: MemberMessage): void;
  requestNewEpoch(): void;
  malformed(from: MemberId): void;
  conductor(): MemberId | null; // the member for whose election this one waits, or null
}

const mostAskedAtOnce = 8; // 32 processes that all asked each other handed one lock on a third as often

/**
 * Returns which of the others a wait asks at this tick, as the first and the last: a few at each tick until all have been asked. That begins
 * again at ticks that are farther and farther apart.
 */
export function askedAt(tick: number, others: number): [from: number, to: number] {
  const parts = Math.max(1, Math.ceil(others / mostAskedAtOnce));
  const shifted = tick + parts - 1;
  let begin = parts;
  while (2 * begin <= shifted) begin *= 2;
  const part = shifted - begin;
  return part < parts ? [part * mostAskedAtOnce, (part + 1) * mostAskedAtOnce] : [0, 0];
}

export class HomeProtocol<R> {
  readonly runs: StartedRuns<R>;
  readonly directory: Directory;
  readonly #context: HomeProtocolContext<R>;
  readonly #silence: Silence;
  #view: View | null = null; // null: a view of the flush protocol, or none
  #homes: readonly MemberId[] = [];
  #isTicking = false;
  #speakAgainMs = speakAgainMs.first;
  #cancelSpeakAgain: (() => void) | null = null;

  constructor(context: HomeProtocolContext<R>) {
    const { host, after, id, algorithmOf, spansMachines, locks, sendTo, requestNewEpoch, malformed } =
      context;
    this.#context = context;
    this.runs = new StartedRuns({ host, id, algorithmOf, locks, sendTo, malformed });
    this.directory = this.createDirectory({
      ...{ after, id, spansMachines, sendTo, requestNewEpoch },
      partsIn: (slots) => this.runs.partsIn(slots),
      slownessOf: (ids) => Math.max(1, ...[...ids].map((one) => this.#silence.patience(one))),
    });
    this.#silence = new Silence(host);
  }

  /** Overridden by faulty variants. */
  protected createDirectory(context: DirectoryContext): Directory {
    return new Directory(context);
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return {
      directory: this.directory.inspectState(),
      runs: this.runs.inspectState(),
      silence: this.#silence.inspectState(),
      isTicking: this.#isTicking,
    };
  }

  // Views.

  viewChanged(view: View): void {
    const before = this.#view;
    const isNext = before !== null && view.after === before.epoch;
    this.#view = view;
    this.#homes = homesOf(view);
    if (before === null) this.#context.locks.useSource(this.runs);
    this.#silence.keep(new Map(view.members.map(({ id }) => [id, true])));
    this.directory.viewChanged(view, this.#homes, isNext);
    this.runs.viewChanged(view, this.#homes);
    this.watch();
    if (isSilentIn(view, this.#context.id)) this.#speakAgainLater();
    else if (before !== null && isSilentIn(before, this.#context.id)) {
      this.#cancelSpeakAgain?.();
      this.#cancelSpeakAgain = null;
      this.#speakAgainMs = Math.min(2 * this.#speakAgainMs, speakAgainMs.longest);
    }
  }

  /** A member of an older version is in the view. */
  pause(view: View): void {
    if (this.#view === null) return;
    this.#view = null;
    this.directory.forget();
    this.runs.forget(view);
  }

  /** Messages between this member and the peer were lost. In the first view of this protocol no run has started yet. */
  gap(peer: MemberId): void {
    if (this.#view !== null) this.runs.gap(peer);
  }

  // Messages. Each method returns false if no working member can have sent the message.

  received(message: HomeMessage, from: MemberId): boolean {
    this.directory.heard(from);
    switch (message.type) {
      case 'want':
        this.directory.onWant(message, from);
        return true;
      case 'stop':
        return this.#isHome(from, message) && this.runs.onStop(message, from);
      case 'stopped':
        return this.directory.onStopped(message, from);
      case 'start':
        return this.#isHome(from, message) && this.runs.onStart(message);
      case 'sync':
        if (message.slots.length === 0) return false; // its report would be taken for the answer to a right one
        this.directory.onSync(message, from);
        return true;
      case 'report':
        return this.directory.isSynced && this.directory.onReport(message, from); // nobody reports before it is asked
      case 'idle':
        return this.directory.onIdle(message, from);
      case 'noted':
        this.runs.onNoted(message);
        return true;
    }
  }

  receivedOfRun(message: Exclude<RunMessage, { type: 'gap' }>, from: MemberId): boolean {
    if (message.type !== 'over') return this.runs.received(message, from);
    this.runs.onOver(message);
    return true;
  }

  heard(from: MemberId): void {
    this.#silence.heard(from);
  }

  #isHome(from: MemberId, { lock }: { readonly lock: string }): boolean {
    return this.#homes[slotOf(lock)] === from;
  }

  // Idle locks.

  /** Must be called from time to time. Forgets the locks that nobody has used since the last call. */
  sweep(): void {
    if (this.#view === null) return;
    this.directory.sweep();
    this.runs.tellIdle();
    if (!isSilentIn(this.#view, this.#context.id))
      this.#speakAgainMs = Math.max(this.#speakAgainMs / 2, speakAgainMs.first);
  }

  /** Must be called before the member leaves the group. */
  leaveAll(): void {
    if (this.#view !== null) this.runs.leaveAll();
  }

  // Members that do not answer.

  /** Must be called when a request may have begun to wait. */
  watch(): void {
    if (this.#isTicking || this.#view === null || !this.#isWaiting) return;
    this.#isTicking = true;
    this.#context.after(tickMs, () => this.#tick());
  }

  get #isWaiting(): boolean {
    return this.#context.locks.waiting.size > 0 || this.#context.conductor() !== null;
  }

  #tick(): void {
    this.#isTicking = false;
    if (this.#view === null) return;
    this.#silence.tick();
    const silent = new Set<MemberId>();
    for (const lock of [...this.#context.locks.waiting]) if (!lock.isHeld) this.#checkProgress(lock, silent);
    const conductor = this.#context.conductor();
    if (conductor !== null && conductor !== this.#context.id) {
      this.#silence.hail(conductor);
      if (this.#silence.isSilent(conductor, ticksToAnswer.asConductor)) silent.add(conductor);
    }
    this.#proposeSilent(silent);
    this.watch();
  }

  /** A wait that takes long asks, more and more rarely, whether those answer on which it depends. Adds a home that does not to `silent`. */
  #checkProgress(lock: LocalLock<R>, silent: Set<MemberId>): void {
    lock.ticks += 1;
    const { run } = lock;
    const mayProceed = run !== null && this.runs.isUsable(lock, run);
    const others = this.#othersOf(lock, mayProceed ? run : null);
    for (const id of others.slice(...askedAt(lock.ticks, others.length))) this.#silence.hail(id);
    const ticksInRun = ticksToAnswer.inRun + Math.floor(others.length / membersPerTick);
    const ticks = mayProceed ? ticksInRun : this.#ticksToAnswerAsHome();
    const late = others.filter((id) => this.#silence.isSilent(id, ticks));
    if (mayProceed && late.length > 0) this.runs.restart(lock);
    else if (!mayProceed) for (const id of late) silent.add(id);
  }

  /**
   * In a large group many members may ask a home at once, and many may propose to replace it. Each view costs all members time: on an
   * overloaded machine every home would be late in turn, so the more members are called silent, the longer the next one has.
   */
  #ticksToAnswerAsHome(): number {
    const { members } = this.#view!;
    const silent = members.filter(({ isSilent }) => isSilent === true).length;
    const ticks = ticksToAnswer.asHome + members.length / membersPerTick;
    return Math.floor(ticks * (1 + silent) + positionIn(this.#view!, this.#context.id) / membersPerProposal);
  }

  #othersOf(lock: LocalLock<R>, run: LockRun | null): readonly MemberId[] {
    const members = run?.members ?? [this.runs.homeOf(lock)];
    const after = members.indexOf(this.#context.id) + 1;
    const rotated = [...members.slice(after), ...members.slice(0, after)]; // not all waits ask the same members first
    return rotated.filter((id) => id !== this.#context.id);
  }

  /** These members do not answer: others take their places. They stay in the group. */
  #proposeSilent(ids: ReadonlySet<MemberId>): void {
    const view = this.#view!;
    if ([...ids].every((id) => isSilentIn(view, id))) return;
    const members = view.members.map((peer): Peer => (ids.has(peer.id) ? { ...peer, isSilent: true } : peer));
    this.#context.host.proposeView(view, members);
    for (const id of ids) this.#silence.hailAgain(id); // each proposal costs the engine a request
  }

  /** Proposes that this member is not silent any more. Views that change meanwhile do not put it off. */
  #speakAgainLater(): void {
    this.#cancelSpeakAgain ??= this.#context.after(this.#speakAgainMs, () => {
      this.#cancelSpeakAgain = null;
      const view = this.#view;
      if (view === null || !isSilentIn(view, this.#context.id)) return;
      const members = view.members.map(
        ({ isSilent, ...peer }): Peer =>
          peer.id === this.#context.id || isSilent !== true ? peer : { ...peer, isSilent },
      );
      this.#context.host.proposeView(view, members);
      this.#speakAgainLater();
    });
  }
}
