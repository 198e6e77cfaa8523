// One process of a simulated group: a sequence of members, each with its lease. It mirrors src/cluster/membership.
import {
  type ExitCause,
  electionOf,
  type Host,
  isElection,
  type Leader,
  type Lease,
  type Member,
  type MemberId,
  membersExcept,
  nextPeerToPing,
  type Peer,
  type PeerClocks,
  positionIn,
  protocolVersion,
  type View,
} from '../../../src/member/index.ts';
import type { Endpoint, Ping } from './network.ts';
import { type LockRequest, Violation } from './safety-observer.ts';
import { candidate, electionAlgorithmNamed, type World } from './simulate-group.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export const leaseMs = 1000;
const localLeaseMs = 0.7 * leaseMs;
export const engineLeaseMs = 0.8 * leaseMs;
const ticksPerLease = 10;
const ticksPerRenewal = 2;
const ticksPerSweep = 2 * ticksPerLease;

/** Callbacks of the application on this process. */
export interface Application {
  granted(request: LockRequest, host: SimulatedMemberHost, fence: number): void;
  busy(request: LockRequest): void;
  refused(request: LockRequest): void;
  lost(request: LockRequest): void;
}

export class SimulatedMemberHost implements Host<LockRequest>, Endpoint {
  readonly id: MemberId;
  readonly node: Node;
  readonly lease: Lease;
  readonly member: Member<LockRequest>;
  readonly clocks: PeerClocks;
  isOpen = true;
  isJoined = false;

  constructor(node: Node, id: MemberId) {
    const { world } = node;
    this.id = id;
    this.node = node;
    this.lease = new world.variant.lease(node.machine, localLeaseMs);
    this.clocks = new world.variant.clocks(node.machine.clocks);
    const algorithm = world.algorithm.name;
    const { electionAlgorithmOf = electionAlgorithmNamed } = world.variant;
    const { spansMachines } = world;
    const options = {
      ...{ id, algorithm, algorithmOf: candidate, electionAlgorithmOf },
      ...{ leaseMs, spansMachines },
    };
    this.member = new world.variant.member<LockRequest>(options, this);
  }

  get machine(): SimulatedProcess {
    return this.node.machine;
  }

  /** What `lock.assertHeld` checks. */
  get isOver(): boolean {
    return this.lease.isOver || this.member.out !== null;
  }

  renew(then?: () => void, failed?: () => void): void {
    const sent = this.lease.startRenewal();
    const renewed = () => {
      this.lease.renewed(sent);
      then?.();
    };
    this.node.world.engine.renew(this.machine, this.id, renewed, failed);
  }

  pingNextPeer(turn: number): void {
    const peer =
      this.member.view && nextPeerToPing(this.member.view, this.id, turn, ticksPerLease / ticksPerRenewal);
    if (!peer) return;
    this.clocks.pingSent(peer.id, turn);
    this.node.world.network.ping(this, peer.id, { question: turn, answer: null });
  }

  end(cause: ExitCause): LockRequest[] {
    this.isOpen = false;
    return this.member.end(cause).flatMap(({ requests }) => requests);
  }

  // Endpoint.

  received(from: MemberId, message: Parameters<Member<LockRequest>['received']>[1]): void {
    if (!this.isOpen) return;
    if (this.isOver) this.node.over('lease over');
    else {
      this.node.world.note(() => `${this.id} hears ${from}: ${JSON.stringify(message)}`);
      this.member.received(from, message);
    }
  }

  pinged(from: MemberId, { question, answer }: Ping): void {
    const { world, machine } = this.node;
    if (!this.isOpen || this.isOver) return;
    if (answer === null)
      world.network.ping(this, from, {
        question,
        answer: { clocks: this.clocks.reading(), set: machine.set },
      });
    else if (this.clocks.pongReceived(from, question, answer.clocks))
      world.checkClock(this, from, answer.set);
  }

  broke(peer: MemberId): void {
    this.node.world.note(() => `${this.id} lost its connection to ${peer}`);
    if (this.isOpen) this.member.channelBroke(peer);
  }

  unreachable(peer: MemberId): void {
    this.node.world.note(() => `${this.id} cannot reach ${peer}`);
    if (this.isOpen) this.member.peerUnreachable(peer);
  }

  died(peer: MemberId): void {
    this.node.world.note(() => `${this.id} knows ${peer} to be dead`);
    if (this.isOpen) this.member.peerDied(peer);
  }

  // Host.

  send(to: MemberId, message: Parameters<Member<LockRequest>['received']>[1]): void {
    if (!this.isOpen) throw new Violation(`${this.id} says ${message.type} after its end`);
    if (to === this.id) throw new Violation(`${this.id} speaks to itself`);
    this.node.world.network.send(this, to, message);
  }

  contractBroken(reason: string): void {
    throw new Violation(reason);
  }

  proposeView(after: View, members: readonly Peer[]): void {
    this.node.world.note(() => `${this.id} proposes ${members.map(({ id }) => id)} after ${after.epoch}`);
    this.node.world.engine.change(this.machine, after, members, (view) => this.node.viewChanged(view));
  }

  readView(): void {
    this.node.readView();
  }

  after(milliseconds: number, task: () => void): () => void {
    return this.machine.after(milliseconds, () => {
      if (this.isOpen) task();
    });
  }

  choose(options: number): number {
    return this.node.world.electionRandom.below(options);
  }

  holdsLease(): boolean {
    if (!this.isOver) return true;
    this.node.over('lease over');
    return false;
  }

  memberOut(cause: ExitCause): void {
    this.node.over(cause);
  }

  granted(request: LockRequest, fence: number): void {
    if (!this.isOpen) throw new Violation(`${this.id} is granted ${request.lock} after its end`);
    this.node.application.granted(request, this, fence);
  }

  busy(request: LockRequest): void {
    this.node.application.busy(request);
  }

  refused(request: LockRequest): void {
    this.node.application.refused(request);
  }

  lost(request: LockRequest): void {
    this.node.application.lost(request);
  }

  leaderChanged(election: string, leader: Leader): void {
    this.node.world.note(() => `${this.id} is told who leads ${election}: ${JSON.stringify(leader)}`);
    this.node.world.observer.led(this.machine.name, election, leader);
  }

  hintHandover(): void {}

  messageDropped(): void {}
}

export class Node {
  readonly world: World;
  readonly machine: SimulatedProcess;
  readonly application: Application;
  now!: SimulatedMemberHost;
  hasLeft = false;
  readonly isOld: boolean; // it speaks a version before 6
  readonly #priority: number;
  #hosts = 0;
  #ticks = 0;
  #unwatch: () => void = () => {};

  constructor(world: World, machine: SimulatedProcess, application: Application) {
    this.world = world;
    this.machine = machine;
    this.application = application;
    this.isOld = world.nextIsOld();
    this.#priority = world.electionRandom.below(3);
    this.#unwatch = world.engine.watch({ machine, viewChanged: (view) => this.viewChanged(view) });
    this.#start();
    machine.after(leaseMs / ticksPerLease, () => this.#tick());
  }

  get isUp(): boolean {
    return this.machine.isAlive && !this.hasLeft;
  }

  ask(request: LockRequest): void {
    const { algorithm, algorithmOfC, electionAlgorithm } = this.world;
    const { name } = request.lock === 'c' ? algorithmOfC : algorithm;
    if (isElection(request.lock) && electionAlgorithm !== null)
      this.now.member.stand(electionOf(request.lock), request, electionAlgorithm);
    else if (request.isTry) this.now.member.try(request.lock, request, name);
    else this.now.member.request(request.lock, request, name);
  }

  viewChanged(view: View): void {
    if (this.hasLeft || view.epoch <= (this.now.member.view?.epoch ?? -1)) return;
    this.world.note(() => `${this.now.id} sees view ${view.epoch}: ${view.members.map(({ id }) => id)}`);
    this.now.member.viewChanged(view);
  }

  readView(): void {
    const host = this.now;
    const known = host.member.view?.epoch ?? -1;
    this.world.engine.read(this.machine, (view) => {
      if (view !== null && view.epoch >= known) this.viewChanged(view);
      else if (known >= 0 && host === this.now) this.over('forgotten');
    });
  }

  over(cause: ExitCause): void {
    if (this.hasLeft) return;
    this.world.note(() => `${this.now.id} is out: ${cause}`);
    this.world.observer.outs[cause] += 1;
    const before = this.now;
    const unserved = before.end(cause);
    this.world.network.died(before);
    this.world.engine.forget(this.machine, before.id);
    this.#start();
    for (const request of unserved) this.ask(request);
  }

  /** The application must have released all locks and cancelled all requests. */
  leave(): void {
    const { engine } = this.world;
    const { id } = this.now;
    this.now.member.leaveAll();
    const end = () => {
      if (this.hasLeft) return;
      this.hasLeft = true;
      this.#unwatch();
      this.now.end('left');
      this.world.network.died(this.now);
      this.world.left(this);
    };
    const without = (view: View | null): void => {
      if (view === null || this.now.id !== id || positionIn(view, id) < 0) end();
      else
        engine.change(
          this.machine,
          view,
          view.members.filter((peer) => peer.id !== id),
          without,
          end,
        );
    };
    engine.read(this.machine, without, end);
  }

  #start(): void {
    this.#hosts += 1;
    this.now = new SimulatedMemberHost(this, `${this.machine.name}.${this.#hosts}`);
    this.world.network.open(this.now);
    this.#join(this.now);
  }

  /** Repeats until it is in the view. */
  #join(host: SimulatedMemberHost): void {
    const { engine } = this.world;
    const { machine } = this;
    const again = () => {
      const { isOpen, isJoined } = host;
      if (isOpen && !isJoined) this.machine.after(20, () => this.#join(host));
    };
    const speaks = this.isOld ? {} : { speaks: protocolVersion };
    const me: Peer = { id: host.id, address: '', label: machine.name, priority: this.#priority, ...speaks };
    const decided = (view: View) => {
      if (positionIn(view, me.id) < 0) again();
      else {
        host.isJoined = true;
        if (host.isOpen) this.viewChanged(view);
      }
    };
    const isPresent = () => host.isOpen && !host.isJoined;
    const enter = (view: View | null) => {
      const propose = (dead: readonly MemberId[]) => {
        if (!isPresent()) return;
        const others = view === null ? [] : membersExcept(view, new Set([...dead, me.id]));
        if (!this.world.reachesAll(machine, others)) {
          again();
          return;
        }
        engine.change(machine, view, [...others, me], decided, again);
      };
      if (view === null) propose([]);
      else engine.expired(machine, view.members, propose, again);
    };
    if (isPresent()) host.renew(() => engine.read(machine, enter, again), again);
  }

  #tick(): void {
    if (this.hasLeft) return;
    this.machine.after(leaseMs / ticksPerLease, () => this.#tick());
    const host = this.now;
    if (!host.isJoined) return;
    if (host.isOver) {
      this.over('lease over');
      return;
    }
    this.#ticks += 1;
    if (this.#ticks % ticksPerRenewal === 0) {
      host.renew();
      this.readView();
      host.pingNextPeer(this.#ticks / ticksPerRenewal);
    }
    if (this.#ticks % ticksPerSweep === 0) host.member.sweep();
    this.#watchNext(host);
  }

  #watchNext({ id, member }: SimulatedMemberHost): void {
    const { engine } = this.world;
    const members = member.view?.members ?? [];
    const next = members[(members.findIndex((peer) => peer.id === id) + 1) % members.length];
    if (next === undefined || next.id === id) return;
    const others = members.filter((peer) => peer.id !== id);
    engine.expired(this.machine, [next], (over) => {
      if (over.length > 0)
        engine.expired(this.machine, others, (ids) => {
          for (const one of ids) if (member.out === null) this.now.died(one);
        });
    });
  }
}
