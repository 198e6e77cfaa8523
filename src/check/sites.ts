import type { Pid } from '../core/algorithm.ts';
import { ending } from './clock.ts';
import { Effects, effect, first, flag, trait, withPlace } from './effects.ts';
import { aheadOf } from './inbox.ts';
import type { Interned } from './interned.ts';
import type { States } from './medium.ts';
import { Memo } from './memo.ts';
import type { Novelty } from './novelty.ts';
import { type Move, type Outcome, Outcomes } from './outcomes.ts';
import { Parts } from './parts.ts';
import type { Question } from './question.ts';
import { grown, growth } from './tuples.ts';
import { fresh, type User } from './user.ts';

/** Moves that need no message, by number. */
interface Own {
  readonly isCrashed: boolean;
  readonly calls: readonly number[];
  readonly release: number; // the one of them that is bound to be made, or -1
  readonly timers: readonly number[];
  readonly all: readonly number[]; // calls and timers
}

/** What can happen at each site, and what comes of it. */
export class Sites implements States<Move> {
  readonly parts: Parts;
  readonly outcomes: Outcomes;
  readonly effects = new Effects();
  readonly users: Interned<User>;
  readonly novelty: Novelty;
  #lists: Int32Array = new Int32Array(16); // of each site: the list of its effects; 0 if it is not worked out yet
  readonly #openings = new Memo(); // site and event: the effect
  readonly #initial: number[] = []; // states, by process
  readonly #own: Own[] = [];
  readonly #numbers = new Memo(); // user and process, and clock: what is in `#own`
  readonly #question: Question;

  constructor(question: Question) {
    this.#question = question;
    this.parts = new Parts(question);
    this.users = this.parts.users;
    this.novelty = this.parts.novelty;
    this.outcomes = new Outcomes(this.parts);
  }

  get bytes(): number {
    return this.parts.bytes + this.effects.bytes + Int32Array.BYTES_PER_ELEMENT * this.parts.size;
  }

  get unused(): readonly string[] {
    return this.outcomes.unused;
  }

  get executions(): number {
    return this.outcomes.executions;
  }

  get held(): number {
    return this.parts.held + this.outcomes.bytes;
  }

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

  openings(site: number, move: Move): number {
    return this.outcomes.of(this.parts.localOf(site), this.outcomes.move(move)).length;
  }

  opening(site: number, move: Move, k: number): number {
    const { parts, outcomes } = this;
    const outcome = outcomes.of(parts.localOf(site), outcomes.move(move))[k]!;
    const known = this.#openings.at(site, outcome.event);
    if (known >= 0) return this.#openings.valueAt(known);
    const at = this.effects.begin(0) + first;
    this.#record(outcome, parts.inboxNumberOf(site), 0);
    this.#openings.set(site, outcome.event, at);
    return at;
  }

  enabled(site: number): number {
    return this.#lists[site] || this.#workOut(site);
  }

  #workOut(site: number): number {
    const { parts, effects } = this;
    parts.novelty.comes();
    const list = effects.begin(this.#isClosed(site) ? trait.closed : 0);
    const local = parts.localOf(site);
    const own = this.#ownOf(local);
    if (!own.isCrashed) this.#workOutAll(local, parts.inboxNumberOf(site), own);
    if (site >= this.#lists.length)
      this.#lists = grown(this.#lists, Math.ceil(growth * Math.max(this.#lists.length, site + 1)));
    this.#lists[site] = list;
    return list;
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
    if ((flags & flag.free) === 0) this.effects.bind();
    for (let k = 0; k < outcomes.length; k += 1) this.#record(outcomes[k]!, inbox, withPlace(flags, place));
  }

  /** Where variables had any values, every event may make the world legitimate, so that the properties must be looked at. */
  #record({ event, local, sends, tells, enters, violation }: Outcome, inbox: number, flags: number): void {
    const news = (tells || this.#question.scrambled ? flag.tells : 0) | (enters ? flag.enters : 0);
    this.effects.add(event, this.parts.site(local, inbox), flags | news, sends, violation);
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

  userOf(site: number): number {
    return this.parts.userNumberOf(site);
  }

  eventAt(at: number): { readonly move: Move; readonly coins: readonly number[] } {
    const [move, ...coins] = this.outcomes.events.of(this.effects.table[at + effect.event]!);
    return { move: this.outcomes.moves.of(move!), coins };
  }
}
