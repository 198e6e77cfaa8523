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
import type { MemberId, Peer, View } from './view.ts';

const tickMs = 15;
// Ticks after which a member that does not answer is silent, unless it has been slow before. To replace a home costs a view, and to replace
// the conductor of elections begins them again.
const ticksToAnswer = { inRun: 1, asHome: 3, asConductor: 10 };
const speakAgainMs = 2000; // until a silent member that answers again may be a home

/** The parts of a member that the protocol uses. */
export interface HomeProtocolContext<R> {
  readonly host: Host<R>;
  readonly after: After;
  readonly id: MemberId;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly locks: LockTable<R>;
  sendTo(to: MemberId, message: MemberMessage): void;
  requestNewEpoch(): void;
  malformed(from: MemberId): void;
  conductor(): MemberId | null; // the member for whose election this one waits, or null
}

export class HomeProtocol<R> {
  readonly runs: StartedRuns<R>;
  readonly directory: Directory;
  readonly #context: HomeProtocolContext<R>;
  readonly #silence: Silence;
  #view: View | null = null; // null: a view of the flush protocol, or none
  #homes: readonly MemberId[] = [];
  #isTicking = false;

  constructor(context: HomeProtocolContext<R>) {
    const { host, after, id, algorithmOf, locks, sendTo, requestNewEpoch, malformed } = context;
    this.#context = context;
    this.runs = new StartedRuns({ host, id, algorithmOf, locks, sendTo, malformed });
    this.directory = this.createDirectory({
      ...{ after, id, sendTo, requestNewEpoch },
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
    if (view.members.some(({ id, isSilent }) => id === this.#context.id && isSilent === true))
      this.#speakAgain(view);
  }

  /** A member of an older version is in the view. */
  pause(view: View): void {
    if (this.#view === null) return;
    this.#view = null;
    this.directory.forget();
    this.runs.forget(view);
  }

  gap(peer: MemberId): void {
    this.runs.gap(peer);
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
        this.directory.onSync(message, from);
        return true;
      case 'report':
        return this.directory.onReport(message, from);
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
    for (const lock of [...this.#context.locks.waiting]) if (!lock.isHeld) this.#checkProgress(lock);
    const conductor = this.#context.conductor();
    if (conductor !== null && conductor !== this.#context.id) {
      this.#silence.hail(conductor);
      if (this.#silence.isSilent(conductor, ticksToAnswer.asConductor)) this.#proposeSilent([conductor]);
    }
    this.watch();
  }

  /** A wait that takes long asks, more and more rarely, whether those answer on which it depends. */
  #checkProgress(lock: LocalLock<R>): void {
    lock.ticks += 1;
    const isDue = (lock.ticks & (lock.ticks - 1)) === 0; // a power of two
    const { run } = lock;
    const mayProceed = run !== null && this.runs.isUsable(lock, run);
    const others = this.#othersOf(lock, mayProceed ? run : null);
    if (isDue) for (const id of others) this.#silence.hail(id);
    const ticks = mayProceed ? ticksToAnswer.inRun : ticksToAnswer.asHome;
    const silent = others.filter((id) => this.#silence.isSilent(id, ticks));
    if (silent.length === 0) return;
    if (mayProceed) this.runs.restart(lock);
    else this.#proposeSilent(silent);
  }

  #othersOf(lock: LocalLock<R>, run: LockRun | null): readonly MemberId[] {
    return (run?.members ?? [this.runs.homeOf(lock)]).filter((id) => id !== this.#context.id);
  }

  /** The home does not answer: another member takes its place. It stays in the group. */
  #proposeSilent(ids: readonly MemberId[]): void {
    const view = this.#view!;
    if (ids.every((id) => view.members.find((peer) => peer.id === id)?.isSilent === true)) return;
    const members = view.members.map(
      (peer): Peer => (ids.includes(peer.id) ? { ...peer, isSilent: true } : peer),
    );
    this.#context.host.proposeView(view, members);
  }

  #speakAgain(view: View): void {
    this.#context.after(speakAgainMs, () => {
      if (this.#view !== view) return;
      const members = view.members.map(
        ({ isSilent, ...peer }): Peer =>
          peer.id === this.#context.id || isSilent !== true ? peer : { ...peer, isSilent },
      );
      this.#context.host.proposeView(view, members);
      this.#speakAgain(view);
    });
  }
}
