// One member of a group, without sockets, clocks or engine.
//
// 1. The engine decides on views. A member that learns of a new view lets its runs go on. Locks that need a new run get one from their home,
//    one by one (`home-protocol.ts`). If a member of the view is of an older version, all locks are stopped and started again together
//    (`flush-protocol.ts`).
// 2. A message of an older epoch is dropped. A message of a newer epoch waits for that view. Only members of the view are heard.
// 3. A new epoch of the same members repairs what fails between live members: a broken connection, or too many entries in one epoch.
// 4. All members of a view must reach each other (`unreachable-peers.ts`).
// 5. A message that no working member can send is dropped, and its channel counts as broken: a message that it replaced may be missing.
import type { Pid } from '../core/algorithm.ts';
import { Channels } from './channels.ts';
import { EarlyMessages } from './early-messages.ts';
import { ElectionRounds } from './election-rounds.ts';
import { FlushProtocol, isFlushMessage } from './flush-protocol.ts';
import { type GroupSnapshot, GroupSnapshots } from './group-snapshots.ts';
import { HomeProtocol, type HomeProtocolContext } from './home-protocol.ts';
import type { After, ExitCause, Host } from './host.ts';
import { electionLock, electionOf, isElection, Leaders } from './leaders.ts';
import { Leadership } from './leadership.ts';
import type { LocalLock } from './local-lock.ts';
import { LockTable } from './lock-table.ts';
import {
  type ElectionViewMessage,
  epochIn,
  type HomeMessage,
  handledBeforeInstall,
  isHomeMessage,
  isRunMessage,
  isViewMessage,
  type MemberMessage,
  type ViewMessage,
} from './member-messages.ts';
import type { MemberOptions, UnservedRequests } from './member-options.ts';
import { isFlushed, type MemberId, positionIn, type View } from './view.ts';
import { ViewProposals } from './view-proposals.ts';

const delaysPerLease = 50; // of messages between candidates, by the bound that election algorithms are told

export class Member<R> {
  readonly id: MemberId;
  readonly algorithm: string;
  readonly locks: LockTable<R>;
  readonly leaders: Leaders;
  readonly elections: ElectionRounds<R>;
  readonly #leadership: Leadership<R>;
  readonly #snapshots: GroupSnapshots;
  readonly #host: Host<R>;
  #view: View | null = null;
  #position: Pid = -1;
  #positions = new Map<MemberId, Pid>();
  #out: ExitCause | null = null;
  readonly #homes: HomeProtocol<R>;
  #flush: FlushProtocol<R> | null = null; // in a view with a member of an older version
  #own: HomeMessage[] = []; // messages to itself
  readonly #startFlush: (view: View) => FlushProtocol<R>;
  #isActing = false; // they are handled at the end of the current step
  readonly #early = new EarlyMessages();
  readonly #proposals: ViewProposals;
  readonly #channels: Channels<R>;

  constructor(options: MemberOptions, host: Host<R>) {
    const { id, algorithm, algorithmOf, electionAlgorithmOf = () => undefined, leaseMs } = options;
    this.id = id;
    this.algorithm = algorithm;
    this.#host = host;
    const after: After = (milliseconds, task) =>
      host.after(
        milliseconds,
        Object.assign(() => this.#out === null && this.#act(task), { task }), // tests recognise timers by their task
      );
    const outlets = {
      sendTo: (to: Pid, message: MemberMessage) => this.#sendTo(this.#view!.members[to]!.id, message),
      broadcast: (message: MemberMessage) => this.#channels.broadcast(message),
      requestNewEpoch: () => this.requestNewEpoch(),
      contractBroken: (reason: string) => this.#contractBroken(reason),
    };
    const sendTo = (to: MemberId, message: MemberMessage) => this.#sendTo(to, message);
    this.#channels = new Channels(host, id, leaseMs);
    this.#proposals = new ViewProposals({
      ...{ host, id, sendTo, requestNewEpoch: outlets.requestNewEpoch },
      out: () => this.#out,
    });
    this.leaders = new Leaders((election, leader) => host.leaderChanged(election, leader));
    this.locks = new LockTable({
      ...{ host, after, ...outlets },
      fence: (last) => this.fence(last),
      sendStep: (to, message) => {
        if (to === this.id)
          host.after(1, () => this.received(this.id, message)); // its token may circulate forever
        else this.#channels.send(to, message);
      },
      hintHandover: (to) => host.hintHandover(to),
      announceLeader: (election, term, ends) => this.#leadership.announce(election, term, ends),
    });
    this.#homes = this.createProtocol({
      ...{ host, after, id, algorithmOf, locks: this.locks, sendTo },
      ...{ requestNewEpoch: outlets.requestNewEpoch, spansMachines: options.spansMachines ?? false },
      malformed: (from) => this.#malformed(from),
      conductor: () => this.elections.awaited,
    });
    this.elections = new ElectionRounds({
      ...{ host, after, locks: this.locks, algorithm, electionAlgorithmOf, ...outlets },
      maxDelay: Math.ceil(leaseMs / delaysPerLease),
      leaderOf: (election) => this.leaders.of(election)?.id ?? null,
      isBroken: (peer) => this.#channels.isBroken(peer),
    });
    const { leaders, locks, elections } = this;
    this.#leadership = new Leadership(id, { leaders, locks, elections, channels: this.#channels });
    this.#snapshots = new GroupSnapshots({
      ...{ locks: this.locks, algorithm, algorithmOf, sendTo: outlets.sendTo },
      isUsable: (lock, run) => this.#homes.runs.isUsable(lock as LocalLock<R>, run),
      after,
    });
    this.#startFlush = (view) =>
      new FlushProtocol(
        {
          ...{ host, id, algorithm, algorithmOf, locks: this.locks, sendTo, broadcast: outlets.broadcast },
          stepCame: (message, sender) => this.#snapshots.onAlgorithmMessage(message, sender),
          haveFlushed: (...args) => this.haveFlushed(...args),
          installing: (held) => {
            this.leaders.installed(this.#view!, held);
            this.#snapshots.installed(this.#view!, this.#position);
          },
          installed: () => {
            this.elections.installed();
            this.#handleEarly();
            if (this.isInstalled) this.elections.ready();
          },
        },
        view,
      );
  }

  get view(): View | null {
    return this.#view;
  }

  /** Whether locks can be granted. */
  get isInstalled(): boolean {
    return this.#view !== null && (this.#flush?.isInstalled ?? true);
  }

  /** Why this member left the group; null while it takes part. */
  get out(): ExitCause | null {
    return this.#out;
  }

  /** The number of retained items besides the view. 0 in a new epoch without requests. */
  get retainedCount(): number {
    const parts = [
      this.locks,
      this.#homes.directory,
      this.elections,
      this.#early,
      this.#proposals,
      this.#snapshots,
    ];
    return parts.reduce((sum, { size }) => sum + size, this.#flush?.size ?? 0);
  }

  /** @internal Returns, as plain data, what decides further behaviour besides timers and snapshots. For tests that compare states. */
  inspectState() {
    return {
      view: this.#view && { epoch: this.#view.epoch, members: this.#view.members },
      isInstalled: this.isInstalled,
      ...this.#proposals.inspectState(),
      homes: this.#homes.inspectState(),
      flush: this.#flush?.inspectState() ?? null,
      early: this.#early.inspectState(),
      ...this.#channels.inspectState(),
      locks: this.locks.inspectState(),
      leaders: this.leaders.inspectState(),
      elections: this.elections.inspectState(),
    };
  }

  request(name: string, request: R, algorithm: string = this.algorithm): void {
    this.#act(() => this.locks.request(name, request, algorithm));
  }

  /** As `request`, but fails if the lock is held. */
  try(name: string, request: R, algorithm: string = this.algorithm): void {
    this.#act(() => this.locks.request(name, request, algorithm, true));
  }

  /** Stands for election. See `ElectionRounds`. */
  stand(election: string, request: R, algorithm: string | null): void {
    this.#act(() => this.elections.stand(election, request, algorithm));
  }

  /** Withdraws a request; it will not be granted. */
  cancel(name: string, request: R): void {
    this.#act(() => {
      this.locks.cancel(name, request);
      if (isElection(name)) this.elections.cancel(electionOf(name), request);
    });
  }

  release(name: string, request: R): void {
    this.#act(() => this.locks.release(name, request));
  }

  /** Must be called before the member leaves the group, when it holds nothing: so others need not wait for members that hang. */
  leaveAll(): void {
    this.#act(() => this.#homes.leaveAll());
  }

  /** Must be called every few leases. Forgets the locks that were not used since the last call. */
  sweep(): void {
    this.#act(() => this.#homes.sweep());
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
    // If the engine went back, homes that have not seen this member's view do not know its locks.
    if (view.after !== undefined && view.after < this.#epoch) this.#host.memberOut('forgotten');
    else if (position >= 0) this.#act(() => this.#changeView(view, position));
    else if (this.#view !== null) this.#host.memberOut('removed from the group');
  }

  #changeView(view: View, position: Pid): void {
    const newcomers = view.members.flatMap(({ id }) => (this.#positions.has(id) ? [] : [id]));
    this.#snapshots.stop('the view changed meanwhile');
    this.#view = view;
    this.#position = position;
    this.#positions = new Map(view.members.map(({ id }, i) => [id, i]));
    this.#proposals.viewChanged(view);
    const broken = this.#channels.viewChanged(view);
    const incomplete = this.#early.viewChanged(view);
    if (isFlushed(view)) this.#homes.pause(view);
    this.#flush = isFlushed(view) ? this.#startFlush(view) : null;
    if (this.#flush === null) this.leaders.viewChanged(view);
    this.elections.viewChanged(view, position);
    if (this.#flush !== null) this.#flush.begin();
    else this.#beginView(view, position, broken, newcomers);
    for (const id of incomplete) this.channelBroke(id);
    this.#proposals.removeDead();
    this.#handleEarly();
  }

  /** The runs of locks go on, except those with a member of which messages were lost. */
  #beginView(view: View, position: Pid, broken: readonly MemberId[], newcomers: readonly MemberId[]): void {
    if (position === 0) this.#channels.broadcast({ type: 'view', epoch: view.epoch });
    for (const peer of broken) {
      this.#host.send(peer, { type: 'gap' });
      this.#gap(peer);
    }
    for (const id of newcomers) this.#leadership.announceTo(id);
    this.#snapshots.installed(view, position);
    this.#homes.viewChanged(view);
    this.elections.installed();
  }

  #gap(peer: MemberId): void {
    this.#homes.gap(peer);
    this.leaders.gap(peer);
    this.#leadership.announceTo(peer);
  }

  /** The peer's process is certainly dead, or its lease has expired at the engine. */
  peerDied(id: MemberId): void {
    this.#proposals.peerDied(id);
  }

  /**
   * Messages to or from this live member may have been lost. Later messages of runs could then let two members enter, so both sides
   * drop them until a new epoch.
   */
  channelBroke(peer: MemberId): void {
    this.#channels.broke(peer);
    this.requestNewEpoch();
  }

  /** The transport has not reached this peer for some time, and has dropped the messages to it. */
  peerUnreachable(peer: MemberId): void {
    this.channelBroke(peer);
    if (this.#out === null) this.#channels.unreachable(peer);
  }

  /** Asks for a new epoch of the same members. */
  requestNewEpoch(): void {
    this.#proposals.requestNewEpoch();
  }

  received(from: MemberId, message: MemberMessage): void {
    if (this.#out !== null) return;
    this.#act(() => this.#receive(from, message));
  }

  #receive(from: MemberId, message: MemberMessage): void {
    this.#channels.heard(from);
    this.#homes.heard(from);
    const epoch = epochIn(message);
    if (epoch > this.#epoch) {
      // Steps that follow a marker do not wait for the view, so the marker would come too late: that snapshot fails.
      const isKept = message.type !== 'marker' && this.#early.add(from, message, epoch);
      if (!isKept) this.#host.messageDropped('too early');
      this.#host.readView();
    } else if (!this.#positions.has(from)) this.#host.messageDropped('stranger');
    else if (this.#channels.isBroken(from) && isRunMessage(message)) this.#host.messageDropped('after a gap');
    else if (!isViewMessage(message)) this.#handle(from, message);
    else if (this.isOld(epoch, this.#epoch)) this.#host.messageDropped('foreign epoch');
    else if (this.isInstalled || handledBeforeInstall.includes(message.type)) {
      if (!this.#accepted(from, this.#positions.get(from)!, message)) this.#malformed(from);
    } else if (!this.#early.add(from, message, epoch)) {
      this.#host.messageDropped('too early');
      this.channelBroke(from);
    }
  }

  /** A message that no working member can have sent may stand where a right one was. */
  #malformed(from: MemberId): void {
    this.#host.messageDropped('malformed');
    this.channelBroke(from);
  }

  /** Does one step, and then handles the messages of this member to itself. */
  #act(step: () => void): void {
    const isFirst = !this.#isActing;
    this.#isActing = true;
    try {
      step();
      if (!isFirst) return;
      while (this.#own.length > 0 && this.#out === null) {
        const message = this.#own.shift()!;
        if (epochIn(message) === this.#epoch) this.#homes.received(message, this.id);
      }
      this.#homes.watch(); // a request may have begun to wait: of the application, or of a candidate that was elected
    } finally {
      if (isFirst) this.#isActing = false;
    }
  }

  // Rules that faulty variants override, to test that a violation is detected.
  protected isOld(epoch: number, current: number): boolean {
    return epoch < current;
  }

  protected fence(last: number): number {
    return last;
  }

  protected createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
    return new HomeProtocol(context);
  }

  protected haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean {
    return view.members.every(({ id }) => flushes.has(id));
  }

  #handle(from: MemberId, message: Exclude<MemberMessage, ViewMessage>): void {
    switch (message.type) {
      case 'view':
        if (message.epoch === this.#epoch && this.#positions.get(from) === 0) this.#flush?.firstIsReady();
        break;
      case 'hail':
        if (!message.isAnswer) this.#host.send(from, { type: 'hail', isAnswer: true });
        break;
      case 'leads':
        this.#leadership.announced(from, message);
        break;
      case 'probe':
        if (this.locks.get(message.lock)?.isHeld) this.#host.send(from, { ...message, type: 'busy' });
        break;
      case 'busy':
        this.locks.onBusy(message.lock, message.attempt);
        break;
      case 'conflict':
        this.locks.conflict(message.lock, message.algorithm);
        if (this.#flush !== null) this.requestNewEpoch(); // members that agreed to our algorithm keep it until then
        if (isElection(message.lock)) this.elections.settle(electionOf(message.lock));
        break;
      case 'gap':
        if (this.#flush === null) this.#gap(from);
        break;
      default:
        if (this.#flush !== null) this.#host.messageDropped('foreign epoch');
        else {
          if (message.type === 'step') this.#snapshots.onStep(message, this.#positions.get(from)!);
          if (!this.#homes.receivedOfRun(message, from)) this.#malformed(from);
        }
    }
  }

  /** Handles a message. Returns false if no working member can have sent it. */
  #accepted(from: MemberId, sender: Pid, message: ViewMessage): boolean {
    if (isHomeMessage(message)) return this.#flush === null && this.#homes.received(message, from);
    if (isFlushMessage(message)) return this.#flush?.received(message, from, sender) ?? false;
    switch (message.type) {
      case 'marker':
        return this.#snapshots.onMarker(message, sender);
      case 'part':
      case 'part-piece':
      case 'recorded':
      case 'recorded-piece':
        return this.#snapshots.onPart(message, sender);
      case 'refresh':
        this.requestNewEpoch();
        return true;
      default:
        return this.elections.received(message as ElectionViewMessage, sender);
    }
  }

  #handleEarly(): void {
    for (const { from, message } of this.#early.take(this.#epoch)) this.received(from, message);
  }

  get #epoch(): number {
    return this.#view?.epoch ?? -1;
  }

  #sendTo(to: MemberId, message: MemberMessage): void {
    if (to !== this.id) this.#channels.send(to, message);
    else if (isHomeMessage(message)) this.#own.push(message);
    else this.#host.after(1, () => this.received(this.id, message));
  }
}
