// One member of a group, without sockets, clocks or engine.
//
// 1. The engine decides on views. A member that learns of a new view stops all runs of the old one. It then reports the locks it holds
//    to the first member of the new view (flush). No member enters between its flush and the install.
// 2. When every member of the view has flushed, the first member sends all held locks to all members (install). Runs start again when
//    they are first needed. If a lock is held, its holder is the root, and other members wait until the holder has re-entered. If not,
//    the root follows from the lock's name. Waiting requests are made again.
// 3. A message of an older epoch is dropped. A message of a newer epoch waits for that view. Only members of the view are heard.
// 4. A new epoch of the same members repairs everything that fails between live members: a broken connection, too many entries in one
//    epoch, too many idle runs.
// 5. All members of a view must reach each other. If two live members cannot, one leaves and rejoins when it reaches everybody:
//    a. after half a lease, a member that cannot reach more than half of the view;
//    b. after one lease, the younger of the two: by then, a member that only hangs has been removed;
//    c. after two leases, the older, in case the younger does not notice.
// 6. A message that no working member can send is dropped, and its channel counts as broken: a message that it replaced may be missing.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { EarlyMessages } from './early-messages.ts';
import { ElectionRounds } from './election-rounds.ts';
import { type GroupSnapshot, GroupSnapshots } from './group-snapshots.ts';
import type { ExitCause, Host } from './host.ts';
import { electionLock, electionOf, isElection, Leaders } from './leaders.ts';
import { LockTable } from './lock-table.ts';
import {
  type AlgorithmMessage,
  epochIn,
  handledBeforeInstall,
  type InheritedLock,
  isRunMessage,
  isViewMessage,
  type MemberMessage,
  type ViewMessage,
} from './member-messages.ts';
import { UnreachablePeers } from './unreachable-peers.ts';
import { fenceOf, type MemberId, membersExcept, positionIn, type View } from './view.ts';
import { ViewChange } from './view-change.ts';

export interface MemberOptions {
  readonly id: MemberId;
  readonly algorithm: string; // of locks that do not name another
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly electionAlgorithmOf?: (name: string) => AnyAlgorithm | undefined; // defaults to none
  readonly leaseMs: number;
}

/** Requests that were pending when a member ended. The next incarnation makes them again. */
export interface UnservedRequests<R> {
  readonly name: string;
  readonly algorithm: string;
  readonly requests: readonly R[];
}

// Milliseconds.
const removalDelay = 20; // per live member that comes first in the view
const proposeAgain = 1000;
const delaysPerLease = 50; // of messages between candidates, by the bound that election algorithms are told

export class Member<R> {
  readonly id: MemberId;
  readonly algorithm: string;
  readonly locks: LockTable<R>;
  readonly leaders: Leaders;
  readonly elections: ElectionRounds<R>;
  readonly #snapshots: GroupSnapshots;
  readonly #host: Host<R>;
  #view: View | null = null;
  #position: Pid = -1;
  #positions = new Map<MemberId, Pid>();
  #isInstalled = false;
  #out: ExitCause | null = null;
  #change: ViewChange | null = null; // until the view is installed
  readonly #early = new EarlyMessages();
  #dead = new Set<MemberId>();
  readonly #brokenChannels = new Set<MemberId>(); // peers whose channel broke in this view
  readonly #unreachable: UnreachablePeers;
  #awaitsNewEpoch = false;

  constructor(options: MemberOptions, host: Host<R>) {
    const { id, algorithm, algorithmOf, electionAlgorithmOf = () => undefined, leaseMs } = options;
    this.id = id;
    this.algorithm = algorithm;
    this.#host = host;
    const outlets = {
      sendTo: (to: Pid, message: MemberMessage) => this.#sendTo(to, message),
      broadcast: (message: MemberMessage) => this.#broadcast(message),
      requestNewEpoch: () => this.requestNewEpoch(),
      contractBroken: (reason: string) => this.#contractBroken(reason),
    };
    this.#unreachable = new UnreachablePeers({
      ...{ host, leaseMs },
      size: () => this.#positions.size,
      isInView: (peer) => this.#positions.has(peer),
      isOlder: (peer) => this.#positions.get(peer)! < this.#position,
    });
    this.leaders = new Leaders((election, leader) => host.leaderChanged(election, leader));
    this.locks = new LockTable({
      ...{ host, algorithm, algorithmOf, ...outlets },
      fence: (epoch, entry) => this.fence(epoch, entry),
      hintHandover: (to) => this.#hintHandover(to),
      announceLeader: (election, term, ends) => this.#announceLeader(election, term, ends),
    });
    this.elections = new ElectionRounds({
      ...{ host, locks: this.locks, algorithm, electionAlgorithmOf, ...outlets },
      maxDelay: Math.ceil(leaseMs / delaysPerLease),
      leaderOf: (election) => this.leaders.of(election)?.id ?? null,
      isBroken: (peer) => this.#brokenChannels.has(peer),
    });
    this.#snapshots = new GroupSnapshots({
      ...{ locks: this.locks, algorithm, algorithmOf, sendTo: outlets.sendTo },
      after: (milliseconds, task) => host.after(milliseconds, task),
    });
  }

  get view(): View | null {
    return this.#view;
  }

  get isInstalled(): boolean {
    return this.#isInstalled;
  }

  /** Why this member left the group; null while it takes part. */
  get out(): ExitCause | null {
    return this.#out;
  }

  /** The number of retained items besides the view. 0 in a new epoch without requests. */
  get retainedCount(): number {
    const { size } = this.#snapshots;
    const flushes = this.#change?.size ?? 0;
    return [...this.locks].length + this.elections.size + this.#early.size + this.#dead.size + flushes + size;
  }

  /** @internal Returns, as plain data, what decides further behaviour besides timers and snapshots. For tests that compare states. */
  inspectState() {
    return {
      view: this.#view && { epoch: this.#view.epoch, members: this.#view.members.map(({ id }) => id) },
      isInstalled: this.#isInstalled,
      awaitsNewEpoch: this.#awaitsNewEpoch,
      change: this.#change?.inspectState() ?? null,
      early: this.#early.inspectState(),
      dead: [...this.#dead].sort(),
      brokenChannels: [...this.#brokenChannels].sort(),
      unreachable: this.#unreachable.inspectState(),
      locks: this.locks.inspectState(),
      leaders: this.leaders.inspectState(),
      elections: this.elections.inspectState(),
    };
  }

  // Calls of the application.

  request(name: string, request: R, algorithm: string = this.algorithm): void {
    this.locks.request(name, request, algorithm);
  }

  /** As `request`, but fails if the lock is held. */
  try(name: string, request: R, algorithm: string = this.algorithm): void {
    this.locks.request(name, request, algorithm, true);
  }

  /** Withdraws a request; it will not be granted. */
  cancel(name: string, request: R): void {
    this.locks.cancel(name, request);
    if (isElection(name)) this.elections.cancel(electionOf(name), request);
  }

  release(name: string, request: R): void {
    this.locks.release(name, request);
  }

  /** Calls `done` with a consistent global state, or with the reason for failure after the timeout. Does not affect the group. */
  snapshot(milliseconds: number, done: (snapshot: GroupSnapshot) => void): void {
    if (this.#out !== null) done({ failed: `this member is out of the group: ${this.#out}` });
    else this.#snapshots.take(milliseconds, done);
  }

  /** Ends this member; its locks are lost. Returns the requests that were pending. */
  end(cause: ExitCause): UnservedRequests<R>[] {
    this.#out ??= cause;
    const unserved: UnservedRequests<R>[] = [];
    for (const { name, algorithm, waiting, holder } of this.locks) {
      if (waiting.length > 0) unserved.push({ name, algorithm, requests: [...waiting] });
      if (holder !== null) this.#host.lost(holder, cause);
    }
    for (const { election, algorithm, requests } of this.elections.clear())
      unserved.push({ name: electionLock(election), algorithm, requests });
    this.locks.clear();
    this.leaders.clear();
    this.#snapshots.stop(`the member that took it is out of the group: ${cause}`);
    return unserved;
  }

  /** An algorithm broke its contract: this member can no longer be trusted. */
  #contractBroken(reason: string): void {
    if (this.#out !== null) return;
    this.#out = 'broken';
    this.#host.contractBroken(reason);
  }

  // Events of the engine and of the transport.

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
    this.#brokenChannels.clear();
    this.#unreachable.viewChanged();
    this.#dead = new Set(view.members.flatMap(({ id }) => (this.#dead.has(id) ? [id] : [])));
    const incomplete = this.#early.viewChanged(view);
    this.#change = new ViewChange(view, position === 0, {
      held: () => this.locks.held(),
      haveFlushed: (...args) => this.haveFlushed(...args),
      sendTo: (to, message) => this.#sendTo(to, message),
      broadcast: (message) => this.#broadcast(message),
      install: (held) => this.#install(held),
      claimedTwice: () => this.#host.messageDropped('malformed'),
    });
    this.elections.viewChanged(view, position);
    this.#change.begin();
    for (const id of incomplete) this.channelBroke(id);
    this.#removeDead();
    this.#handleEarly();
  }

  /** The peer's process is certainly dead, or its lease has expired at the engine. */
  peerDied(id: MemberId): void {
    if (this.#dead.has(id) || this.#view === null || positionIn(this.#view, id) < 0) return;
    this.#dead.add(id);
    this.#removeDead();
  }

  /**
   * Messages to or from this live member may have been lost. Later messages of runs could then let two members enter, so both sides
   * drop them until a new epoch.
   */
  channelBroke(peer: MemberId): void {
    this.#brokenChannels.add(peer);
    this.requestNewEpoch();
  }

  /** The transport has not reached this peer for some time, and has dropped the messages to it. */
  peerUnreachable(peer: MemberId): void {
    this.channelBroke(peer);
    if (this.#out === null) this.#unreachable.add(peer);
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

  received(from: MemberId, message: MemberMessage): void {
    if (this.#out !== null) return;
    this.#unreachable.heard(from);
    const epoch = epochIn(message);
    if (epoch > this.#epoch) {
      if (!this.#early.add(from, message, epoch)) this.#host.messageDropped('too early');
      this.#host.readView();
    } else if (!this.#positions.has(from)) this.#host.messageDropped('stranger');
    else if (!isViewMessage(message)) this.#handle(from, message);
    else if (this.isOld(epoch, this.#epoch)) this.#host.messageDropped('foreign epoch');
    else if (this.#isInstalled || handledBeforeInstall.includes(message.type))
      this.#handleViewMessage(from, message);
    else if (!this.#early.add(from, message, epoch)) {
      this.#host.messageDropped('too early');
      this.channelBroke(from);
    }
  }

  // Rules that faulty variants override, to test that a violation is detected.

  protected isOld(epoch: number, current: number): boolean {
    return epoch < current;
  }

  protected fence(epoch: number, entry: number): number {
    return fenceOf(epoch, entry);
  }

  protected haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean {
    return view.members.every(({ id }) => flushes.has(id));
  }

  // Messages.

  #handle(from: MemberId, message: Exclude<MemberMessage, ViewMessage>): void {
    switch (message.type) {
      case 'view':
        if (message.epoch === this.#epoch && this.#positions.get(from) === 0) this.#change?.firstIsReady();
        break;
      case 'hail':
        if (!message.isAnswer) this.#host.send(from, { type: 'hail', isAnswer: true });
        break;
      case 'leads':
        this.#leaderAnnounced(from, message);
        break;
      case 'probe':
        if (this.locks.get(message.lock)?.isHeld) this.#host.send(from, { ...message, type: 'busy' });
        break;
      case 'busy':
        this.locks.onBusy(message.lock, message.attempt);
        break;
      case 'conflict':
        this.locks.onConflict(message.lock, message.algorithm);
        if (isElection(message.lock)) this.elections.settle(electionOf(message.lock));
    }
  }

  #handleViewMessage(from: MemberId, message: ViewMessage): void {
    const sender = this.#positions.get(from)!;
    if (this.#brokenChannels.has(from) && isRunMessage(message)) this.#host.messageDropped('after a gap');
    else if (!this.#accepted(from, sender, message)) {
      this.#host.messageDropped('malformed');
      this.channelBroke(from);
    }
  }

  /** Handles a message. Returns false if no working member can have sent it. */
  #accepted(from: MemberId, sender: Pid, message: ViewMessage): boolean {
    switch (message.type) {
      case 'run':
        return this.#handleAlgorithmMessage(message, sender);
      case 'marker':
        return this.#snapshots.onMarker(message, sender);
      case 'part':
      case 'part-piece':
        return this.#snapshots.onPart(message, sender);
      case 'begin':
        this.locks.onBegin(message, sender);
        return true;
      case 'agree':
        this.locks.onAgree(message.lock, sender);
        return true;
      case 'open':
        return this.locks.onOpen(message.lock, sender);
      case 'refresh':
        this.requestNewEpoch();
        return true;
      case 'flush':
      case 'flush-piece':
        return this.#change?.flushArrived(from, message) ?? false;
      case 'install':
      case 'install-piece':
        return (sender === 0 && this.#change?.installArrived(from, message)) ?? false;
      default:
        return this.elections.received(message, sender);
    }
  }

  #handleAlgorithmMessage(message: AlgorithmMessage, sender: Pid): boolean {
    if (!this.locks.isPossible(message, sender)) return false;
    this.#snapshots.onAlgorithmMessage(message, sender);
    return this.locks.onAlgorithmMessage(message, sender);
  }

  #handleEarly(): void {
    for (const { from, message } of this.#early.take(this.#epoch)) this.received(from, message);
  }

  // Views.

  #install(held: readonly InheritedLock[]): void {
    if (!this.locks.areAllNamed(this.#position, held)) {
      this.#host.memberOut('forgotten');
      return;
    }
    this.#isInstalled = true;
    this.#change = null;
    this.leaders.installed(this.#view!, held);
    this.#snapshots.installed(this.#view!, this.#position);
    this.locks.begin(this.#view!, this.#position, held);
    this.elections.installed();
    this.#handleEarly();
    if (this.#isInstalled) this.elections.ready();
  }

  /** The first live member of the view proposes the new view. The others follow after a delay, in case it does not. */
  #removeDead(): void {
    const view = this.#view!;
    if (this.#dead.size === 0) return;
    const rank = positionIn({ ...view, members: membersExcept(view, this.#dead) }, this.id);
    if (rank === 0) this.#proposeWithoutDead(view);
    else this.#host.after(rank * removalDelay, () => this.#proposeWithoutDead(view));
  }

  /** Repeats the proposal until the view changes, because the engine may be unreachable. */
  #proposeWithoutDead(view: View): void {
    if (this.#view !== view || this.#out !== null) return;
    this.#host.proposeView(view, membersExcept(view, this.#dead));
    this.#host.after(proposeAgain, () => this.#proposeWithoutDead(view));
  }

  get #epoch(): number {
    return this.#view?.epoch ?? -1;
  }

  #announceLeader(election: string, term: number, ends: boolean): void {
    const message = { type: 'leads', election, term, ends } as const;
    this.#broadcast(message);
    this.#leaderAnnounced(this.id, message);
  }

  #leaderAnnounced(id: MemberId, { election, term, ends }: MemberMessage & { type: 'leads' }): void {
    if (ends) {
      this.leaders.ends(election, term);
      this.elections.termEnded(election);
    } else this.leaders.leads(election, id, term);
  }

  /** A ring of one sends to itself. A timer avoids an endless loop, because its token may circulate forever. */
  #sendTo(to: Pid, message: MemberMessage): void {
    if (to === this.#position) this.#host.after(1, () => this.received(this.id, message));
    else this.#send(this.#view!.members[to]!.id, message);
  }

  #hintHandover(to: Pid): void {
    const peer = this.#view!.members[to];
    if (peer !== undefined && to !== this.#position) this.#host.hintHandover(peer.id);
  }

  #broadcast(message: MemberMessage): void {
    for (const { id } of this.#view?.members ?? []) if (id !== this.id) this.#send(id, message);
  }

  #send(to: MemberId, message: MemberMessage): void {
    if (!this.#brokenChannels.has(to) || !isRunMessage(message)) this.#host.send(to, message);
  }
}
