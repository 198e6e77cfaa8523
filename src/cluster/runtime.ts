// The life of one process in one group: joins, keeps its lease, follows views, comes back as another incarnation when it was out,
// and leaves.
import { hostname } from 'node:os';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { Cause, Leader, MemberId, Peer, Unheard, View } from '../member/index.ts';
import { consistentReport } from './consistent.ts';
import type { Engine } from './engines/engine.ts';
import { BatonError } from './errors.ts';
import { Incarnation, type Life } from './incarnation.ts';
import { notReached, otherAlgorithm } from './not-joined.ts';
import type { Inquiry, Listener, Refusal, Told, Transport } from './transport/transport.ts';
import type { Wait } from './wait.ts';

export interface Setting {
  readonly group: string;
  readonly algorithm: string;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
  readonly priority: number;
  readonly engine: Engine;
  /** Over machines, of which not all may reach all: whoever joins first makes sure that it and all members do. */
  readonly isSpread: boolean;
  readonly listen: (id: MemberId, listener: Listener) => Promise<Transport>;
}

/** What the group's user is told, and what is measured. */
export interface Observer {
  joined(view: View): void;
  installed(view: View): void;
  out(cause: Cause): void;
  broken(failure: BatonError): void;
  doubtful(isDoubtful: boolean): void;
  renewed(lag: number): void;
  failed(error: unknown): void; // the engine did
  led(election: string, leader: Leader): void;
  granted(wait: Wait): void;
  released(wait: Wait): void;
  lost(wait: Wait, cause: Cause): void;
  refused(why: Refusal | Unheard): void;
  clocked(): void; // more is known of the clocks of others
}

const nothing: Told = { report: null, clocks: [] };
export const snapshotMs = 2000; // within which all members have to do their part
const ticksPerLease = 10; // to look whether others' leases are over
const ticksPerRenewal = 2;
const ticksPerSweep = 2 * ticksPerLease;
const patience = 0.4; // of a lease, for an answer of who we should reach
const leasesToReach = 2; // after one, who only hangs is out
const staleLocksToKeep = 1000; // while others are used

export class Runtime implements Life {
  readonly #setting: Setting;
  readonly #observer: Observer;
  readonly #questions = new Map<number, (from: MemberId, told: Told) => void>();
  #asked = 0;
  #now: Incarnation;
  #reviving: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #wasDoubtful = false;
  #refusedAt = -1; // somebody, or by somebody
  hasLeft = false; // or is leaving
  #leaving: Promise<void> | null = null;
  failure: BatonError | null = null; // why it left, if nobody asked for it
  /** What this process answers when another member asks; set by the group. */
  report: () => Told = () => nothing;

  constructor(setting: Setting, observer: Observer) {
    this.#setting = setting;
    this.#observer = observer;
    this.#now = new Incarnation(this);
  }

  get algorithm(): string {
    return this.#setting.algorithm;
  }

  get algorithmOf(): Setting['algorithmOf'] {
    return this.#setting.algorithmOf;
  }

  get isSpread(): boolean {
    return this.#setting.isSpread;
  }

  get leaseMs(): number {
    return this.#setting.leaseMs;
  }

  get now(): Incarnation {
    return this.#now;
  }

  // Joining, and coming back.

  async join(signal?: AbortSignal): Promise<void> {
    this.#setting.engine.watch((view) => this.#viewed(view));
    try {
      await this.#enter(signal);
    } catch (error) {
      await this.#now.end('left');
      await this.#setting.engine.close();
      throw error;
    }
    this.#timer = setInterval(() => this.#tick(), this.leaseMs / ticksPerLease);
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    const incarnation = this.#now;
    const { engine, algorithm, priority } = this.#setting;
    const address = await incarnation.open();
    const label = `${hostname()}:${process.pid}`;
    const me: Peer = { id: incarnation.id, address, label, priority };
    const begun = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      incarnation.beginLease();
      await this.#renew(incarnation);
      const view = await engine.read();
      const dead = new Set(view === null ? [] : await engine.expired(view.members));
      const others = view?.members.filter(({ id }) => !dead.has(id) && id !== me.id) ?? [];
      if (view !== null && others.length > 0 && view.algorithm !== algorithm)
        throw otherAlgorithm(this.#setting, view);
      const silent = await this.#silentOf(incarnation, others);
      if (silent !== undefined) {
        if (performance.now() > begun + leasesToReach * this.leaseMs)
          throw notReached(silent, address, this.#setting, this.#refusedAt >= begun);
        continue;
      }
      const after = await engine.change(view, algorithm, [...others, me]);
      if (after.members.some(({ id }) => id === me.id)) {
        this.#viewed(after);
        this.#observer.joined(after);
        return;
      }
      await pause(Math.random() * Math.min(2 ** attempt, 64)); // somebody else was faster
    }
  }

  async #silentOf(incarnation: Incarnation, others: readonly Peer[]): Promise<Peer | undefined> {
    if (!this.#setting.isSpread) return undefined;
    const answers = await this.#inquire(incarnation, others, 'ping', patience * this.leaseMs);
    return others.find(({ id }) => !answers.has(id));
  }

  /** Out of the group, for whatever cause: back as another, who asks again for what was waited for. */
  over(cause: Cause): void {
    if (this.#reviving !== null || this.hasLeft) return;
    const before = this.#now;
    this.#observer.out(cause);
    this.#now = new Incarnation(this);
    this.#reviving = this.#revive(before, cause).finally(() => {
      this.#reviving = null;
    });
  }

  async #revive(before: Incarnation, cause: Cause): Promise<void> {
    const incarnation = this.#now;
    for (const wait of await before.end(cause)) if (wait.isPending) incarnation.request(wait);
    await this.#setting.engine.forget(before.id).catch(() => {});
    for (let attempt = 0; !this.hasLeft; attempt += 1) {
      try {
        await this.#enter();
        return;
      } catch (error) {
        this.#observer.failed(error);
        await pause(Math.min(2 ** attempt * 10, this.leaseMs));
      }
    }
  }

  /** The algorithm broke its contract: the membership ends for good, what is held is lost, and the process lives on. */
  broken(reason: string): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    const { group } = this.#setting;
    this.failure = new BatonError('broken', `group '${group}' has been left: ${reason}`);
    this.#leaving = this.#breakOff(this.failure);
    this.#leaving.catch(() => {}); // `leave` tells; nobody else may be waiting
  }

  async #breakOff(failure: BatonError): Promise<void> {
    await null; // the member may be in the middle of a step
    try {
      for (const wait of await this.#now.end('broken')) wait.failed(failure);
      this.#observer.broken(failure);
    } finally {
      await this.#depart();
    }
  }

  /** What is waited for fails, what is held is released. */
  leave(): Promise<void> {
    this.hasLeft = true;
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#giveUp();
    await this.#depart();
  }

  async #depart(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#reviving;
    const { engine } = this.#setting;
    try {
      await this.#exit(engine);
    } catch (error) {
      this.#observer.failed(error); // the others will find our process gone, or our lease over
    }
    await this.#now.end('left');
    await engine.close();
  }

  #giveUp(): void {
    const { member } = this.#now;
    for (const lock of [...member.locks])
      for (const wait of [...lock.waiting]) {
        member.cancel(lock.name, wait);
        wait.failed(new BatonError('left', `group '${this.#setting.group}' has been left`));
      }
    for (const { holder } of [...member.locks]) holder?.lock?.release();
  }

  async #exit(engine: Engine): Promise<void> {
    const { id } = this.#now;
    let view = await engine.read();
    while (view?.members.some((peer) => peer.id === id))
      view = await engine.change(
        view,
        view.algorithm,
        view.members.filter((peer) => peer.id !== id),
      );
    await engine.forget(id);
  }

  // The lease and the views.

  #tick(): void {
    const incarnation = this.#now;
    if (this.#reviving !== null) return;
    if (incarnation.isLeaseOver) {
      this.over('lease over');
      return;
    }
    if (this.#wasDoubtful !== incarnation.isDoubtful) {
      this.#wasDoubtful = incarnation.isDoubtful;
      this.#observer.doubtful(this.#wasDoubtful);
    }
    this.#ticks += 1;
    if (this.#ticks % ticksPerRenewal === 0) {
      this.#renew(incarnation).catch(this.#failed);
      this.look();
      this.#asked += 1;
      incarnation.askTheTime(this.#asked, this.#ticks / ticksPerRenewal, ticksPerLease / ticksPerRenewal);
    }
    this.#watchNext(incarnation);
    this.#sweep(incarnation);
  }

  async #renew(incarnation: Incarnation): Promise<void> {
    const sent = incarnation.lease.sending();
    await this.#setting.engine.renew(incarnation.id);
    incarnation.lease.renewed(sent);
    this.#observer.renewed(performance.now() - sent.monotonic);
  }

  /** Everybody watches the next one in the view: whoever hangs is watched by somebody who does not, and then all are looked at. */
  #watchNext(incarnation: Incarnation): void {
    const members = incarnation.member.view?.members ?? [];
    const next = members[(members.findIndex(({ id }) => id === incarnation.id) + 1) % members.length];
    if (next === undefined || next.id === incarnation.id) return;
    const expired = async () => {
      if ((await this.#setting.engine.expired([next])).length === 0) return;
      const others = members.filter(({ id }) => id !== incarnation.id);
      for (const id of await this.#setting.engine.expired(others)) incarnation.member.gone(id);
    };
    expired().catch(this.#failed);
  }

  #sweep(incarnation: Incarnation): void {
    if (this.#ticks % ticksPerSweep !== 0) return;
    const { stale, used } = incarnation.member.locks.sweep();
    if (stale > staleLocksToKeep || (stale > 0 && used === 0)) incarnation.member.refresh();
  }

  #viewed(view: View): void {
    if (!this.hasLeft) this.#now.viewed(view);
  }

  open(id: MemberId, listener: Listener): Promise<Transport> {
    return this.#setting.listen(id, listener);
  }

  propose(after: View, members: readonly Peer[]): void {
    const { engine, algorithm } = this.#setting;
    engine.change(after, algorithm, members).then((view) => this.#viewed(view), this.#failed);
  }

  look(): void {
    const incarnation = this.#now;
    const known = incarnation.member.view?.epoch ?? -1;
    this.#setting.engine.read().then((view) => {
      if (view !== null && view.epoch >= known) this.#viewed(view);
      else if (known >= 0 && incarnation === this.#now) this.over('forgotten');
    }, this.#failed);
  }

  viewInstalled(view: View): void {
    this.#observer.installed(view);
  }

  /** What was under way when we left may fail. */
  readonly #failed = (error: unknown): void => {
    if (!this.hasLeft) this.#observer.failed(error);
  };

  // Questions to all members.

  /** What each member answers; those who do not answer in time are missing. */
  async ask(timeoutMs: number): Promise<Map<MemberId, Told>> {
    const incarnation = this.#now;
    const others = (incarnation.member.view?.members ?? []).filter(({ id }) => id !== incarnation.id);
    const answers = await this.#inquire(incarnation, others, 'ask', timeoutMs);
    return answers.set(incarnation.id, this.report());
  }

  #inquire(
    incarnation: Incarnation,
    peers: readonly Peer[],
    type: 'ask' | 'ping',
    timeoutMs: number,
  ): Promise<Map<MemberId, Told>> {
    const answers = new Map<MemberId, Told>();
    if (peers.length === 0) return Promise.resolve(answers);
    this.#asked += 1;
    const question = this.#asked;
    for (const peer of peers) incarnation.ask(peer, type, question);
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#questions.delete(question);
        resolve(answers);
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#questions.set(question, (from, told) => {
        answers.set(from, told);
        if (answers.size === peers.length) finish();
      });
    });
  }

  inquired(from: MemberId, inquiry: Inquiry): void {
    const { question } = inquiry;
    const answer = (frame: Inquiry, address: string) =>
      this.#now.speak({ id: from, address, label: '', priority: 0 }, frame);
    switch (inquiry.type) {
      case 'ask':
        answer({ type: 'answer', question, ...this.report() }, inquiry.address);
        break;
      case 'ping':
        answer({ type: 'pong', question, clocks: this.#now.clocks.reading() }, inquiry.address);
        break;
      case 'snapshot': {
        const { member } = this.#now;
        member.snapshot(snapshotMs, (snapshot) =>
          answer(
            { type: 'answer', question, report: consistentReport(snapshot, member.view), clocks: [] },
            inquiry.address,
          ),
        );
        break;
      }
      case 'answer':
        this.#questions.get(question)?.(from, inquiry);
        break;
      case 'pong':
        this.#questions.get(question)?.(from, nothing);
        if (this.#now.clocks.answered(from, question, inquiry.clocks)) this.#observer.clocked();
    }
  }

  // What the incarnation tells is passed on.

  led(election: string, leader: Leader): void {
    this.#observer.led(election, leader);
  }

  granted(wait: Wait): void {
    this.#observer.granted(wait);
  }

  released(wait: Wait): void {
    this.#observer.released(wait);
  }

  lost(wait: Wait, cause: Cause): void {
    wait.lock!.lose(cause);
    this.#observer.lost(wait, cause);
  }

  refused(why: Refusal | Unheard): void {
    this.#refusedAt = performance.now();
    this.#observer.refused(why);
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
