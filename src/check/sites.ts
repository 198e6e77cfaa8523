import type { Pid } from '../core/algorithm.ts';
import type { Violation } from '../problems/monitor.ts';
import { ending } from './clock.ts';
import { aheadOf } from './inbox.ts';
import { Memo } from './memo.ts';
import { type Move, type Outcome, Outcomes } from './outcomes.ts';
import { Parts } from './parts.ts';
import type { Question } from './question.ts';
import { grown, growth } from './tuples.ts';
import { fresh } from './user.ts';

/** An effect: these numbers, and then for each message sent its receiver and its item. */
export const effect = {
  event: 0, // the move, and how the coins fell
  site: 1, // that the process is at then
  flags: 2, // and above them, where others must hear of a message that arrived or was lost, its place + 1
  sends: 3,
  size: 4, // and two more for each message
} as const;

/** Before the first effect of a site: how many there are, and what is true of them. */
export const first = 2;

export const trait = {
  mustGoOn: 1, // one of them is bound to happen
  closed: 2, // and nothing that happens elsewhere adds to them
} as const;

export const flag = {
  tells: 1, // the application hears something
  enters: 2,
  free: 4, // it need not happen
  timer: 8,
  crash: 16,
  loss: 32,
  repeat: 64,
  breaks: 128, // a property
} as const;

const flagBits = 8;

/** The place of the message that arrived or was lost, where others must hear of it; otherwise -1. */
export const shiftIn = (flags: number): number => (flags >>> flagBits) - 1;

/** Moves that need no message, by number. */
interface Own {
  readonly isCrashed: boolean;
  readonly calls: readonly number[];
  readonly release: number; // the one of them that is bound to be made, or -1
  readonly timers: readonly number[];
  readonly all: readonly number[]; // calls and timers
}

/** What can happen at each site, and what comes of it: kept in `effects`, by numbers. */
export class Sites {
  readonly parts: Parts;
  readonly outcomes: Outcomes;
  readonly violations = new Map<number, Violation>(); // by the effects that break something
  effects: Int32Array = new Int32Array(1024);
  #end = 1; // of what is used of it; 0 stands for not worked out yet
  #first: Int32Array = new Int32Array(1024); // of each site: where its effects begin, after the number of them
  #count = 0; // of those of the site that is being worked out,
  #traits = 0; // and what is true of them
  readonly #initial: number[] = []; // states, by process
  readonly #own: Own[] = [];
  readonly #numbers = new Memo(); // user and process, and clock: what is in `#own`
  readonly #question: Question;

  constructor(question: Question) {
    this.#question = question;
    this.parts = new Parts(question);
    this.outcomes = new Outcomes(this.parts);
  }

  get bytes(): number {
    return this.parts.bytes + Int32Array.BYTES_PER_ELEMENT * (this.#end + this.parts.size);
  }

  /** Besides: of objects, about. */
  get held(): number {
    return this.parts.held + this.outcomes.bytes;
  }

  /** The site of process i before everything, which may ask so many times. */
  initial(i: Pid, left: number): number {
    const { parts } = this;
    const { n } = this.#question.setup;
    this.#initial[i] ??= parts.state(parts.alike ? 0 : i, this.outcomes.initial(i));
    const local = parts.add({
      state: this.#initial[i],
      user: parts.user(fresh(left)),
      clock: parts.clock({ armed: [], phase: 0, known: parts.causal ? Array(n * n).fill(0) : null }),
    });
    return parts.site(local, parts.inbox([]));
  }

  /** Where the effects of a site begin: their number, whether one of them is bound to happen, and then one after the other. */
  effectsOf(site: number): number {
    return this.#first[site] || this.#workOut(site);
  }

  #workOut(site: number): number {
    this.parts.novelty.comes();
    const start = this.#end;
    this.#end += first;
    this.#count = 0;
    this.#traits = this.#isClosed(site) ? trait.closed : 0;
    const local = this.parts.localOf(site);
    const inbox = this.parts.inboxNumberOf(site);
    const own = this.#ownOf(local);
    if (!own.isCrashed) this.#workOutAll(local, inbox, own);
    this.#reserve(start + 1);
    this.effects[start] = this.#count;
    this.effects[start + 1] = this.#traits;
    if (site >= this.#first.length)
      this.#first = grown(this.#first, Math.ceil(growth * Math.max(this.#first.length, site + 1)));
    this.#first[site] = start;
    return start;
  }

  #workOutAll(local: number, inbox: number, own: Own): void {
    const { parts, outcomes } = this;
    const { crashes, losses } = this.#question;
    for (const move of own.calls) this.#add(local, move, move === own.release ? 0 : flag.free, inbox);
    for (const item of parts.deliverable(inbox, parts.kindOf(local))) this.#addArrival(local, inbox, item);
    for (const move of own.timers) this.#add(local, move, flag.timer, inbox);
    if (losses > 0) this.#addLosses(local, inbox);
    if (crashes > 0)
      this.#add(local, outcomes.move({ kind: 'crash' }), flag.free | flag.crash, parts.inbox([]));
  }

  #addArrival(local: number, inbox: number, item: number): void {
    const { parts, outcomes } = this;
    const place = this.#placeOf(local, item, 0);
    const heard = (left: number) => (place < 0 ? left : parts.shiftedInbox(left, place));
    this.#add(local, outcomes.receipt(item), 0, heard(parts.without(inbox, item)), place);
    if (this.#question.repeats === 0) return;
    const again = outcomes.move({ kind: 'recv', item, again: true });
    this.#add(local, again, flag.free | flag.repeat, heard(parts.withCopy(inbox, item)), place);
  }

  /** It makes no difference which of those is lost that say the same and of which none is behind another one. */
  #addLosses(local: number, inbox: number): void {
    const { parts, outcomes } = this;
    const isOrdered = this.#question.setup.channels !== 'unordered';
    const items = parts.inboxes.of(inbox);
    for (let k = 0; k < items.length; k += 1) {
      const item = items[k]!;
      if (isOrdered ? items[k - 1] === item : items.indexOf(item) < k) continue;
      const ahead = isOrdered ? aheadOf(items, k, (one) => parts.items.of(one)) : 0;
      const place = this.#placeOf(local, item, ahead);
      const left = parts.inbox(items.toSpliced(k, 1));
      const move = outcomes.move({ kind: 'lose', item, ahead });
      const heard = place < 0 ? left : parts.shiftedInbox(left, place);
      this.#add(local, move, flag.free | flag.loss, heard, place);
    }
  }

  /** Of a message that nobody will wait for any more; -1 if nobody does. */
  #placeOf(local: number, item: number, ahead: number): number {
    const { parts } = this;
    if (!parts.causal || parts.items.of(item).copy) return -1;
    return parts.placeOn(parts.channelOf(parts.kindOf(local), item), ahead);
  }

  /** What comes of a move, when `inbox` is left on its way. */
  #add(local: number, move: number, flags: number, inbox: number, place = -1): void {
    const outcomes = this.outcomes.of(local, move);
    if ((flags & flag.free) === 0) this.#traits |= trait.mustGoOn;
    for (let k = 0; k < outcomes.length; k += 1)
      this.#record(outcomes[k]!, inbox, flags | ((place + 1) << flagBits));
    this.#count += outcomes.length;
  }

  #record({ event, local, sends, tells, enters, violation }: Outcome, inbox: number, flags: number): void {
    this.#reserve(this.#end + effect.size + sends.length);
    const { effects } = this;
    const at = this.#end;
    if (violation !== null) this.violations.set(at, violation);
    const news =
      (tells ? flag.tells : 0) | (enters ? flag.enters : 0) | (violation === null ? 0 : flag.breaks);
    effects[at + effect.event] = event;
    effects[at + effect.site] = this.parts.site(local, inbox);
    effects[at + effect.flags] = flags | news;
    effects[at + effect.sends] = sends.length / 2;
    for (let k = 0; k < sends.length; k += 1) effects[at + effect.size + k] = sends[k]!;
    this.#end += effect.size + sends.length;
  }

  /**
   * On each channel to it something waits to arrive, in order, so that what is sent next comes behind; and it will not ask by itself. It is not
   * inside: leaving early would hide who enters meanwhile.
   */
  #isClosed(site: number): boolean {
    if (!this.#question.ample) return false;
    const { parts } = this;
    const kind = parts.kindOf(parts.localOf(site));
    const { phase, left, snapshot } = parts.userOf(site);
    if (left > 0 || phase === 'inside' || parts.clockOf(site).armed.length > 0) return false;
    if (snapshot === 'none' && this.#mayBeginSnapshot(kind)) return false;
    const channels = this.#question.setup.topology.degree(kind); // as many lead to it as away from it
    return parts.deliverable(parts.inboxNumberOf(site), kind).length === channels;
  }

  #mayBeginSnapshot(process: Pid): boolean {
    return this.#question.setup.snapshots.some((begins) => begins.process === process);
  }

  /** The state has no part in it, and of the rest there is little. */
  #ownOf(local: number): Own {
    const { kind, user, clock } = this.parts.local(local);
    const who = user * this.#question.setup.n + kind;
    const at = this.#numbers.at(who, clock);
    if (at >= 0) return this.#own[this.#numbers.valueAt(at)]!;
    const own = this.#findOwn(kind, user, clock);
    this.#numbers.set(who, clock, this.#own.push(own) - 1);
    return own;
  }

  #findOwn(kind: number, user: number, clock: number): Own {
    const { parts, outcomes } = this;
    const { phase, left, snapshot } = parts.users.of(user);
    const asks = this.#question.setup.algorithm.problem === 'mutex' ? 'request' : 'start';
    const names = [
      ...(left > 0 && phase === 'idle' ? [asks] : []),
      ...(phase === 'inside' ? ['release'] : []),
      ...(snapshot === 'none' && this.#mayBeginSnapshot(kind) ? ['snapshot'] : []),
    ];
    const calls = names.map((name) => outcomes.move({ kind: 'call', name }));
    const timers = ending(parts.clocks.of(clock), parts.timed).map(({ message }) =>
      outcomes.move({ kind: 'timer', message }),
    );
    const isCrashed = phase === 'crashed';
    return {
      isCrashed,
      calls,
      release: phase === 'inside' ? outcomes.move({ kind: 'call', name: 'release' }) : -1,
      timers,
      all: isCrashed ? [] : [...calls, ...timers],
    };
  }

  /** Something is bound to happen, whatever comes of it. */
  mustGoOn(site: number): boolean {
    const { parts } = this;
    const local = parts.localOf(site);
    const { isCrashed, release, timers } = this.#ownOf(local);
    if (isCrashed) return false;
    const arrivals = parts.deliverable(parts.inboxNumberOf(site), parts.kindOf(local));
    return release >= 0 || timers.length > 0 || arrivals.length > 0;
  }

  /** What can happen at a process though nothing is on its way to it. */
  ownMovesAt(local: number): readonly number[] {
    return this.#ownOf(local).all;
  }

  /** What happens, and how the coins fall. */
  eventAt(at: number): { readonly move: Move; readonly coins: readonly number[] } {
    const [move, ...coins] = this.outcomes.events.of(this.effects[at + effect.event]!);
    return { move: this.outcomes.moves.of(move!), coins };
  }

  #reserve(end: number): void {
    if (end >= this.effects.length) this.effects = grown(this.effects, Math.ceil(growth * end));
  }
}
