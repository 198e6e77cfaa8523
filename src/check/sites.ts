import type { Message, Pid } from '../core/algorithm.ts';
import { placeOf, placer } from '../core/place.ts';
import { encode } from '../core/plain.ts';
import type { Violation } from '../problems/monitor.ts';
import { inconsistent } from '../problems/snapshot.ts';
import { type Clock, ending, setTimers } from './clock.ts';
import { type Deed, Executor } from './execute.ts';
import { Interned } from './interned.ts';
import { Lists } from './lists.ts';
import { Memo } from './memo.ts';
import { oneLess, Parts, type Site } from './parts.ts';
import type { Question } from './question.ts';
import { grown, growth } from './tuples.ts';
import { calls, fresh, told } from './user.ts';

/** What can happen at a process. The last two only before everything else. */
export type Move =
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'recv'; readonly item: number; readonly again: boolean } // again: a copy of it is still to come
  | { readonly kind: 'lose'; readonly item: number }
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'crash' }
  | { readonly kind: 'begin' | 'corrupt' };

/** An effect: these numbers, and then for each message sent its receiver and its item. */
export const effect = {
  event: 0, // the move, and how the coins fell
  site: 1, // that the process is at then
  flags: 2, // and above them, where others must hear of a message that arrived, its channel + 1
  others: 3, // where the events are then that commute with it; see sleep.ts
  sends: 4,
  size: 5, // and two more for each message
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

/** The channel of the message that arrived, where others must hear of it; otherwise -1. */
export const shiftIn = (flags: number): number => (flags >>> flagBits) - 1;

export interface Outcome {
  readonly coins: readonly number[];
  readonly site: number;
  readonly sends: readonly number[]; // receiver and item, receiver and item, ..
  readonly tells: boolean;
  readonly enters: boolean;
  readonly violation: Violation | null;
}

/** What a handler did, by numbers. */
interface Done {
  readonly deed: Deed;
  readonly state: number;
  sends: readonly number[] | null; // receivers and items, where they depend on nothing else
}

const quiet = { coins: [], sends: [], tells: false, enters: false, violation: null };

const keyOf = (move: Move): string =>
  'item' in move ? `${move.kind} ${move.item} ${'again' in move && move.again}` : JSON.stringify(move);

/** What can happen at each site. A handler is executed once for a site and an event; what it did is kept in `effects`. */
export class Sites {
  readonly parts: Parts;
  readonly moves = new Interned<Move>();
  readonly events = new Lists(); // a move, and how the coins fell
  readonly violations = new Map<number, Violation>(); // by the effects that break something
  effects: Int32Array = new Int32Array(1024);
  #end = 1; // of what is used of it; 0 stands for not worked out yet
  #first: Int32Array = new Int32Array(1024); // of each site: where its effects begin, after the number of them
  readonly #executor: Executor;
  readonly #done = new Memo(); // state and event: what its handler did, in
  readonly #known: (readonly Done[])[] = [];
  readonly #calls = new Map<string, number>(); // by name
  readonly #receipts: number[] = []; // of each item: the move that receives it
  readonly #own: (readonly number[])[] = []; // calls and timers, by site
  readonly #question: Question;
  readonly #place: (place: object, i: Pid) => void;

  constructor(question: Question) {
    this.#question = question;
    this.parts = new Parts(question);
    this.#executor = new Executor(question.setup);
    this.#place = placer(question.setup.algorithm, question.setup);
  }

  /** How often a handler was really run. */
  get executions(): number {
    return this.#executor.executions;
  }

  get bytes(): number {
    return this.parts.bytes + this.effects.byteLength + this.#first.byteLength;
  }

  /** The site of process i before everything, which may ask so many times. */
  initial(i: Pid, left: number): number {
    const { parts } = this;
    const { algorithm, n } = this.#question.setup;
    return parts.add({
      state: parts.state(parts.alike ? 0 : i, encode(algorithm.init(placeOf(this.#place, i)))),
      user: parts.user(fresh(left)),
      inbox: parts.inbox([]),
      clock: parts.clock({ armed: [], phase: 0, known: parts.causal ? Array(n * n).fill(0) : null }),
    });
  }

  /** Where the effects of a site begin: their number, whether one of them is bound to happen, and then one after the other. */
  effectsOf(site: number): number {
    return this.#first[site] || this.#workOut(site);
  }

  #workOut(site: number): number {
    this.parts.novelty.comes();
    const here = this.parts.of(site);
    const start = this.#end;
    let count = 0;
    let traits = this.#isClosed(here) ? trait.closed : 0;
    this.#end += first;
    for (const { move, flags } of this.#movesAt(here)) {
      for (const outcome of this.outcomes(here, this.moves.of(move))) {
        this.#record(here, move, flags, outcome);
        count += 1;
        if ((flags & flag.free) === 0) traits |= trait.mustGoOn;
      }
    }
    this.#reserve(start + 1);
    this.effects[start] = count;
    this.effects[start + 1] = traits;
    if (site >= this.#first.length)
      this.#first = grown(this.#first, Math.ceil(growth * Math.max(this.#first.length, site + 1)));
    this.#first[site] = start;
    return start;
  }

  /**
   * On each channel to it something waits to arrive, in order, so that what is sent next comes behind; and it will not ask by itself. It is not
   * inside: leaving early would hide who enters meanwhile.
   */
  #isClosed({ kind, user, inbox, clock }: Site): boolean {
    const { parts } = this;
    const { phase, left, snapshot } = parts.users.of(user);
    if (!this.#question.ample || left > 0 || phase === 'inside' || parts.clocks.of(clock).armed.length > 0)
      return false;
    if (snapshot === 'none' && this.#mayBeginSnapshot(kind)) return false;
    const channels = this.#question.setup.topology.degree(kind); // as many lead to it as away from it
    return parts.deliverable(inbox, kind).length === channels;
  }

  #mayBeginSnapshot(process: Pid): boolean {
    return this.#question.setup.snapshots.some((begins) => begins.process === process);
  }

  #movesAt(here: Site): { readonly move: number; readonly flags: number }[] {
    const { parts } = this;
    const { setup, crashes, losses, repeats } = this.#question;
    const { phase, left, snapshot } = parts.users.of(here.user);
    const moves: { readonly move: number; readonly flags: number }[] = [];
    const add = (move: Move, flags: number) => moves.push({ move: this.#move(move), flags });
    if (phase === 'crashed') return moves;
    const asks = setup.algorithm.problem === 'mutex' ? 'request' : 'start';
    if (left > 0 && phase === 'idle') add({ kind: 'call', name: asks }, flag.free);
    if (phase === 'inside') add({ kind: 'call', name: 'release' }, 0);
    if (snapshot === 'none' && this.#mayBeginSnapshot(here.kind))
      add({ kind: 'call', name: 'snapshot' }, flag.free);
    for (const item of parts.deliverable(here.inbox, here.kind)) {
      add({ kind: 'recv', item, again: false }, 0);
      if (repeats > 0) add({ kind: 'recv', item, again: true }, flag.free | flag.repeat);
    }
    for (const { message } of ending(parts.clocks.of(here.clock), parts.timed))
      add({ kind: 'timer', message }, flag.timer);
    if (losses > 0) {
      for (const item of new Set(parts.inboxes.of(here.inbox)))
        add({ kind: 'lose', item }, flag.free | flag.loss);
    }
    if (crashes > 0) add({ kind: 'crash' }, flag.free | flag.crash);
    return moves;
  }

  /** What can happen at a site to which nothing is on its way. */
  ownMovesAt(site: number): readonly number[] {
    this.#own[site] ??= this.#movesAt(this.parts.of(site)).map(({ move }) => move);
    return this.#own[site];
  }

  #move(move: Move): number {
    if (move.kind === 'call') {
      const known = this.#calls.get(move.name) ?? this.moves.add(keyOf(move), move);
      this.#calls.set(move.name, known);
      return known;
    }
    if (move.kind !== 'recv' || move.again) return this.moves.add(keyOf(move), move);
    this.#receipts[move.item] ??= this.moves.add(keyOf(move), move);
    return this.#receipts[move.item]!;
  }

  #record(here: Site, move: number, flags: number, outcome: Outcome): void {
    const { site, sends, tells, enters, violation, coins } = outcome;
    const what = this.moves.of(move);
    const shift = what.kind === 'recv' && this.parts.causal ? this.#channelOf(here, what.item) : -1;
    this.#reserve(this.#end + effect.size + sends.length);
    const { effects } = this;
    const at = this.#end;
    if (violation !== null) this.violations.set(at, violation);
    const news =
      (tells ? flag.tells : 0) | (enters ? flag.enters : 0) | (violation === null ? 0 : flag.breaks);
    effects[at + effect.event] = this.events.add([move, ...coins]);
    effects[at + effect.site] = site;
    effects[at + effect.flags] = flags | news | ((shift + 1) << flagBits);
    effects[at + effect.others] = 0;
    effects[at + effect.sends] = sends.length / 2;
    for (let k = 0; k < sends.length; k += 1) effects[at + effect.size + k] = sends[k]!;
    this.#end += effect.size + sends.length;
  }

  /** What happens, and how the coins fall. */
  eventAt(at: number): { readonly move: Move; readonly coins: readonly number[] } {
    const [move, ...coins] = this.events.of(this.effects[at + effect.event]!);
    return { move: this.moves.of(move!), coins };
  }

  #reserve(end: number): void {
    if (end >= this.effects.length) this.effects = grown(this.effects, Math.ceil(growth * end));
  }

  /** What a move leads to, for each way the coins can fall. */
  outcomes(here: Site, move: Move): Outcome[] {
    if (move.kind === 'lose') {
      const inbox = this.parts.without(here.inbox, move.item);
      return [{ ...quiet, site: this.parts.add({ ...here, inbox }) }];
    }
    if (move.kind === 'crash') return [{ ...quiet, site: this.parts.add(this.#crashed(here)) }];
    return this.#deeds(here, move).map((done) => this.#outcome(here, move, done));
  }

  /** What the handler does, executed once for each local state and event. */
  #deeds(here: Site, move: Exclude<Move, { kind: 'lose' | 'crash' }>): readonly Done[] {
    const { algorithm } = this.#question.setup;
    const event = this.#move(move.kind === 'recv' && move.again ? { ...move, again: false } : move);
    const at = this.#done.at(here.state, event);
    if (at >= 0) return this.#known[this.#done.valueAt(at)]!;
    const run = (handler: (s: never, p: never) => void) =>
      this.#executor.run(here.kind, this.parts.states.of(here.state), handler as (s: unknown) => void);
    const execute = () => {
      switch (move.kind) {
        case 'call':
          return run(algorithm.calls[move.name]!);
        case 'recv': {
          const { message, arrivesAs } = this.parts.items.of(move.item);
          const handler = algorithm.on[message.type]!;
          return run((s, p) => handler(s, p, message, arrivesAs));
        }
        case 'timer':
          return run((s, p) => algorithm.on[move.message.type]!(s, p, move.message, 0));
        case 'begin':
          return run(algorithm.begin!);
        case 'corrupt':
          return run(algorithm.stabilises!.scramble);
      }
    };
    const deeds = execute().map((deed): Done => {
      return { deed, state: this.parts.state(here.kind, deed.state), sends: null };
    });
    this.#done.set(here.state, event, this.#known.push(deeds) - 1);
    return deeds;
  }

  #crashed({ kind, clock }: Site): Site {
    const { parts } = this;
    return {
      kind,
      state: parts.state(kind, 'null'),
      user: parts.user({ ...fresh(0), phase: 'crashed' }),
      inbox: parts.inbox([]),
      clock: parts.clock({ ...parts.clocks.of(clock), armed: [] }),
    };
  }

  #outcome(here: Site, move: Move, done: Done): Outcome {
    const { parts } = this;
    const { deed } = done;
    const { user, violation } = this.#userAfter(here, move, deed);
    const sent = this.#send(here, done, this.#clockAfter(here, move, deed));
    const site = parts.add({
      state: done.state,
      user,
      inbox: this.#inboxAfter(here, move),
      clock: sent.clock,
    });
    const tells = deed.emits.length > 0;
    const enters = deed.emits.some(({ type }) => type === 'entered');
    return { coins: deed.coins, site, sends: sent.sends, tells, enters, violation };
  }

  #userAfter(
    here: Site,
    move: Move,
    { emits, failure }: Deed,
  ): { user: number; violation: Violation | null } {
    const { setup, bypass, crashes } = this.#question;
    const { problem, assumes } = setup.algorithm;
    const hears = move.kind === 'recv' && crashes > 0 && problem === 'election';
    const crossing = move.kind === 'recv' ? this.#crosses(here, move.item) : null;
    if (move.kind !== 'call' && !hears && emits.length === 0)
      return { user: here.user, violation: failure ?? crossing };
    let user = this.parts.users.of(here.user);
    let violation = failure ?? crossing;
    if (move.kind === 'call') user = calls(user, move.name, bypass);
    if (hears) user = { ...user, involved: true };
    for (const event of emits) {
      const said = told(user, here.kind, event, bypass, assumes.failures === 'crash');
      user = said.user;
      violation ??= said.violation;
    }
    return { user: this.parts.user(user), violation };
  }

  /** A message comes from behind the cut to before it. */
  #crosses({ user, kind }: Site, item: number): Violation | null {
    const { late, from } = this.parts.items.of(item);
    return late && this.parts.users.of(user).snapshot === 'none' ? inconsistent(kind, from) : null;
  }

  #inboxAfter(here: Site, move: Move): number {
    const { parts } = this;
    if (move.kind !== 'recv') return here.inbox;
    const rest = move.again ? here.inbox : parts.without(here.inbox, move.item);
    if (!parts.causal) return rest;
    const channel = this.#channelOf(here, move.item);
    return parts.inbox(parts.inboxes.of(rest).map((item) => parts.shiftedItem(item, channel)));
  }

  #clockAfter(here: Site, move: Move, { timers }: Deed): Clock {
    const { parts } = this;
    const { timers: types = [] } = this.#question.setup.algorithm;
    let clock = parts.clocks.of(here.clock);
    if (move.kind === 'timer')
      clock = { ...clock, armed: clock.armed.filter(({ message }) => message.type !== move.message.type) };
    if (move.kind === 'recv' && parts.causal) {
      const { past } = parts.items.of(move.item);
      const known = clock.known!.map((count, k) => Math.max(count, past![k]!));
      clock = { ...clock, known: oneLess(known, this.#channelOf(here, move.item)) };
    }
    return setTimers(clock, timers, { timed: parts.timed, unit: parts.unit(here.kind), types });
  }

  /** The items of the messages that were sent, each after its receiver, and what the sender then knows of. */
  #send(here: Site, done: Done, clock: Clock): { sends: readonly number[]; clock: number } {
    const { parts } = this;
    const number = clock === parts.clocks.of(here.clock) ? here.clock : parts.clock(clock);
    if (done.sends !== null) return { sends: done.sends, clock: number };
    const sent = this.#items(here, done.deed, clock);
    if (!parts.causal && this.#question.setup.snapshots.length === 0) done.sends = sent.sends;
    return { sends: sent.sends, clock: parts.causal ? parts.clock(sent.clock) : number };
  }

  #items({ kind: i, user }: Site, { sends }: Deed, clock: Clock): { sends: readonly number[]; clock: Clock } {
    const { parts } = this;
    const { n, latency, algorithm } = this.#question.setup;
    const isRecorded = parts.users.of(user).snapshot !== 'none';
    const result: number[] = [];
    let { known } = clock;
    for (const { to, arrivesAs, message } of sends) {
      const from = parts.alike ? (i - to + n) % n : i;
      const earliest = parts.timed ? latency.min : 0;
      const latest = parts.timed ? latency.max : 0;
      const late = isRecorded && message.type !== algorithm.snapshots!.marker;
      const item = parts.item({ from, arrivesAs, message, earliest, latest, late, past: known });
      result.push(parts.alike ? (to - i + n) % n : to, item);
      if (known !== null) known = known.map((count, channel) => (channel === i * n + to ? count + 1 : count));
    }
    return { sends: result, clock: { ...clock, known } };
  }

  #channelOf({ kind }: Site, item: number): number {
    return this.parts.items.of(item).from * this.#question.setup.n + kind;
  }
}
