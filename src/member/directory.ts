// The home of locks: it knows which members may have a part in each lock of its slots, and starts their runs. A member has a part in a lock if
// it holds the lock or takes part in a run of it. docs/internals/membership.md has the rules; their numbers stand here.
import type { After } from './host.ts';
import type { Claim, HomeMessage, IdleLock, MemberMessage, ReportedLock } from './member-messages.ts';
import { inPieces } from './pieces.ts';
import {
  type DirectoryEntry,
  inspectEntry,
  newEntry,
  outcomeOf,
  type ReportedPart,
  type Round,
  type RoundOutcome,
  type Stopped,
} from './round.ts';
import { slotCount, slotOf, slotsByMember } from './slots.ts';
import { epochOf, fenceOf, lastEntry, type MemberId, type View } from './view.ts';

const mostAsked = 100; // locks in one sweep
export const graceMs = 25; // for members that have not answered, once another member claims the lock
const syncAfterMs = 50; // until a new home asks for reports that no round needs: members of one machine first handle the change of the view

/** The parts of a member that it uses as a home. */
export interface DirectoryContext {
  readonly after: After;
  readonly id: MemberId;
  readonly spansMachines: boolean;
  sendTo(to: MemberId, message: MemberMessage): void;
  requestNewEpoch(): void;
  /** How much longer than usual these members take to answer: 1 or more. */
  slownessOf(ids: Iterable<MemberId>): number;
  /** The locks of these slots in which this member has a part. */
  partsIn(slots: ReadonlySet<number>): Iterable<string>;
}

type Want = HomeMessage & { type: 'want' };

export class Directory {
  readonly #context: DirectoryContext;
  readonly #entries = new Map<string, DirectoryEntry>();
  readonly #rounds = new Set<DirectoryEntry>(); // those with a round
  readonly #unheard: (Set<MemberId> | null)[] = Array(slotCount).fill(null); // by slot: members that have not reported; null: this is not the home
  readonly #handover = new Map<number, readonly ReportedPart[]>(); // by slot: what this member knew as the previous home
  #view: View | null = null;
  #members = new Map<MemberId, number>(); // positions in the view
  #silent = new Set<MemberId>(); // in the view, and nothing has come from them in it
  isSynced = true; // in this view, everybody has been asked whose report is missing
  #floor = 0; // the highest fence of the locks that were forgotten in this epoch
  #usedNumber = 0; // the highest run number of these locks

  constructor(context: DirectoryContext) {
    this.#context = context;
  }

  /** The number of retained items. */
  get size(): number {
    return this.#entries.size;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    const entries = [...this.#entries.values()].map(inspectEntry);
    const unheard = [...this.#unheard.entries()].flatMap(([slot, ids]) =>
      ids === null ? [] : [{ slot, ids: [...ids].sort() }],
    );
    const handover = [...this.#handover].map(([slot, locks]) => ({ slot, locks }));
    const silent = [...this.#silent].sort();
    const rest = { isSynced: this.isSynced, floor: this.#floor, number: this.#usedNumber };
    return { entries, unheard, handover, silent, ...rest };
  }

  // Views.

  /** `isNext`: this member has seen the view that was replaced by this one. `homes` is by slot. */
  viewChanged(view: View, homes: readonly MemberId[], isNext: boolean): void {
    const { id } = this.#context;
    for (const entry of this.#rounds) this.#endRound(entry);
    this.#view = view;
    this.#members = new Map(view.members.map((peer, position) => [peer.id, position]));
    this.#silent = new Set(view.members.flatMap((peer) => (peer.isSilent === true ? [peer.id] : [])));
    this.#floor = 0;
    this.#usedNumber = 0;
    this.#handover.clear();
    if (!isNext) this.#forgetAll();
    const [gained, lost] = [new Set<number>(), new Set<number>()];
    for (const [slot, home] of homes.entries()) {
      const unheard = this.#unheard[slot]!;
      if (home !== id && unheard !== null) lost.add(slot);
      if (home === id && unheard === null) gained.add(slot);
      if (home === id) for (const one of unheard ?? []) if (!this.#members.has(one)) unheard!.delete(one);
    }
    if (lost.size > 0) this.#lose(lost);
    if (gained.size > 0) this.#gain(gained);
    this.isSynced = !this.#unheard.some((ids) => ids !== null && ids.size > 0);
    const sync = () => this.#view === view && this.#sync();
    if (this.#context.spansMachines) sync();
    else if (!this.isSynced) this.#context.after(syncAfterMs, sync);
  }

  /** The flush protocol replaces homes while a member of an older version is in the view. */
  forget(): void {
    for (const entry of this.#rounds) this.#endRound(entry);
    this.#forgetAll();
    this.#handover.clear();
  }

  #forgetAll(): void {
    this.#entries.clear();
    this.#unheard.fill(null);
  }

  #lose(slots: ReadonlySet<number>): void {
    for (const slot of slots) if (this.#unheard[slot]!.size === 0) this.#handover.set(slot, []);
    for (const { lock, slot, parts, latest } of this.#entries.values()) {
      if (!slots.has(slot)) continue;
      (this.#handover.get(slot) as ReportedPart[] | undefined)?.push({ lock, parts, latest });
      this.#entries.delete(lock);
    }
    for (const slot of slots) this.#unheard[slot] = null;
  }

  /** Rounds wait until the previous home or all members have reported (rule 9). */
  #gain(slots: ReadonlySet<number>): void {
    const { id } = this.#context;
    for (const slot of slots) {
      this.#unheard[slot] = new Set(this.#members.keys());
      this.#unheard[slot]!.delete(id);
    }
    for (const lock of this.#context.partsIn(slots)) this.#addPart(lock, id, id);
  }

  #sync(): void {
    if (this.isSynced) return;
    this.isSynced = true;
    for (const [id, slots] of slotsByMember(this.#unheard))
      this.#context.sendTo(id, { type: 'sync', epoch: this.#view!.epoch, slots });
  }

  /** Answers the home of these slots. */
  onSync({ slots }: HomeMessage & { type: 'sync' }, from: MemberId): void {
    const { epoch } = this.#view!;
    const own = this.#members.get(this.#context.id)!;
    const complete = slots.filter((slot) => this.#handover.has(slot));
    const others = new Set(slots.filter((slot) => !this.#handover.has(slot)));
    const mine = new Set(this.#context.partsIn(new Set(complete))); // it may have left others since
    const locks: ReportedLock[] = complete.flatMap((slot) =>
      this.#handover.get(slot)!.flatMap(({ lock, parts, latest }) => {
        const current = parts.filter((id) => id !== this.#context.id || mine.has(lock));
        const positions = current.flatMap((id) => this.#members.get(id) ?? []).sort((a, b) => a - b);
        return positions.length > 0 ? [{ lock, parts: positions, latest }] : [];
      }),
    );
    for (const lock of this.#context.partsIn(others)) locks.push({ lock, parts: [own], latest: 0 });
    const pieces = inPieces(locks);
    for (const [i, piece] of pieces.entries()) {
      const isLast = i === pieces.length - 1;
      const report = { epoch, slots: isLast ? complete : [], locks: piece, isLast };
      this.#context.sendTo(from, { type: 'report', ...report });
    }
  }

  /** Returns false if no working member can have sent the report. */
  onReport({ slots, locks, isLast }: HomeMessage & { type: 'report' }, from: MemberId): boolean {
    const { members } = this.#view!;
    if (!slots.every((slot) => slot < slotCount)) return false;
    if (!locks.every(({ parts }) => parts.every((at) => at < members.length))) return false;
    for (const { lock, parts, latest } of locks) {
      if (this.#unheard[slotOf(lock)] === null) continue;
      const entry = this.#entry(lock);
      if (entry.latest === 0) entry.latest = latest;
      for (const at of parts) this.#addPart(lock, members[at]!.id, from);
    }
    if (isLast) this.#heardAbout(new Set(slots), from);
    return true;
  }

  /** A member has reported. If it was the home of these slots before, it has named all parts: nobody else need report. */
  #heardAbout(complete: ReadonlySet<number>, from: MemberId): void {
    for (const unheard of this.#unheard) unheard?.delete(from);
    for (const slot of complete) this.#unheard[slot]?.clear();
    for (const entry of [...this.#rounds]) {
      const { parts, slot } = entry;
      const round = entry.round!;
      const isComplete = complete.has(slot);
      if (!isComplete && !round.asked.has(from)) round.awaited.delete(from);
      for (const id of isComplete ? round.awaited : [])
        if (!parts.includes(id) && !round.wanting.has(id)) round.awaited.delete(id);
      this.#consider(entry, round);
    }
  }

  /** Parts of a run that was started from here are known. */
  #addPart(lock: string, id: MemberId, by: MemberId): void {
    const entry = this.#entry(lock);
    if (entry.run !== 0) return;
    const isNew = !entry.parts.includes(id);
    if (isNew) entry.parts = [...entry.parts, id];
    if (isNew && entry.round !== null && !entry.round.asked.has(id)) this.#ask(lock, entry.round, id);
    if (isNew && id !== by) entry.unconfirmed = [...entry.unconfirmed, id];
    if (id === by && entry.unconfirmed.length > 0)
      entry.unconfirmed = entry.unconfirmed.filter((one) => one !== id);
  }

  // Rounds.

  /** A member that the view calls silent answers again: rounds wait for it. Otherwise its late answers would begin rounds without end. */
  heard(from: MemberId): void {
    this.#silent.delete(from);
  }

  onWant({ lock, algorithm, over, isWaiting }: Want, from: MemberId): void {
    if (this.#unheard[slotOf(lock)] === null) return;
    const entry = this.#entry(lock);
    const { round } = entry;
    const used = entry.parts.some((id) => this.#members.has(id)) ? entry.algorithm : null;
    if (isWaiting && used !== null && used !== algorithm) {
      this.#context.sendTo(from, { type: 'conflict', lock, algorithm: used });
      return;
    }
    const answer = round?.answers.get(from);
    if (isWaiting) round?.wanting.add(from);
    if (answer !== undefined) {
      answer.isWaiting ||= isWaiting;
      if (isWaiting && answer.claim === 'none' && !answer.isUsing) answer.algorithm = algorithm;
    } else if (round !== null) this.#ask(lock, round, from);
    else if (!this.#isComing(entry, from, over)) this.#begin(entry, from, isWaiting ? algorithm : null);
  }

  /** A run with this member was started in this view, and the start is on its way (rule 6). */
  #isComing({ run, parts }: DirectoryEntry, from: MemberId, over: number): boolean {
    return over < run && epochOf(run) === this.#view!.epoch && parts.includes(from);
  }

  /** Begins a round for this member; with null, only to find out whether anybody still uses the lock (rule 2). */
  #begin(entry: DirectoryEntry, by: MemberId | null, algorithm: string | null): void {
    const { lock, slot } = entry;
    const run = this.#nextNumber(entry);
    if (run === null) {
      this.#context.requestNewEpoch();
      return;
    }
    entry.number = run;
    const asked = new Set(entry.parts.filter((id) => this.#members.has(id)));
    const unheard = new Set(entry.run === 0 ? this.#unheard[slot] : []); // all parts are known of a lock that was started from here
    const isFree = asked.size + unheard.size === 0;
    if (isFree && (by === null || algorithm !== null)) {
      if (by === null) this.#forgetEmpty(entry);
      else this.#start(entry, run, { algorithm, members: [by], root: by, isHeld: false, last: 0 }, [by]);
      return;
    }
    if (unheard.size > 0) this.#sync();
    if (by !== null) asked.add(by);
    entry.idle = null;
    entry.round = {
      ...{ run, algorithm, asked: new Set(), awaited: unheard, answers: new Map() },
      wanting: new Set(by !== null && algorithm !== null ? [by] : []),
      cancelGrace: null,
    };
    this.#rounds.add(entry);
    for (const id of asked) this.#ask(lock, entry.round, id);
  }

  /** Returns null if the epoch has no more numbers. */
  #nextNumber({ number }: DirectoryEntry): number | null {
    const first = fenceOf(this.#view!.epoch, 0);
    const next = Math.max(first, number, this.#usedNumber) + 1;
    return next - first < lastEntry ? next : null;
  }

  #ask(lock: string, round: Round, id: MemberId): void {
    round.awaited.add(id);
    if (round.asked.has(id)) return;
    round.asked.add(id);
    this.#context.sendTo(id, { type: 'stop', run: round.run, lock });
  }

  /** Returns false if no working member can have sent the message. */
  onStopped(message: Stopped, from: MemberId): boolean {
    if (!this.#isFence(message.last)) return false;
    this.#stopped(message, from);
    return true;
  }

  #stopped(message: Stopped, from: MemberId): void {
    const { lock, run, algorithm, isWaiting, closes, last, isUsing } = message;
    const entry = this.#entries.get(lock);
    const round = entry?.round;
    if (entry === undefined || round?.run !== run) {
      if (message.claim !== 'lock') this.#left(lock, from, { run, last, closes }); // it was late (rule 7)
      if (isWaiting && algorithm !== null)
        this.onWant({ type: 'want', epoch: 0, lock, algorithm, over: run, isWaiting }, from);
      return;
    }
    // It has claimed the token in a round that a view cut short. If no run was started since, it still has it.
    const hasToken = message.claim === 'none' && closes !== 0 && closes === entry.latest;
    const claim: Claim = hasToken ? 'token' : message.claim;
    round.answers.set(from, { algorithm, claim, last, isWaiting, isUsing });
    round.awaited.delete(from);
    this.#consider(entry, round);
  }

  /** A round ends when all have answered or are gone. If one claims the lock, the others have a moment to answer (rule 4). */
  #consider(entry: DirectoryEntry, round: Round): void {
    if (round.awaited.size === 0) {
      this.#finish(entry, round);
      return;
    }
    const isClaimed = [...round.answers.values()].some(({ claim }) => claim !== 'none');
    if (!this.mayStartWithoutAll(isClaimed) || round.cancelGrace !== null) return;
    for (const id of round.awaited) this.#ask(entry.lock, round, id); // those that have not reported, too: they hear that their runs are over
    if ([...round.awaited].every((id) => this.#silent.has(id))) this.#finish(entry, round);
    else
      round.cancelGrace = this.#context.after(graceMs * this.#context.slownessOf(round.awaited), () => {
        if (entry.round === round) this.#finish(entry, round);
      });
  }

  /** Overridden by faulty variants. */
  protected mayStartWithoutAll(isClaimed: boolean): boolean {
    return isClaimed;
  }

  #finish(entry: DirectoryEntry, round: Round): void {
    const { lock } = entry;
    const { run, answers, asked } = round;
    this.#endRound(entry);
    const outcome = outcomeOf(entry, round, (id) => this.#members.get(id)!);
    for (const id of outcome.refused)
      this.#context.sendTo(id, { type: 'conflict', lock, algorithm: outcome.algorithm! });
    const unanswered = [...asked].filter((id) => !answers.has(id));
    this.#start(entry, run, outcome, asked, unanswered);
  }

  /** Fences rise from run to run: the next one follows all that were answered, and those of the epoch and of forgotten locks (rule 5). */
  #start(
    entry: DirectoryEntry,
    run: number,
    { algorithm, members, root, isHeld, last: highest }: Omit<RoundOutcome, 'refused'>,
    asked: Iterable<MemberId>,
    unanswered: Iterable<MemberId> = [],
  ): void {
    const { lock } = entry;
    const last = Math.max(fenceOf(this.#view!.epoch, 0), this.#floor, highest);
    entry.parts = members;
    entry.unconfirmed = [];
    entry.idle = null;
    entry.run = members.length > 0 ? run : 0;
    entry.latest = run;
    entry.algorithm = algorithm;
    if (members.length === 0) this.#forgetEmpty(entry, last);
    const positions = (ids: Iterable<MemberId>) =>
      [...ids].map((id) => this.#members.get(id)!).sort((a, b) => a - b);
    const message = {
      type: 'start',
      ...{ run, lock, algorithm, isHeld, last },
      members: positions(members),
      unanswered: positions(unanswered),
      root: Math.max(0, members.indexOf(root ?? '')),
    } as const;
    for (const id of new Set([...members, ...asked])) this.#context.sendTo(id, message);
  }

  #endRound(entry: DirectoryEntry): void {
    entry.round?.cancelGrace?.();
    entry.round = null;
    this.#rounds.delete(entry);
  }

  #forgetEmpty({ lock, number }: DirectoryEntry, last = 0): void {
    this.#floor = Math.max(this.#floor, last);
    this.#usedNumber = Math.max(this.#usedNumber, number);
    this.#entries.delete(lock);
  }

  /** Returns false if no working member can have sent it. */
  onIdle({ locks }: HomeMessage & { type: 'idle' }, from: MemberId): boolean {
    if (!locks.every(({ last }) => last === null || this.#isFence(last))) return false;
    this.#idle(locks, from);
    return true;
  }

  /** No fence is of a later epoch. If one were, no run could start above it. */
  #isFence(last: number): boolean {
    return last < fenceOf(this.#view!.epoch + 1, 0);
  }

  #idle(locks: readonly IdleLock[], from: MemberId): void {
    const left = locks.flatMap(({ lock, last }) => (last === null ? [] : [lock]));
    if (left.length > 0) this.#context.sendTo(from, { type: 'noted', epoch: this.#view!.epoch, locks: left });
    for (const { lock, run, last, closes } of locks) {
      const entry = this.#entries.get(lock);
      if (last !== null) this.#left(lock, from, { run, last, closes });
      else if (entry === undefined)
        this.#context.sendTo(from, { type: 'over', lock, run }); // another member has closed it
      else if (entry.round === null && !this.#isComing(entry, from, run)) this.#noteIdle(entry, run, from);
    }
  }

  /** This member has no part in the lock any more. If it closes the latest run, nobody has: the others need not be asked. */
  #left(
    lock: string,
    from: MemberId,
    { run, last, closes }: Omit<IdleLock, 'lock' | 'last'> & { last: number },
  ): void {
    const entry = this.#entries.get(lock);
    this.#floor = Math.max(this.#floor, last);
    if (entry === undefined || this.#isComing(entry, from, run)) return;
    const isClosed = closes !== 0 && closes === entry.latest;
    entry.parts = entry.parts.filter((id) => !isClosed && id !== from && this.#members.has(id));
    if (entry.round !== null && isClosed) this.#closed(entry, entry.round);
    else if (entry.round === null && entry.parts.length === 0) this.#forgetEmpty(entry);
  }

  /** Every earlier run is closed: a round has to wait for those that want the lock, and for nobody else. */
  #closed(entry: DirectoryEntry, round: Round): void {
    for (const id of round.awaited) if (!round.wanting.has(id)) round.awaited.delete(id);
    this.#consider(entry, round);
  }

  /** When nobody uses the lock any more, a round shows that nobody waits for it either, and it is forgotten (rule 15). */
  #noteIdle(entry: DirectoryEntry, run: number, from: MemberId): void {
    if (entry.idle?.run !== run) entry.idle = { run, members: new Set() };
    const { members } = entry.idle;
    members.add(from);
    const isIdle = entry.parts.every((id) => members.has(id) || !this.#members.has(id));
    if (isIdle) this.#begin(entry, null, null);
  }

  /** Forgets locks without users. Asks about parts that only the home before has named: the member may have told it that it has left. */
  sweep(): void {
    let asked = 0;
    for (const entry of [...this.#entries.values()]) {
      if (entry.round !== null) continue;
      if (!entry.parts.some((id) => this.#members.has(id))) this.#forgetEmpty(entry);
      else if (entry.unconfirmed.length > 0 && asked < mostAsked) {
        asked += 1;
        this.#begin(entry, null, null);
      }
    }
  }

  #entry(lock: string): DirectoryEntry {
    let entry = this.#entries.get(lock);
    if (entry === undefined) {
      entry = newEntry(lock);
      this.#entries.set(lock, entry);
    }
    return entry;
  }
}
