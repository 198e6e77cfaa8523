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
import type { Cause, Host } from './host.ts';
import { Leaders } from './leaders.ts';
import { Locks } from './locks.ts';
import { type GroupSnapshot, Snapshots } from './snapshots.ts';
import { fenceOf, type MemberId, positionIn, type View, without } from './view.ts';
import type { Held, Inherited, RunWord, ViewWord, Word } from './words.ts';

export interface MemberOptions {
  readonly id: MemberId;
  readonly algorithm: string; // for locks that do not name another
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
}

/** Waits that a member leaves behind, for the next incarnation to ask again. */
export interface Unserved<W> {
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
  readonly locks: Locks<W>;
  readonly leaders: Leaders;
  readonly #snapshots: Snapshots;
  readonly #host: Host<W>;
  #view: View | null = null;
  #position: Pid = -1;
  #positions = new Map<MemberId, Pid>();
  #isInstalled = false;
  #out: Cause | null = null;
  #flushes = new Map<MemberId, readonly Held[]>(); // at the first of the view
  #early: { readonly from: MemberId; readonly word: ViewWord }[] = [];
  #gone = new Set<MemberId>();
  readonly #broken = new Set<MemberId>(); // whose channel broke in this view
  readonly #unreached = new Map<MemberId, object>(); // and not heard since
  readonly #leaseMs: number;
  #isRefreshing = false;

  constructor({ id, algorithm, algorithmOf, leaseMs }: MemberOptions, host: Host<W>) {
    this.id = id;
    this.algorithm = algorithm;
    this.#leaseMs = leaseMs;
    this.#host = host;
    this.leaders = new Leaders((election, leader) => host.led(election, leader));
    this.locks = new Locks({
      host,
      algorithm,
      algorithmOf,
      fence: (epoch, entry) => this.fence(epoch, entry),
      say: (to, word) => this.#say(to, word),
      soon: (to) => this.#soon(to),
      sayToAll: (word) => this.#sayToAll(word),
      leads: (election, term, ends) => this.#leads(election, term, ends),
      refresh: () => this.refresh(),
      broken: (reason) => this.#breaks(reason),
    });
    this.#snapshots = new Snapshots({
      locks: this.locks,
      algorithm,
      algorithmOf,
      say: (to, word) => this.#say(to, word),
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
  get out(): Cause | null {
    return this.#out;
  }

  /** How much it remembers besides the view. Nothing, in a new epoch in which nobody wants anything. */
  get kept(): number {
    const { size } = this.#snapshots;
    return [...this.locks].length + this.#early.length + this.#gone.size + this.#flushes.size + size;
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
  end(cause: Cause): Unserved<W>[] {
    this.#out ??= cause;
    const unserved: Unserved<W>[] = [];
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
  #breaks(reason: string): void {
    if (this.#out !== null) return;
    this.#out = 'broken';
    this.#host.broken(reason);
  }

  // The engine and the transport tell.

  viewed(view: View): void {
    if (this.#out !== null || view.epoch <= this.#epoch) return;
    const position = positionIn(view, this.id);
    if (position < 0) {
      if (this.#view !== null) this.#host.over('removed from the group');
      return;
    }
    this.locks.stop();
    this.#snapshots.stop('the view changed meanwhile');
    this.#view = view;
    this.#position = position;
    this.#positions = new Map(view.members.map(({ id }, i) => [id, i]));
    this.#isInstalled = false;
    this.#isRefreshing = false;
    this.#flushes.clear();
    this.#broken.clear();
    for (const id of this.#unreached.keys()) if (!this.#positions.has(id)) this.#unreached.delete(id);
    this.#gone = new Set(view.members.flatMap(({ id }) => (this.#gone.has(id) ? [id] : [])));
    const held = this.locks.held();
    if (position === 0) {
      this.#sayToAll({ type: 'view', epoch: view.epoch });
      this.#flushed(this.id, held);
    } else this.#say(0, { type: 'flush', epoch: view.epoch, held });
    this.#removeGone();
    this.#hearEarly();
  }

  /** Its process is dead for certain, or its lease is over at the engine. */
  gone(id: MemberId): void {
    if (this.#gone.has(id) || this.#view === null || positionIn(this.#view, id) < 0) return;
    this.#gone.add(id);
    this.#removeGone();
  }

  /**
   * Words to or from this member, which lives, may have been lost. What runs say after a gap could let two enter, so they say nothing
   * more to each other before a new epoch.
   */
  broke(peer: MemberId): void {
    this.#broken.add(peer);
    this.refresh();
  }

  /** There has been no way to it for some time, and what was to be said is lost. */
  unreachable(peer: MemberId): void {
    this.broke(peer);
    if (this.#out !== null || this.#unreached.has(peer)) return;
    const time = {};
    this.#unreached.set(peer, time);
    const unlessHeard = (milliseconds: number, then: () => void) =>
      this.#host.after(milliseconds, () => {
        if (this.#unreached.get(peer) === time && this.#positions.has(peer)) then();
      });
    const hail = () => {
      this.#host.send(peer, { type: 'hail', isAnswer: false });
      unlessHeard(this.#leaseMs / 5, hail);
    };
    const goIf = (isToGo: () => boolean) => () => {
      if (isToGo()) this.#host.over('cut off');
    };
    unlessHeard(this.#leaseMs / 5, hail);
    unlessHeard(
      this.#leaseMs / 2,
      goIf(() => 2 * this.#unreached.size > this.#positions.size),
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
  refresh(): void {
    const view = this.#view;
    if (this.#out !== null || view === null || this.#isRefreshing) return;
    this.#isRefreshing = true;
    if (this.#position === 0) this.#host.propose(view, without(view, this.#gone));
    else this.#say(0, { type: 'refresh', epoch: view.epoch });
    this.#host.after(proposeAgain, () => {
      if (this.#view !== view) return;
      this.#isRefreshing = false;
      this.refresh();
    });
  }

  received(from: MemberId, word: Word): void {
    if (this.#out !== null) return;
    this.#unreached.delete(from);
    if (!isOfView(word)) this.#hear(from, word);
    else if (this.isOld(word.epoch, this.#epoch)) this.#host.unheard('foreign epoch');
    else if (word.epoch > this.#epoch) {
      this.#early.push({ from, word });
      this.#host.look();
    } else if (this.#isInstalled || betweenViews.includes(word.type)) this.#hearOfView(from, word);
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

  #hear(from: MemberId, word: Exclude<Word, ViewWord>): void {
    switch (word.type) {
      case 'view':
        if (word.epoch > this.#epoch) this.#host.look();
        break;
      case 'hail':
        if (!word.isAnswer) this.#host.send(from, { type: 'hail', isAnswer: true });
        break;
      case 'leads':
        this.#led(from, word);
        break;
      case 'probe':
        if (this.locks.get(word.lock)?.isHeld) this.#host.send(from, { ...word, type: 'busy' });
        break;
      case 'busy':
        this.locks.busy(word.lock, word.attempt);
        break;
      case 'conflict':
        this.locks.conflict(word.lock, word.algorithm);
    }
  }

  #hearOfView(from: MemberId, word: ViewWord): void {
    const sender = this.#positions.get(from);
    if (sender === undefined) this.#host.unheard('malformed');
    else if (this.#broken.has(from) && isOfRun(word)) this.#host.unheard('after a gap');
    else if (word.type === 'run') this.#runWord(word, sender);
    else if (word.type === 'marker') this.#snapshots.markerCame(word, sender);
    else if (word.type === 'part') this.#snapshots.partCame(word, sender);
    else if (word.type === 'begin') this.locks.begun(word, sender);
    else if (word.type === 'agree') this.locks.agreed(word.lock, sender);
    else if (word.type === 'open') this.locks.opened(word.lock);
    else if (word.type === 'refresh') this.refresh();
    else if (word.type === 'flush') this.#flushed(from, word.held);
    else if (sender === 0 && !this.#isInstalled) this.#install(word.held);
    else this.#host.unheard('malformed');
  }

  #runWord(word: RunWord, sender: Pid): void {
    this.#snapshots.runWordCame(word, sender);
    this.locks.received(word, sender);
  }

  #hearEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const { from, word } of early) this.received(from, word);
  }

  // Views.

  #flushed(from: MemberId, held: readonly Held[]): void {
    const view = this.#view!;
    if (this.#position !== 0 || this.#isInstalled) return;
    this.#flushes.set(from, held);
    if (!this.haveFlushed(view, this.#flushes)) return;
    const all = view.members.flatMap(({ id }, by) =>
      (this.#flushes.get(id) ?? []).map((one) => ({ ...one, by })),
    );
    this.#sayToAll({ type: 'install', epoch: view.epoch, held: all });
    this.#install(all);
  }

  #install(held: readonly Inherited[]): void {
    this.#isInstalled = true;
    this.#flushes.clear();
    this.leaders.installed(this.#view!, held);
    this.#snapshots.installed(this.#view!, this.#position);
    this.locks.begin(this.#view!, this.#position, held);
    this.#hearEarly();
  }

  /** Who stands first of the living does it; the others only if nothing comes of that. */
  #removeGone(): void {
    const view = this.#view!;
    if (this.#gone.size === 0) return;
    const rank = positionIn({ ...view, members: without(view, this.#gone) }, this.id);
    if (rank === 0) this.#proposeWithoutGone(view);
    else this.#host.after(rank * removalDelay, () => this.#proposeWithoutGone(view));
  }

  /** Again and again: the engine may be out of reach. */
  #proposeWithoutGone(view: View): void {
    if (this.#view !== view || this.#out !== null) return;
    this.#host.propose(view, without(view, this.#gone));
    this.#host.after(proposeAgain, () => this.#proposeWithoutGone(view));
  }

  get #epoch(): number {
    return this.#view?.epoch ?? -1;
  }

  #leads(election: string, term: number, ends: boolean): void {
    const word = { type: 'leads', election, term, ends } as const;
    this.#sayToAll(word);
    this.#led(this.id, word);
  }

  #led(id: MemberId, { election, term, ends }: Word & { type: 'leads' }): void {
    if (ends) this.leaders.ends(election, term);
    else this.leaders.leads(election, id, term);
  }

  /** A ring of one sends to itself; not at once, since its token may never rest. */
  #say(to: Pid, word: Word): void {
    if (to === this.#position) this.#host.after(1, () => this.received(this.id, word));
    else this.#send(this.#view!.members[to]!.id, word);
  }

  #soon(to: Pid): void {
    const peer = this.#view!.members[to];
    if (peer !== undefined && to !== this.#position) this.#host.soon(peer.id);
  }

  #sayToAll(word: Word): void {
    for (const { id } of this.#view?.members ?? []) if (id !== this.id) this.#send(id, word);
  }

  #send(to: MemberId, word: Word): void {
    if (!this.#broken.has(to) || !isOfRun(word)) this.#host.send(to, word);
  }
}

const betweenViews = ['flush', 'install', 'refresh'];
const isOfRun = ({ type }: Word) => ['run', 'begin', 'agree', 'open', 'marker'].includes(type);
const isOfView = (word: Word): word is ViewWord => 'epoch' in word && word.type !== 'view';
