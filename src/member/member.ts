// One member of a group, without sockets, clocks or engine.
//
// 1. A view is what the engine says. Who learns of a new one stops all runs of the old one and tells the first of the new view what it
//    holds (flush). Nobody enters between its flush and the install.
// 2. When every member of the view has flushed, the first tells all who holds what (install). Runs begin afresh when they are first
//    needed. If somebody holds the lock, its run is rooted there, and nobody else asks before the holder is inside again; otherwise
//    the lock's name picks the root. Everybody who waits asks again.
// 3. A word of another epoch is not handled: if older, it is dropped; if newer, it waits for that view.
// 4. Whatever goes wrong between two members that live (a broken connection, too many entries for one epoch, too many idle runs to
//    keep) is mended by a new epoch of the same members.
// 5. In a view all must reach all. Of two that live and cannot, one goes out by itself, and comes back when it reaches everybody: who is
//    cut off from more than half of the view, soon; otherwise the younger, when whoever only hung would have been removed; if it knows
//    of nothing, the older.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { type GroupSnapshot, GroupSnapshots } from './group-snapshots.ts';
import type { ExitCause, Host } from './host.ts';
import { Leaders } from './leaders.ts';
import { LockTable } from './lock-table.ts';
import type {
  AlgorithmMessage,
  HeldLock,
  InheritedLock,
  MemberMessage,
  ViewMessage,
} from './member-messages.ts';
import { fenceOf, type MemberId, membersExcept, positionIn, type View } from './view.ts';

export interface MemberOptions {
  readonly id: MemberId;
  readonly algorithm: string; // for locks that do not name another
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
}

/** Waits that a member leaves behind, for the next incarnation to ask again. */
export interface UnservedWaits<W> {
  readonly name: string;
  readonly algorithm: string;
  readonly waits: readonly W[];
}

// Milliseconds.
const removalDelay = 20; // for each member that should have noticed before us
const proposeAgain = 1000;

export class Member<W> {
  readonly id: MemberId;
  readonly algorithm: string;
  readonly locks: LockTable<W>;
  readonly leaders: Leaders;
  readonly #snapshots: GroupSnapshots;
  readonly #host: Host<W>;
  #view: View | null = null;
  #position: Pid = -1;
  #positions = new Map<MemberId, Pid>();
  #isInstalled = false;
  #out: ExitCause | null = null;
  #flushes = new Map<MemberId, readonly HeldLock[]>(); // at the first of the view
  #early: { readonly from: MemberId; readonly word: ViewMessage }[] = [];
  #dead = new Set<MemberId>();
  readonly #brokenChannels = new Set<MemberId>(); // whose channel broke in this view
  readonly #unreachable = new Map<MemberId, object>(); // and not heard since
  readonly #leaseMs: number;
  #awaitsNewEpoch = false;

  constructor({ id, algorithm, algorithmOf, leaseMs }: MemberOptions, host: Host<W>) {
    this.id = id;
    this.algorithm = algorithm;
    this.#leaseMs = leaseMs;
    this.#host = host;
    this.leaders = new Leaders((election, leader) => host.leaderChanged(election, leader));
    this.locks = new LockTable({
      host,
      algorithm,
      algorithmOf,
      fence: (epoch, entry) => this.fence(epoch, entry),
      sendTo: (to, word) => this.#sendTo(to, word),
      hintHandover: (to) => this.#hintHandover(to),
      broadcast: (word) => this.#broadcast(word),
      announceLeader: (election, term, ends) => this.#announceLeader(election, term, ends),
      requestNewEpoch: () => this.requestNewEpoch(),
      contractBroken: (reason) => this.#contractBroken(reason),
    });
    this.#snapshots = new GroupSnapshots({
      locks: this.locks,
      algorithm,
      algorithmOf,
      sendTo: (to, word) => this.#sendTo(to, word),
      after: (milliseconds, task) => host.after(milliseconds, task),
    });
  }

  get view(): View | null {
    return this.#view;
  }

  get isInstalled(): boolean {
    return this.#isInstalled;
  }

  /** Why this member takes part no longer. */
  get out(): ExitCause | null {
    return this.#out;
  }

  /** How much it remembers besides the view. Nothing, in a new epoch in which nobody wants anything. */
  get retainedCount(): number {
    const { size } = this.#snapshots;
    return [...this.locks].length + this.#early.length + this.#dead.size + this.#flushes.size + size;
  }

  // The application calls.

  request(name: string, wait: W, algorithm: string = this.algorithm): void {
    this.locks.request(name, wait, algorithm);
  }

  /** As `request`, but given up if somebody holds the lock. */
  try(name: string, wait: W, algorithm: string = this.algorithm): void {
    this.locks.request(name, wait, algorithm, true);
  }

  /** It will not be granted any more. */
  cancel(name: string, wait: W): void {
    this.locks.cancel(name, wait);
  }

  release(name: string, wait: W): void {
    this.locks.release(name, wait);
  }

  /** Tells a state in which the whole group could have been, or why there is none after so long; nothing about the group changes. */
  snapshot(milliseconds: number, done: (snapshot: GroupSnapshot) => void): void {
    if (this.#out !== null) done({ failed: `this member is out of the group: ${this.#out}` });
    else this.#snapshots.take(milliseconds, done);
  }

  /** This member acts no more; what it holds is lost. */
  end(cause: ExitCause): UnservedWaits<W>[] {
    this.#out ??= cause;
    const unserved: UnservedWaits<W>[] = [];
    for (const { name, algorithm, waiting, holder } of this.locks) {
      if (waiting.length > 0) unserved.push({ name, algorithm, waits: [...waiting] });
      if (holder !== null) this.#host.lost(holder, cause);
    }
    this.locks.clear();
    this.leaders.clear();
    this.#snapshots.stop(`the member that took it is out of the group: ${cause}`);
    return unserved;
  }

  /** An algorithm broke its contract: nothing that this member does can be relied on. */
  #contractBroken(reason: string): void {
    if (this.#out !== null) return;
    this.#out = 'broken';
    this.#host.contractBroken(reason);
  }

  // The engine and the transport tell.

  viewChanged(view: View): void {
    if (this.#out !== null || view.epoch <= this.#epoch) return;
    const position = positionIn(view, this.id);
    if (position < 0) {
      if (this.#view !== null) this.#host.memberOut('removed from the group');
      return;
    }
    this.locks.stop();
    this.#snapshots.stop('the view changed meanwhile');
    this.#view = view;
    this.#position = position;
    this.#positions = new Map(view.members.map(({ id }, i) => [id, i]));
    this.#isInstalled = false;
    this.#awaitsNewEpoch = false;
    this.#flushes.clear();
    this.#brokenChannels.clear();
    for (const id of this.#unreachable.keys()) if (!this.#positions.has(id)) this.#unreachable.delete(id);
    this.#dead = new Set(view.members.flatMap(({ id }) => (this.#dead.has(id) ? [id] : [])));
    const held = this.locks.held();
    if (position === 0) {
      this.#broadcast({ type: 'view', epoch: view.epoch });
      this.#flushed(this.id, held);
    } else this.#sendTo(0, { type: 'flush', epoch: view.epoch, held });
    this.#removeDead();
    this.#handleEarly();
  }

  /** Its process is dead for certain, or its lease is over at the engine. */
  peerDied(id: MemberId): void {
    if (this.#dead.has(id) || this.#view === null || positionIn(this.#view, id) < 0) return;
    this.#dead.add(id);
    this.#removeDead();
  }

  /**
   * Words to or from this member, which lives, may have been lost. What runs say after a gap could let two enter, so they say nothing
   * more to each other before a new epoch.
   */
  channelBroke(peer: MemberId): void {
    this.#brokenChannels.add(peer);
    this.requestNewEpoch();
  }

  /** There has been no way to it for some time, and what was to be said is lost. */
  peerUnreachable(peer: MemberId): void {
    this.channelBroke(peer);
    if (this.#out !== null || this.#unreachable.has(peer)) return;
    const time = {};
    this.#unreachable.set(peer, time);
    const unlessHeard = (milliseconds: number, then: () => void) =>
      this.#host.after(milliseconds, () => {
        if (this.#unreachable.get(peer) === time && this.#positions.has(peer)) then();
      });
    const hail = () => {
      this.#host.send(peer, { type: 'hail', isAnswer: false });
      unlessHeard(this.#leaseMs / 5, hail);
    };
    const goIf = (isToGo: () => boolean) => () => {
      if (isToGo()) this.#host.memberOut('cut off');
    };
    unlessHeard(this.#leaseMs / 5, hail);
    unlessHeard(
      this.#leaseMs / 2,
      goIf(() => 2 * this.#unreachable.size > this.#positions.size),
    );
    unlessHeard(
      this.#leaseMs,
      goIf(() => this.#positions.get(peer)! < this.#position),
    );
    unlessHeard(
      2 * this.#leaseMs,
      goIf(() => true),
    );
  }

  /** Asks for a new epoch of the same members. */
  requestNewEpoch(): void {
    const view = this.#view;
    if (this.#out !== null || view === null || this.#awaitsNewEpoch) return;
    this.#awaitsNewEpoch = true;
    if (this.#position === 0) this.#host.proposeView(view, membersExcept(view, this.#dead));
    else this.#sendTo(0, { type: 'refresh', epoch: view.epoch });
    this.#host.after(proposeAgain, () => {
      if (this.#view !== view) return;
      this.#awaitsNewEpoch = false;
      this.requestNewEpoch();
    });
  }

  received(from: MemberId, word: MemberMessage): void {
    if (this.#out !== null) return;
    this.#unreachable.delete(from);
    if (!isViewMessage(word)) this.#handle(from, word);
    else if (this.isOld(word.epoch, this.#epoch)) this.#host.messageDropped('foreign epoch');
    else if (word.epoch > this.#epoch) {
      this.#early.push({ from, word });
      this.#host.readView();
    } else if (this.#isInstalled || handledBeforeInstall.includes(word.type))
      this.#handleViewMessage(from, word);
    else this.#early.push({ from, word });
  }

  // The rules that tests break, one each, to see that it shows.

  protected isOld(epoch: number, current: number): boolean {
    return epoch < current;
  }

  protected fence(epoch: number, entry: number): number {
    return fenceOf(epoch, entry);
  }

  protected haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean {
    return view.members.every(({ id }) => flushes.has(id));
  }

  // Words.

  #handle(from: MemberId, word: Exclude<MemberMessage, ViewMessage>): void {
    switch (word.type) {
      case 'view':
        if (word.epoch > this.#epoch) this.#host.readView();
        break;
      case 'hail':
        if (!word.isAnswer) this.#host.send(from, { type: 'hail', isAnswer: true });
        break;
      case 'leads':
        this.#leaderAnnounced(from, word);
        break;
      case 'probe':
        if (this.locks.get(word.lock)?.isHeld) this.#host.send(from, { ...word, type: 'busy' });
        break;
      case 'busy':
        this.locks.onBusy(word.lock, word.attempt);
        break;
      case 'conflict':
        this.locks.onConflict(word.lock, word.algorithm);
    }
  }

  #handleViewMessage(from: MemberId, word: ViewMessage): void {
    const sender = this.#positions.get(from);
    if (sender === undefined) this.#host.messageDropped('malformed');
    else if (this.#brokenChannels.has(from) && isRunMessage(word)) this.#host.messageDropped('after a gap');
    else if (word.type === 'run') this.#handleAlgorithmMessage(word, sender);
    else if (word.type === 'marker') this.#snapshots.onMarker(word, sender);
    else if (word.type === 'part') this.#snapshots.onPart(word, sender);
    else if (word.type === 'begin') this.locks.onBegin(word, sender);
    else if (word.type === 'agree') this.locks.onAgree(word.lock, sender);
    else if (word.type === 'open') this.locks.onOpen(word.lock);
    else if (word.type === 'refresh') this.requestNewEpoch();
    else if (word.type === 'flush') this.#flushed(from, word.held);
    else if (sender === 0 && !this.#isInstalled) this.#install(word.held);
    else this.#host.messageDropped('malformed');
  }

  #handleAlgorithmMessage(word: AlgorithmMessage, sender: Pid): void {
    this.#snapshots.onAlgorithmMessage(word, sender);
    this.locks.onAlgorithmMessage(word, sender);
  }

  #handleEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const { from, word } of early) this.received(from, word);
  }

  // Views.

  #flushed(from: MemberId, held: readonly HeldLock[]): void {
    const view = this.#view!;
    if (this.#position !== 0 || this.#isInstalled) return;
    this.#flushes.set(from, held);
    if (!this.haveFlushed(view, this.#flushes)) return;
    const all = view.members.flatMap(({ id }, by) =>
      (this.#flushes.get(id) ?? []).map((one) => ({ ...one, by })),
    );
    this.#broadcast({ type: 'install', epoch: view.epoch, held: all });
    this.#install(all);
  }

  #install(held: readonly InheritedLock[]): void {
    this.#isInstalled = true;
    this.#flushes.clear();
    this.leaders.installed(this.#view!, held);
    this.#snapshots.installed(this.#view!, this.#position);
    this.locks.begin(this.#view!, this.#position, held);
    this.#handleEarly();
  }

  /** Who stands first of the living does it; the others only if nothing comes of that. */
  #removeDead(): void {
    const view = this.#view!;
    if (this.#dead.size === 0) return;
    const rank = positionIn({ ...view, members: membersExcept(view, this.#dead) }, this.id);
    if (rank === 0) this.#proposeWithoutDead(view);
    else this.#host.after(rank * removalDelay, () => this.#proposeWithoutDead(view));
  }

  /** Again and again: the engine may be out of reach. */
  #proposeWithoutDead(view: View): void {
    if (this.#view !== view || this.#out !== null) return;
    this.#host.proposeView(view, membersExcept(view, this.#dead));
    this.#host.after(proposeAgain, () => this.#proposeWithoutDead(view));
  }

  get #epoch(): number {
    return this.#view?.epoch ?? -1;
  }

  #announceLeader(election: string, term: number, ends: boolean): void {
    const word = { type: 'leads', election, term, ends } as const;
    this.#broadcast(word);
    this.#leaderAnnounced(this.id, word);
  }

  #leaderAnnounced(id: MemberId, { election, term, ends }: MemberMessage & { type: 'leads' }): void {
    if (ends) this.leaders.ends(election, term);
    else this.leaders.leads(election, id, term);
  }

  /** A ring of one sends to itself; not at once, since its token may never rest. */
  #sendTo(to: Pid, word: MemberMessage): void {
    if (to === this.#position) this.#host.after(1, () => this.received(this.id, word));
    else this.#send(this.#view!.members[to]!.id, word);
  }

  #hintHandover(to: Pid): void {
    const peer = this.#view!.members[to];
    if (peer !== undefined && to !== this.#position) this.#host.hintHandover(peer.id);
  }

  #broadcast(word: MemberMessage): void {
    for (const { id } of this.#view?.members ?? []) if (id !== this.id) this.#send(id, word);
  }

  #send(to: MemberId, word: MemberMessage): void {
    if (!this.#brokenChannels.has(to) || !isRunMessage(word)) this.#host.send(to, word);
  }
}

const handledBeforeInstall = ['flush', 'install', 'refresh'];
const isRunMessage = ({ type }: MemberMessage) => ['run', 'begin', 'agree', 'open', 'marker'].includes(type);
const isViewMessage = (word: MemberMessage): word is ViewMessage => 'epoch' in word && word.type !== 'view';
