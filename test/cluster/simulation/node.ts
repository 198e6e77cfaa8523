// One process of the group as its runtime makes it: one member after the other, each with its lease.
import {
  type ExitCause,
  type Host,
  type Leader,
  type Lease,
  type Member,
  type MemberId,
  membersExcept,
  nextPeerToPing,
  type Peer,
  type PeerClocks,
  positionIn,
  type View,
} from '../../../src/member/index.ts';
import type { Endpoint, Ping } from './network.ts';
import { Violation, type Wait } from './safety-observer.ts';
import { candidate, type World } from './simulate-group.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export const leaseMs = 1000;
const lastsHere = 0.7 * leaseMs;
export const lastsAtEngine = 0.8 * leaseMs;
const ticksPerLease = 10;
const ticksPerRenewal = 2;

/** What the application on this process is told. */
export interface Application {
  granted(wait: Wait, incarnation: SimulatedMemberHost, fence: number): void;
  busy(wait: Wait): void;
  refused(wait: Wait): void;
  lost(wait: Wait): void;
}

export class SimulatedMemberHost implements Host<Wait>, Endpoint {
  readonly id: MemberId;
  readonly node: Node;
  readonly lease: Lease;
  readonly member: Member<Wait>;
  readonly clocks: PeerClocks;
  isOpen = true;
  isJoined = false;

  constructor(node: Node, id: MemberId) {
    const { world } = node;
    this.id = id;
    this.node = node;
    this.lease = new world.variant.lease(node.machine, lastsHere);
    this.clocks = new world.variant.clocks(node.machine.clocks);
    const algorithm = world.algorithm.name;
    const options = { id, algorithm, algorithmOf: candidate, leaseMs };
    this.member = new world.variant.member<Wait>(options, this);
  }

  get machine(): SimulatedProcess {
    return this.node.machine;
  }

  /** What `lock.assertHeld` of an application asks. */
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

  askTheTime(turn: number): void {
    const peer =
      this.member.view && nextPeerToPing(this.member.view, this.id, turn, ticksPerLease / ticksPerRenewal);
    if (!peer) return;
    this.clocks.pingSent(peer.id, turn);
    this.node.world.network.ping(this, peer.id, { question: turn, answer: null });
  }

  end(cause: ExitCause): Wait[] {
    this.isOpen = false;
    return this.member.end(cause).flatMap(({ requests }) => requests);
  }

  // As the end of channels.

  received(from: MemberId, word: Parameters<Member<Wait>['received']>[1]): void {
    if (!this.isOpen) return;
    if (this.isOver) this.node.over('lease over');
    else {
      this.node.world.note(() => `${this.id} hears ${from}: ${JSON.stringify(word)}`);
      this.member.received(from, word);
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
      world.judgeClock(this, from, answer.set);
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

  // As the host of the member.

  send(to: MemberId, word: Parameters<Member<Wait>['received']>[1]): void {
    if (!this.isOpen) throw new Violation(`${this.id} says ${word.type} after its end`);
    if (to === this.id) throw new Violation(`${this.id} speaks to itself`);
    this.node.world.network.send(this, to, word);
  }

  contractBroken(reason: string): void {
    throw new Violation(reason);
  }

  proposeView(after: View, members: readonly Peer[]): void {
    this.node.world.note(() => `${this.id} proposes ${members.map(({ id }) => id)} after ${after.epoch}`);
    this.node.world.engine.change(this.machine, after, members, (view) => this.node.viewed(view));
  }

  readView(): void {
    this.node.look();
  }

  after(milliseconds: number, task: () => void): () => void {
    return this.machine.after(milliseconds, () => {
      if (this.isOpen) task();
    });
  }

  holdsLease(): boolean {
    if (!this.isOver) return true;
    this.node.over('lease over');
    return false;
  }

  memberOut(cause: ExitCause): void {
    this.node.over(cause);
  }

  granted(wait: Wait, fence: number): void {
    if (!this.isOpen) throw new Violation(`${this.id} is granted ${wait.lock} after its end`);
    this.node.application.granted(wait, this, fence);
  }

  busy(wait: Wait): void {
    this.node.application.busy(wait);
  }

  refused(wait: Wait): void {
    this.node.application.refused(wait);
  }

  lost(wait: Wait): void {
    this.node.application.lost(wait);
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
  #incarnations = 0;
  #ticks = 0;
  #unwatch: () => void = () => {};

  constructor(world: World, machine: SimulatedProcess, application: Application) {
    this.world = world;
    this.machine = machine;
    this.application = application;
    this.#unwatch = world.engine.watch({ machine, viewed: (view) => this.viewed(view) });
    this.#start();
    machine.after(leaseMs / ticksPerLease, () => this.#tick());
  }

  get isUp(): boolean {
    return this.machine.isAlive && !this.hasLeft;
  }

  ask(wait: Wait): void {
    const { algorithm, algorithmOfC } = this.world;
    const { name } = wait.lock === 'c' ? algorithmOfC : algorithm;
    if (wait.isTry) this.now.member.try(wait.lock, wait, name);
    else this.now.member.request(wait.lock, wait, name);
  }

  viewed(view: View): void {
    if (this.hasLeft || view.epoch <= (this.now.member.view?.epoch ?? -1)) return;
    this.world.note(() => `${this.now.id} sees view ${view.epoch}: ${view.members.map(({ id }) => id)}`);
    this.now.member.viewChanged(view);
  }

  look(): void {
    const incarnation = this.now;
    const known = incarnation.member.view?.epoch ?? -1;
    this.world.engine.read(this.machine, (view) => {
      if (view !== null && view.epoch >= known) this.viewed(view);
      else if (known >= 0 && incarnation === this.now) this.over('forgotten');
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
    for (const wait of unserved) this.ask(wait);
  }

  /** The application has released all and waits for nothing. */
  leave(): void {
    const { engine } = this.world;
    const { id } = this.now;
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
    this.#incarnations += 1;
    this.now = new SimulatedMemberHost(this, `${this.machine.name}.${this.#incarnations}`);
    this.world.network.open(this.now);
    this.#join(this.now);
  }

  /** Again until it is in. */
  #join(incarnation: SimulatedMemberHost): void {
    const { engine } = this.world;
    const { machine } = this;
    const again = () => {
      const { isOpen, isJoined } = incarnation;
      if (isOpen && !isJoined) this.machine.after(20, () => this.#join(incarnation));
    };
    const me: Peer = { id: incarnation.id, address: '', label: machine.name, priority: 0 };
    const decided = (view: View) => {
      if (positionIn(view, me.id) < 0) again();
      else {
        incarnation.isJoined = true;
        if (incarnation.isOpen) this.viewed(view);
      }
    };
    const isPresent = () => incarnation.isOpen && !incarnation.isJoined;
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
    if (isPresent()) incarnation.renew(() => engine.read(machine, enter, again), again);
  }

  #tick(): void {
    if (this.hasLeft) return;
    this.machine.after(leaseMs / ticksPerLease, () => this.#tick());
    const incarnation = this.now;
    if (!incarnation.isJoined) return;
    if (incarnation.isOver) {
      this.over('lease over');
      return;
    }
    this.#ticks += 1;
    if (this.#ticks % ticksPerRenewal === 0) {
      incarnation.renew();
      this.look();
      incarnation.askTheTime(this.#ticks / ticksPerRenewal);
    }
    this.#watchNext(incarnation);
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
