import type { Pid } from '../core/algorithm.ts';
import { type Clock, tick } from './clock.ts';
import { deliverable, type Item, withItem, without } from './inbox.ts';
import { Interned } from './interned.ts';
import { Lists } from './lists.ts';
import { Memo } from './memo.ts';
import { Novelty } from './novelty.ts';
import { isTimed, type Question } from './question.ts';
import { Tuples } from './tuples.ts';
import { passedBy, type User } from './user.ts';
import { Values } from './values.ts';

/** What one process has by itself: state, user and clock, by their numbers. `kind` is the process, or 0 where all are alike. */
export interface Local {
  readonly kind: number;
  readonly state: number;
  readonly user: number;
  readonly clock: number;
}

type Recount = (counts: readonly number[]) => readonly number[];

const widths = { local: 3, site: 2 }; // the kind of a local is that of its state; a site is a local and an inbox

/**
 * Every site that occurs, by number: what a process has by itself, and what is on its way to it. And what events elsewhere make of it: a message is
 * sent to it, somebody enters, time passes.
 */
export class Parts {
  readonly question: Question;
  readonly novelty = new Novelty();
  readonly alike: boolean; // nothing tells one process from another: sites serve all, and positions are relative
  readonly timed: boolean;
  readonly causal: boolean;
  readonly states = new Values<unknown>();
  readonly users = new Interned<User>();
  readonly items = new Values<Item>();
  readonly inboxes = new Lists();
  readonly clocks = new Interned<Clock>();
  readonly arrivals = new Memo(); // site and item: the site with the item on its way
  readonly #longer = new Memo(); // inbox and item
  readonly #shorter = new Memo();
  readonly #deliverable: (readonly number[])[] = []; // of each inbox
  readonly #shifts = new Memo(); // site and, by its place, a message that arrived or was lost elsewhere
  readonly #forgets = new Memo(); // site and a process that has crashed
  readonly #passes = new Memo(); // site and which bounds count an entry elsewhere
  readonly #ticked: number[] = [];
  readonly #kinds: number[] = []; // of states
  readonly #locals = new Tuples(widths.local);
  readonly #sites = new Tuples(widths.site);
  readonly #tuple = new Int32Array(widths.local);

  constructor(question: Question) {
    this.question = question;
    this.alike = question.alike;
    this.timed = isTimed(question.setup);
    this.causal = question.setup.channels === 'causal';
  }

  get size(): number {
    return this.#sites.size;
  }

  get bytes(): number {
    return this.#locals.bytes + this.#sites.bytes + this.inboxes.bytes + this.arrivals.bytes;
  }

  /** Of what has a number as an object, and of what is remembered of it, about. */
  get held(): number {
    const memos = [this.#longer, this.#shorter, this.#shifts, this.#forgets, this.#passes];
    const objects = [this.states, this.items, this.users, this.clocks];
    return [...memos, ...objects].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  localOf(site: number): number {
    return this.#sites.data[widths.site * site]!;
  }

  inboxNumberOf(site: number): number {
    return this.#sites.data[widths.site * site + 1]!;
  }

  local(local: number): Local {
    const { data } = this.#locals;
    const at = widths.local * local;
    return { kind: this.kindOf(local), state: data[at]!, user: data[at + 1]!, clock: data[at + 2]! };
  }

  kindOf(local: number): number {
    return this.#kinds[this.#locals.data[widths.local * local]!]!;
  }

  stateOf(site: number): unknown {
    return this.states.of(this.#locals.data[widths.local * this.localOf(site)]!);
  }

  userOf(site: number): User {
    return this.users.values[this.userNumberOf(site)]!;
  }

  userNumberOf(site: number): number {
    return this.#locals.data[widths.local * this.localOf(site) + 1]!;
  }

  inboxOf(site: number): readonly number[] {
    return this.inboxes.of(this.inboxNumberOf(site));
  }

  clockOf(site: number): Clock {
    return this.clocks.values[this.#locals.data[widths.local * this.localOf(site) + 2]!]!;
  }

  /** The site when a message is sent to it. */
  withArrival(site: number, item: number): number {
    return this.arrivals.valueAt(this.arrivalAt(site, item));
  }

  /** Where that is in `arrivals`. */
  arrivalAt(site: number, item: number): number {
    const at = this.arrivals.at(site, item);
    return at < 0 ? this.#arrive(site, item) : at;
  }

  #arrive(site: number, item: number): number {
    this.novelty.comes();
    const isCrashed = this.userOf(site).phase === 'crashed';
    const after = isCrashed
      ? site
      : this.site(this.localOf(site), this.#with(this.inboxNumberOf(site), item));
    return this.arrivals.set(site, item, after);
  }

  #with(inbox: number, item: number): number {
    const at = this.#longer.at(inbox, item);
    if (at >= 0) return this.#longer.valueAt(at);
    const { channels } = this.question.setup;
    const after = this.inbox(withItem(this.inboxes.of(inbox), item, channels, (one) => this.items.of(one)));
    this.#longer.set(inbox, item, after);
    return after;
  }

  /** The inbox when one of its items is gone; as it is if there is nothing in it. */
  without(inbox: number, item: number): number {
    const at = this.#shorter.at(inbox, item);
    if (at >= 0) return this.#shorter.valueAt(at);
    const after = this.inbox(without(this.inboxes.of(inbox), item));
    this.#shorter.set(inbox, item, after);
    return after;
  }

  /** The inbox when an item has arrived of which a copy is still to come. On causal channels nobody waits for that. */
  withCopy(inbox: number, item: number): number {
    if (!this.causal || this.items.of(item).copy) return inbox;
    const items = this.inboxes.of(inbox);
    return this.inbox(items.with(items.indexOf(item), this.item({ ...this.items.of(item), copy: true })));
  }

  /** What may arrive next at a process that has this inbox. */
  deliverable(inbox: number, process: Pid): readonly number[] {
    if (this.causal) return this.#findDeliverable(inbox, process);
    this.#deliverable[inbox] ??= this.#findDeliverable(inbox, process);
    return this.#deliverable[inbox];
  }

  #findDeliverable(inbox: number, process: Pid): readonly number[] {
    const { channels, n } = this.question.setup;
    const isFree = ({ past }: Item) =>
      past === null || past.every((count, channel) => count === 0 || channel % n !== process);
    return deliverable(this.inboxes.of(inbox), channels, (item) => this.items.of(item), isFree);
  }

  /** The site when a message at another place has arrived, or was lost: what was sent after it need not wait for it any more. */
  shifted(site: number, place: number): number {
    const at = this.#shifts.at(site, place);
    if (at >= 0) return this.#shifts.valueAt(at);
    this.novelty.comes();
    const after = this.#recounted(site, (counts) => this.oneLess(counts, place));
    this.#shifts.set(site, place, after);
    return after;
  }

  shiftedInbox(inbox: number, place: number): number {
    return this.#recountedInbox(inbox, (counts) => this.oneLess(counts, place));
  }

  /** The site when a process has crashed: nothing that was sent there counts any more. */
  forgetting(site: number, process: Pid): number {
    const at = this.#forgets.at(site, process);
    if (at >= 0) return this.#forgets.valueAt(at);
    this.novelty.comes();
    const { n } = this.question.setup;
    const after = this.#recounted(site, (counts) =>
      counts.map((count, k) => (k % n === process ? 0 : count)),
    );
    this.#forgets.set(site, process, after);
    return after;
  }

  #recounted(site: number, recount: Recount): number {
    const clock = this.clockOf(site);
    const here = this.local(this.localOf(site));
    const local = this.add({ ...here, clock: this.clock({ ...clock, known: recount(clock.known!) }) });
    return this.site(local, this.#recountedInbox(this.inboxNumberOf(site), recount));
  }

  #recountedInbox(inbox: number, recount: Recount): number {
    const items = this.inboxes.of(inbox).map((item) => this.items.of(item));
    return this.inbox(items.map((one) => this.item({ ...one, past: recount(one.past!) })));
  }

  /** Of a message on a channel: which channel, and how many are before it there. */
  placeOn(channel: number, ahead: number): number {
    return ahead * this.question.setup.n ** 2 + channel;
  }

  /** Counts of messages on their way, by channel, each of the first so many, when the one at a place is not any more. */
  oneLess(counts: readonly number[], place: number): number[] {
    const channels = this.question.setup.n ** 2;
    const [channel, ahead] = [place % channels, Math.floor(place / channels)];
    return counts.map((count, k) => (k === channel && count > ahead ? count - 1 : count));
  }

  /** The site when somebody else has entered; `counts` has a bit for each bypass bound for which that entry counts. */
  passed(site: number, counts: number): number {
    const at = this.#passes.at(site, counts);
    if (at >= 0) return this.#passes.valueAt(at);
    this.novelty.comes();
    const { bypass } = this.question;
    const which = bypass.map((_, k) => (counts & (1 << k)) !== 0);
    const user = this.user(passedBy(this.userOf(site), which, bypass));
    const local = this.add({ ...this.local(this.localOf(site)), user });
    const after = this.site(local, this.inboxNumberOf(site));
    this.#passes.set(site, counts, after);
    return after;
  }

  /** The site one tick later; -1 if something must happen before. */
  ticked(site: number): number {
    this.#ticked[site] ??= this.#tick(site);
    return this.#ticked[site];
  }

  #tick(site: number): number {
    this.novelty.comes();
    const here = this.local(this.localOf(site));
    const inbox = this.inboxOf(site).map((item) => this.items.of(item));
    const clock = tick(this.clockOf(site), this.unit(here.kind));
    if (clock === null || inbox.some(({ latest }) => latest === 0)) return -1;
    const later = inbox.map((one) =>
      this.item({ ...one, earliest: Math.max(0, one.earliest - 1), latest: one.latest - 1 }),
    );
    const { channels } = this.question.setup;
    const sorted = channels === 'unordered' ? later.sort((a, b) => a - b) : later;
    return this.site(this.add({ ...here, clock: this.clock(clock) }), this.inbox(sorted));
  }

  /** Something is on its way to it, or a timer is set: time will bring it about. */
  awaits(site: number): boolean {
    return this.inboxOf(site).length > 0 || this.clockOf(site).armed.length > 0;
  }

  /** How many messages are on their way on the channel of an item. */
  heldBeside(site: number, item: number): number {
    const { from, arrivesAs } = this.items.of(item);
    const inbox = this.inboxOf(site).map((other) => this.items.of(other));
    return inbox.filter((other) => other.from === from && other.arrivesAs === arrivesAs).length;
  }

  /** On which an item arrives at a process. */
  channelOf(process: Pid, item: number): number {
    return this.items.of(item).from * this.question.setup.n + process;
  }

  /** Of the clock of a process. */
  unit(process: Pid): number {
    return this.question.setup.clocks?.[process] ?? 1;
  }

  // The number of each thing.

  add({ state, user, clock }: Omit<Local, 'kind'>): number {
    const tuple = this.#tuple;
    tuple[0] = state;
    tuple[1] = user;
    tuple[2] = clock;
    return this.#locals.add(tuple, 0);
  }

  site(local: number, inbox: number): number {
    const tuple = this.#tuple;
    tuple[0] = local;
    tuple[1] = inbox;
    return this.#sites.add(tuple, 0);
  }

  /** A state belongs to a process, so that what an event does depends on nothing else. */
  state(kind: number, state: unknown): number {
    const number = this.states.add(state, state, kind);
    this.#kinds[number] = kind;
    return number;
  }

  user(user: User): number {
    return this.users.add(JSON.stringify(user), user);
  }

  item(item: Item): number {
    const { from, arrivesAs, earliest, latest, late, past, copy, message } = item;
    const also = past === null ? message : [message, past];
    return this.items.add(item, also, from, arrivesAs, earliest, latest, (late ? 1 : 0) | (copy ? 2 : 0));
  }

  inbox(inbox: readonly number[]): number {
    return this.inboxes.add(inbox);
  }

  clock(clock: Clock): number {
    return this.clocks.add(JSON.stringify(clock), clock);
  }
}
