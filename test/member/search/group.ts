// One group in one state: real members, and around them what their host, the transports and the engines do. `group-events.ts` lists what
// can happen; this file has the consequences.
import { Member, type MemberId, type MemberMessage } from '../../../src/member/index.ts';
import { epochIn, isViewMessage } from '../../../src/member/member-messages.ts';
import { slotOf } from '../../../src/member/slots.ts';
import { type Instance, Violation } from './instance.ts';
import { MemberAutomaton, type MemberState, type Step } from './member-automaton.ts';
import type { Circumstances, Effect, Input } from './scripted-host.ts';
import {
  gap,
  type InTransit,
  idOf,
  idsIn,
  isDead,
  lineageOf,
  nameOf,
  type PeerText,
  type ProcessState,
  processOf,
  type StoredView,
  type World,
} from './world.ts';

/** An instance and the automaton of its members, shared by all states. */
export class Model {
  readonly instance: Instance;
  readonly members: MemberAutomaton;

  constructor(instance: Instance) {
    this.instance = instance;
    const locks = instance.asks.flatMap((_, process) =>
      instance.asks[process]!.map((_, i) => this.lockOf(process, i + 1)),
    );
    const slots = new Set(locks.map(({ lock }) => slotOf(lock)));
    this.members = new MemberAutomaton(instance.algorithm, instance.member ?? Member, slots);
  }

  peerText(id: MemberId): PeerText {
    return this.instance.old?.includes(processOf(id)) ? `${id}'` : id;
  }

  lockOf(process: number, request: number): { readonly lock: string; readonly isTry: boolean } {
    const asked = this.instance.asks[process]![request - 1]!;
    return { lock: asked.replace('?', ''), isTry: asked.endsWith('?') };
  }

  /** All members of the first view are about to learn of it. */
  initial(): World {
    const { members, outside = 0, atMost } = this.instance;
    const ids = Array.from({ length: members }, (_, i) => `${nameOf(i)}1`);
    const first = { epoch: 1, after: null, members: ids.map((id) => this.peerText(id)) };
    const processes = Array.from({ length: members + outside }, (_, i): ProcessState => {
      const member = this.members.initial(`${nameOf(i)}1`);
      const isIn = i < members;
      const life = { status: isIn ? 'member' : 'outside', hasJoined: isIn, incarnation: 1, member } as const;
      return { ...life, isHung: false, lease: 'held', asked: 0, pending: [], held: [] };
    });
    const world: World = {
      processes,
      channels: {},
      unreported: {},
      stored: first,
      before: null,
      past: [first],
      lastEpoch: 1,
      lineages: [1],
      proposals: [],
      fences: {},
      terms: {},
      faults: atMost,
    };
    return world;
  }
}

export class Group {
  readonly model: Model;
  readonly world: World;

  constructor(model: Model, world: World) {
    this.model = model;
    this.world = world;
  }

  // Processes and members.

  process(process: number): ProcessState {
    return this.world.processes[process]!;
  }

  id(process: number): MemberId {
    return idOf(this.world, process);
  }

  member(process: number): MemberState {
    return this.model.members.states[this.process(process).member]!;
  }

  isRunning(process: number): boolean {
    const { status } = this.process(process);
    return status === 'member' || status === 'leaving' || status === 'outside';
  }

  /** The lease as the process sees it. */
  holdsLease(process: number): boolean {
    return this.process(process).lease === 'held' || this.model.instance.mistake === 'lease not checked';
  }

  input(process: number, input: Input): void {
    this.#follow(
      process,
      this.model.members.step(this.process(process).member, input, this.#circumstances(process)),
    );
  }

  #circumstances(process: number): Circumstances {
    return { holdsLease: this.holdsLease(process), isLeaving: this.process(process).status === 'leaving' };
  }

  #follow(process: number, { to, effects }: Step): void {
    if (to !== null) this.process(process).member = to;
    for (const effect of effects) this.#effect(process, effect);
  }

  #effect(process: number, effect: Effect): void {
    switch (effect.type) {
      case 'send':
        this.#send(process, effect.to, effect.message);
        break;
      case 'propose': {
        const text = `${effect.after}:${effect.members}`;
        if (!this.world.proposals.includes(text)) this.world.proposals.push(text);
        break;
      }
      case 'granted':
        this.#granted(process, effect.request, effect.fence);
        break;
      case 'busy':
      case 'refused':
        this.#ended(process, effect.request, 'pending');
        break;
      case 'lost':
        this.#ended(process, effect.request, 'held');
        break;
      case 'leader':
        if (effect.leader !== null) this.#leads(effect.election, effect.leader.term, effect.leader.id);
        break;
      case 'out':
        if (
          effect.cause === 'forgotten' &&
          !this.model.instance.faults.some((fault) => fault === 'wipe' || fault === 'backup')
        )
          throw new Violation(`${this.id(process)} is out: the group has lost track of a lock that it holds`);
        this.#out(process, effect.unserved);
        break;
      case 'failed':
        throw new Violation(effect.reason);
    }
  }

  /** The process starts a new member, which makes the pending requests again. */
  #out(process: number, unserved: readonly string[]): void {
    const state = this.process(process);
    const numbers = unserved.map((request) => Number(request.slice(1)));
    if (state.pending.some((request) => !numbers.includes(request)))
      throw new Violation(`${this.id(process)} is out, and loses a waiting request`);
    state.incarnation += 1;
    state.status = 'outside';
    state.lease = 'held';
    state.held = [];
    state.member = this.model.members.initial(this.id(process));
    for (const request of numbers) if (state.pending.includes(request)) this.#request(process, request);
  }

  // The application.

  ask(process: number): void {
    const state = this.process(process);
    state.asked += 1;
    state.pending.push(state.asked);
    this.#request(process, state.asked);
  }

  #request(process: number, number: number): void {
    const { lock, isTry } = this.model.lockOf(process, number);
    this.input(process, { type: isTry ? 'try' : 'request', lock, request: requestName(process, number) });
  }

  release(process: number, number: number): void {
    const { lock } = this.model.lockOf(process, number);
    this.#ended(process, requestName(process, number), 'held');
    this.input(process, { type: 'release', lock, request: requestName(process, number) });
  }

  cancel(process: number, number: number): void {
    const { lock } = this.model.lockOf(process, number);
    this.#ended(process, requestName(process, number), 'pending');
    this.input(process, { type: 'cancel', lock, request: requestName(process, number) });
  }

  #granted(process: number, request: string, fence: number): void {
    const number = Number(request.slice(1));
    const state = this.process(process);
    if (!state.pending.includes(number))
      throw new Violation(`request ${request} is granted, but was withdrawn or served before`);
    this.#ended(process, request, 'pending');
    state.held.push(number);
    this.#fenceRises(this.model.lockOf(process, number).lock, this.member(process).epoch, fence);
  }

  #ended(process: number, request: string, list: 'pending' | 'held'): void {
    const state = this.process(process);
    state[list] = state[list].filter((number) => number !== Number(request.slice(1)));
  }

  // Properties at the moment of a grant.

  /** Within a lineage fences rise; all fences of a later lineage are higher, even if an older one grants later. */
  #fenceRises(lock: string, epoch: number, fence: number): void {
    const { world } = this;
    const lineage = lineageOf(world, epoch);
    for (let other = 1; other <= world.lineages.length; other += 1) {
      const range = world.fences[`${lock} ${other}`];
      if (range === undefined) continue;
      if (other <= lineage ? fence <= range.last : fence >= range.first)
        throw new Violation(`the fence of ${lock} does not rise: ${range.last}, then ${fence}`);
    }
    const range = world.fences[`${lock} ${lineage}`];
    world.fences[`${lock} ${lineage}`] = { first: range?.first ?? fence, last: fence };
  }

  #leads(election: string, term: number, leader: MemberId): void {
    const known = this.world.terms[`${election} ${term}`] ?? leader;
    if (known !== leader) throw new Violation(`term ${term} of ${election} has two leaders`);
    this.world.terms[`${election} ${term}`] = leader;
  }

  // Channels.

  #send(process: number, to: MemberId, message: MemberMessage): void {
    const key = `${this.id(process)}>${to}`;
    if (this.world.unreported[key] !== undefined) return;
    const items = this.world.channels[key] ?? [];
    items.push(this.model.members.numberOf(message));
    this.world.channels[key] = items;
  }

  /** Delivers the next message of a channel, or the report of a gap. */
  deliver(key: string): void {
    const [from, to] = key.split('>') as [MemberId, MemberId];
    const process = processOf(to);
    const item = this.world.channels[key]!.shift()!;
    if (item !== gap && !this.holdsLease(process)) this.input(process, { type: 'out', cause: 'lease over' });
    else if (item !== gap)
      this.#follow(
        process,
        this.model.members.receive(this.process(process).member, from, item, this.#circumstances(process)),
      );
    else if (this.member(process).ids.includes(from)) this.input(process, { type: 'broken', peer: from });
  }

  // The engine.

  /** Stores the next view. One that a process of an older version stores does not name the view before. */
  store(members: readonly PeerText[], by: number | null = null): void {
    const { world } = this;
    const isFaulty = this.model.instance.mistake === 'epoch not raised by a wiped engine';
    const epoch = 1 + (isFaulty ? (world.stored?.epoch ?? 0) : world.lastEpoch);
    world.before = world.stored;
    const isNamed = world.stored !== null && !(this.model.instance.old ?? []).includes(by ?? -1);
    world.stored = { epoch, after: isNamed ? world.stored!.epoch : null, members };
    world.past.push(world.stored);
    world.lastEpoch = Math.max(world.lastEpoch, epoch);
  }

  forget(to: StoredView | null): void {
    this.world.stored = to;
    this.world.before = null;
    this.world.lineages.push(this.world.lastEpoch + 1);
  }

  // After each event.

  /** Removes what has no effect any more, so that worlds with the same future are equal. */
  tidy(): void {
    const { world } = this;
    const { faults } = this.model.instance;
    const isMember = (id: MemberId) => this.isRunning(processOf(id)) && this.id(processOf(id)) === id;
    for (const key of [...Object.keys(world.channels), ...Object.keys(world.unreported)]) {
      const [from, to] = key.split('>') as [MemberId, MemberId];
      if (!isMember(from) || !isMember(to)) delete world.unreported[key];
      if (!isMember(to) || (!isMember(from) && this.#isFormer(processOf(to), from)))
        delete world.channels[key];
      else this.#dropOldMessages(key, processOf(to));
    }
    const known = world.processes.flatMap((one, i) =>
      one.status === 'member' ? [this.member(i).epoch] : [],
    );
    world.past = world.past.filter(({ epoch }) => known.some((one) => one < epoch));
    if (!faults.includes('backup') || world.faults === 0) world.before = null;
    const epochs = [world.stored?.epoch, world.before?.epoch];
    world.proposals = world.proposals.filter((text) => epochs.includes(Number(text.split(':')[0])));
  }

  /**
   * Whether the view of a member lacks this peer, which has ended, and no later view has it. A transport ends the connections of such a peer.
   */
  #isFormer(process: number, peer: MemberId): boolean {
    const { epoch, ids } = this.member(process);
    const later = this.world.past.filter((view) => view.epoch > epoch);
    return epoch >= 0 && !ids.includes(peer) && later.every((view) => !idsIn(view).includes(peer));
  }

  /**
   * Drops messages that have no effect now and none later: those of an older view, as the epoch of a member only rises, and those about the end
   * of a run that can no longer start.
   */
  #dropOldMessages(key: string, process: number): void {
    const items = this.world.channels[key] ?? [];
    const [from] = key.split('>') as [MemberId];
    const { epoch, promised } = this.member(process);
    const state = this.process(process).member;
    const isPast = (message: MemberMessage) =>
      message.type === 'over'
        ? message.run < (promised[message.lock] ?? Infinity)
        : isViewMessage(message) && epochIn(message) < epoch;
    const isDropped = (item: InTransit): boolean => {
      const message = this.model.members.messages[item];
      if (message === undefined || !isPast(message)) return false;
      const { to, effects } = this.model.members.receive(state, from, item);
      return to === state && effects.length === 0;
    };
    if (items.some(isDropped)) this.world.channels[key] = items.filter((item) => !isDropped(item));
  }

  /** In each lineage of views, at most one process holds a lock. */
  checkExclusion(): void {
    const holders = new Map<string, number>();
    for (const [process, { held }] of this.world.processes.entries()) {
      if (!this.holdsLease(process)) continue;
      for (const number of held) {
        const { lock } = this.model.lockOf(process, number);
        const key = `${lock} ${lineageOf(this.world, this.member(process).epoch)}`;
        const other = holders.get(key);
        if (other !== undefined)
          throw new Violation(`${this.id(other)} and ${this.id(process)} hold ${JSON.stringify(lock)}`);
        holders.set(key, process);
      }
    }
  }

  /** Every process that lives is a member of the newest view, and all its requests have ended. */
  get isDone(): boolean {
    const { stored, processes } = this.world;
    return processes.every(({ status, isHung, hasJoined, asked, pending, held }, process) => {
      if (status === 'dead' || status === 'left' || !hasJoined) return true;
      if (isHung) return false;
      const { epoch, isInstalled } = this.member(process);
      const hasEnded =
        asked === this.model.instance.asks[process]!.length && pending.length + held.length === 0;
      return status === 'member' && hasEnded && isInstalled && epoch === stored?.epoch;
    });
  }

  /** Done, with nothing in transit: then a member keeps only idle runs, and a home only locks that have one. */
  checkRetained(): void {
    const { stored, channels, proposals, processes, unreported } = this.world;
    const isBusy =
      proposals.length + Object.keys(unreported).length + Object.values(channels).flat().length > 0;
    if (isBusy || !this.isDone || (stored === null ? [] : idsIn(stored)).some((id) => isDead(this.world, id)))
      return;
    const members = processes.flatMap(({ status }, process) => (status === 'member' ? [process] : []));
    if (members.some((process) => this.member(process).awaitsNewEpoch)) return; // in it, they say more
    for (const process of members) {
      const { isTidy, knownParts, ids, text } = this.member(process);
      const hasEnded = (id: MemberId) => ids.includes(id) && this.member(processOf(id)).runs.length === 0;
      if (!isTidy || knownParts.some((parts) => parts.length > 0 && parts.every(hasEnded)))
        throw new Violation(`${this.id(process)} keeps more than idle runs: ${text}`);
    }
  }
}

const requestName = (process: number, number: number): string => `${nameOf(process)}${number}`;
