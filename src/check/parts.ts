import type { Pid } from '../core/algorithm.ts';
import { decode, encode } from '../core/plain.ts';
import { type Clock, tick } from './clock.ts';
import { deliverable, type Item, keyOf, withItem, without } from './inbox.ts';
import { Interned } from './interned.ts';
import { Lists } from './lists.ts';
import { Memo } from './memo.ts';
import { Novelty } from './novelty.ts';
import { isTimed, type Question } from './question.ts';
import { Tuples } from './tuples.ts';
import { passedBy, type User } from './user.ts';

/** Everything at one process: state, user, inbox and clock, by their numbers. `kind` is the process, or 0 where all are alike. */
export interface Site {
  readonly kind: number;
  readonly state: number;
  readonly user: number;
  readonly inbox: number;
  readonly clock: number;
}

const width = 4; // numbers of a site; its kind is that of its state

/** Every site that occurs, by number, and what events elsewhere make of it: a message is sent to it, somebody enters, time passes. */
export class Parts {
  readonly question: Question;
  readonly novelty = new Novelty();
  readonly alike: boolean; // nothing tells one process from another: sites serve all, and positions are relative
  readonly timed: boolean;
  readonly causal: boolean;
  readonly states = new Interned<string>(); // as canonical text
  readonly users = new Interned<User>();
  readonly items = new Interned<Item>();
  readonly inboxes = new Lists();
  readonly clocks = new Interned<Clock>();
  readonly arrivals = new Memo(); // site and item: the site with the item on its way
  readonly #longer = new Memo(); // inbox and item
  readonly #shorter = new Memo();
  readonly #deliverable: (readonly number[])[] = []; // of each inbox
  readonly #shifts = new Memo(); // site and channel of a message that arrived elsewhere
  readonly #passes = new Memo(); // site and which bounds count an entry elsewhere
  readonly #ticked: number[] = [];
  readonly #kinds: number[] = []; // of states
  readonly #values: unknown[] = []; // of states that somebody asked for
  readonly #sites = new Tuples(width);
  readonly #tuple = new Int32Array(width);

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
    return this.#sites.bytes + this.arrivals.bytes;
  }

  of(site: number): Site {
    const { data } = this.#sites;
    const at = width * site;
    return {
      kind: this.#kinds[data[at]!]!,
      state: data[at]!,
      user: data[at + 1]!,
      inbox: data[at + 2]!,
      clock: data[at + 3]!,
    };
  }

  stateOf(site: number): unknown {
    const state = this.#sites.data[width * site]!;
    this.#values[state] ??= decode(this.states.of(state));
    return this.#values[state];
  }

  userOf(site: number): User {
    return this.users.values[this.userNumberOf(site)]!;
  }

  userNumberOf(site: number): number {
    return this.#sites.data[width * site + 1]!;
  }

  inboxOf(site: number): readonly number[] {
    return this.inboxes.values[this.#sites.data[width * site + 2]!]!;
  }

  clockOf(site: number): Clock {
    return this.clocks.values[this.#sites.data[width * site + 3]!]!;
  }

  /** The site if nothing were on its way to it. */
  bare(site: number): number {
    return this.add({ ...this.of(site), inbox: this.inbox([]) });
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
    const here = this.of(site);
    const isCrashed = this.users.of(here.user).phase === 'crashed';
    const after = isCrashed ? site : this.add({ ...here, inbox: this.#with(here.inbox, item) });
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

  /** The site when a message of another channel has arrived: what was sent after it need not wait for it any more. */
  shifted(site: number, channel: number): number {
    const at = this.#shifts.at(site, channel);
    if (at >= 0) return this.#shifts.valueAt(at);
    this.novelty.comes();
    const here = this.of(site);
    const inbox = this.inboxes.of(here.inbox).map((item) => this.shiftedItem(item, channel));
    const clock = this.clocks.of(here.clock);
    const known = oneLess(clock.known!, channel);
    const after = this.add({ ...here, inbox: this.inbox(inbox), clock: this.clock({ ...clock, known }) });
    this.#shifts.set(site, channel, after);
    return after;
  }

  shiftedItem(item: number, channel: number): number {
    const one = this.items.of(item);
    return this.item({ ...one, past: oneLess(one.past!, channel) });
  }

  /** The site when somebody else has entered; `counts` has a bit for each bypass bound for which that entry counts. */
  passed(site: number, counts: number): number {
    const at = this.#passes.at(site, counts);
    if (at >= 0) return this.#passes.valueAt(at);
    this.novelty.comes();
    const here = this.of(site);
    const { bypass } = this.question;
    const which = bypass.map((_, k) => (counts & (1 << k)) !== 0);
    const after = this.add({ ...here, user: this.user(passedBy(this.users.of(here.user), which, bypass)) });
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
    const here = this.of(site);
    const inbox = this.inboxes.of(here.inbox).map((item) => this.items.of(item));
    const clock = tick(this.clocks.of(here.clock), this.unit(here.kind));
    if (clock === null || inbox.some(({ latest }) => latest === 0)) return -1;
    const later = inbox.map((one) =>
      this.item({ ...one, earliest: Math.max(0, one.earliest - 1), latest: one.latest - 1 }),
    );
    const { channels } = this.question.setup;
    const sorted = channels === 'unordered' ? later.sort((a, b) => a - b) : later;
    return this.add({ ...here, inbox: this.inbox(sorted), clock: this.clock(clock) });
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

  /** Of the clock of a process. */
  unit(process: Pid): number {
    return this.question.setup.clocks?.[process] ?? 1;
  }

  // The number of each thing.

  add({ state, user, inbox, clock }: Omit<Site, 'kind'>): number {
    const tuple = this.#tuple;
    tuple[0] = state;
    tuple[1] = user;
    tuple[2] = inbox;
    tuple[3] = clock;
    return this.#sites.add(tuple, 0);
  }

  /** A state belongs to a process, so that what an event does depends on nothing else. */
  state(kind: number, text: string): number {
    const number = this.states.add(`${kind} ${text}`, text);
    this.#kinds[number] = kind;
    return number;
  }

  user(user: User): number {
    return this.users.add(JSON.stringify(user), user);
  }

  item(item: Item): number {
    return this.items.add(keyOf(item, encode(item.message)), item);
  }

  inbox(inbox: readonly number[]): number {
    return this.inboxes.add(inbox);
  }

  clock(clock: Clock): number {
    return this.clocks.add(JSON.stringify(clock), clock);
  }
}

export const oneLess = (counts: readonly number[], channel: number): number[] =>
  counts.map((count, k) => (k === channel && count > 0 ? count - 1 : count));
