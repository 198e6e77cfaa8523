import type { Message, Pid } from '../core/algorithm.ts';
import { breachOf, checkState, type Input } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { inconsistent } from '../problems/snapshot.ts';
import { type Clock, setTimers } from './clock.ts';
import { type Deed, Executor, type Sent } from './execute.ts';
import { Interned } from './interned.ts';
import { Lists } from './lists.ts';
import { Memo } from './memo.ts';
import type { Local, Parts } from './parts.ts';
import { calls, fresh, told } from './user.ts';

/** What can happen at a process. The last two only before everything else. */
export type Move =
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'recv'; readonly item: number; readonly again: boolean } // again: a copy of it is still to come
  | { readonly kind: 'lose'; readonly item: number; readonly ahead: number } // so many are before it, where channels keep an order
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'crash' }
  | { readonly kind: 'begin' | 'corrupt' };

export interface Outcome {
  readonly event: number; // the move, and how the coins fell
  readonly coins: readonly number[];
  readonly local: number; // that the process has then
  readonly sends: readonly number[]; // receiver and item, receiver and item, ..
  readonly tells: boolean;
  readonly enters: boolean;
  readonly violation: Violation | null;
}

/** What a handler did, by numbers. */
interface Done extends Pick<Deed, 'coins' | 'emits' | 'timers' | 'failure'> {
  readonly state: number;
  sent: readonly Sent[];
  sends: readonly number[] | null; // receivers and items, where they depend on nothing else: then `sent` is no longer needed
}

const weight = { outcome: 250, send: 8 }; // bytes, as measured

const quiet = { coins: [], sends: [], tells: false, enters: false, violation: null };

/** What is wrong with a state that has no number; if nothing is, the error was another. */
function spoilt(process: Pid, state: unknown, error: unknown): Violation {
  try {
    checkState(state);
  } catch (breach) {
    return breachOf(breach, process);
  }
  throw error;
}

const keyOf = (move: Move): string =>
  'item' in move
    ? `${move.kind} ${move.item} ${move.kind === 'lose' ? move.ahead : move.again}`
    : JSON.stringify(move);

/**
 * What an event makes of what a process has by itself, whatever else is on its way to it. A handler is executed once for a state and an event;
 * what it did is kept.
 */
export class Outcomes {
  readonly moves = new Interned<Move>();
  readonly events = new Lists(); // a move, and how the coins fell
  readonly #parts: Parts;
  readonly #executor: Executor;
  readonly #numbers = new Memo(); // local and move: what comes of it, in
  readonly #known: (readonly Outcome[])[] = [];
  readonly #done = new Memo(); // state and move: what its handler did, in
  readonly #deeds: (readonly Done[])[] = [];
  readonly #calls = new Map<string, number>(); // by name
  readonly #receipts: number[] = []; // of each item: the move that receives it
  #sends = 0; // receivers and items, of all outcomes
  readonly #plain: number[] = []; // of each move: the event, where no coin is tossed

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#executor = new Executor(parts.question.setup);
  }

  /** The state in which process i begins. */
  initial(i: Pid): unknown {
    return this.#executor.initial(i);
  }

  /** How often a handler was really run. */
  get executions(): number {
    return this.#executor.executions;
  }

  /** That objects take, about. */
  get bytes(): number {
    const memos = this.#numbers.bytes + this.#done.bytes + this.events.bytes + this.moves.bytes;
    return memos + weight.outcome * this.#known.length + weight.send * this.#sends;
  }

  /** Kinds of messages that never arrived. */
  get unused(): readonly string[] {
    const { on = {}, timers = [] } = this.#parts.question.setup.algorithm;
    const items = this.moves.values.flatMap((move) => (move.kind === 'recv' ? [move.item] : []));
    const used = new Set(items.map((item) => this.#parts.items.of(item).message.type));
    return Object.keys(on).filter((type) => !timers.includes(type) && !used.has(type));
  }

  /** What a move leads to, for each way the coins can fall. */
  of(local: number, move: number): readonly Outcome[] {
    return this.#known[this.numberOf(local, move)]!;
  }

  /** The number of that. */
  numberOf(local: number, move: number): number {
    const at = this.#numbers.at(local, move);
    if (at >= 0) return this.#numbers.valueAt(at);
    const number = this.#known.push(this.#workOut(local, move)) - 1;
    this.#numbers.set(local, move, number);
    return number;
  }

  numbered(number: number): readonly Outcome[] {
    return this.#known[number]!;
  }

  /** The number of a move. */
  move(move: Move): number {
    if (move.kind === 'recv' && !move.again) return this.receipt(move.item);
    if (move.kind !== 'call') return this.moves.add(keyOf(move), move);
    const known = this.#calls.get(move.name) ?? this.moves.add(keyOf(move), move);
    this.#calls.set(move.name, known);
    return known;
  }

  /** The number of the arrival of an item. */
  receipt(item: number): number {
    this.#receipts[item] ??= this.#newReceipt({ kind: 'recv', item, again: false });
    return this.#receipts[item];
  }

  #newReceipt(move: Move): number {
    return this.moves.add(keyOf(move), move);
  }

  #workOut(local: number, number: number): Outcome[] {
    const move = this.moves.of(number);
    const here = this.#parts.local(local);
    if (move.kind === 'lose')
      return [{ ...quiet, event: this.#eventOf(number), local: this.#without(local, here, move) }];
    if (move.kind === 'crash') {
      const crashed = this.#parts.add(this.#crashed(here));
      return [{ ...quiet, event: this.#eventOf(number), local: crashed }];
    }
    return this.#deedsOf(here, move).map((done) => this.#outcome(here, number, move, done));
  }

  /** On causal channels its receiver may know, from others, that the message that is lost is on its way. */
  #without(local: number, here: Local, { item, ahead }: Move & { kind: 'lose' }): number {
    const parts = this.#parts;
    if (!parts.causal || parts.items.of(item).copy) return local;
    const clock = parts.clocks.of(here.clock);
    const known = parts.oneLess(clock.known!, parts.placeOn(parts.channelOf(here.kind, item), ahead));
    return parts.add({ ...here, clock: parts.clock({ ...clock, known }) });
  }

  /** What the handler does, executed once for each local state and event. */
  #deedsOf(here: Local, move: Exclude<Move, { kind: 'lose' | 'crash' }>): readonly Done[] {
    const event = move.kind === 'recv' ? this.receipt(move.item) : this.move(move);
    const at = this.#done.at(here.state, event);
    if (at >= 0) return this.#deeds[this.#done.valueAt(at)]!;
    const done = this.#executor.run(here.kind, this.#parts.states.of(here.state), this.#inputOf(move));
    const deeds = done.map(({ state, sends, emits, coins, timers, failure }): Done => {
      const spelt = this.#spell(here, state);
      const wrong = failure ?? spelt.violation;
      return { state: spelt.number, sent: sends, sends: null, emits, coins, timers, failure: wrong };
    });
    this.#done.set(here.state, event, this.#deeds.push(deeds) - 1);
    return deeds;
  }

  #inputOf(move: Exclude<Move, { kind: 'lose' | 'crash' }>): Input {
    if (move.kind !== 'recv') return move;
    const { message, arrivesAs } = this.#parts.items.of(move.item);
    return { kind: 'message', message, from: arrivesAs };
  }

  /** The number of a state that a handler left, or what is wrong with it: then it is not looked at any further. */
  #spell(here: Local, state: unknown): { readonly number: number; readonly violation: Violation | null } {
    try {
      return { number: this.#parts.state(here.kind, state), violation: null };
    } catch (error) {
      return { number: here.state, violation: spoilt(here.kind, state, error) };
    }
  }

  #crashed({ kind, clock }: Local): Local {
    const parts = this.#parts;
    const { phase, known } = parts.clocks.of(clock);
    return {
      kind,
      state: parts.state(kind, null),
      user: parts.user({ ...fresh(0), phase: 'crashed' }),
      clock: parts.clock({ armed: [], phase, known: known?.map(() => 0) ?? null }),
    };
  }

  #outcome(here: Local, number: number, move: Move, done: Done): Outcome {
    const { coins, emits } = done;
    const { user, violation } = this.#userAfter(here, move, done);
    const { sends, clock } = this.#send(here, done, this.#clockAfter(here, move, done));
    return {
      event: coins.length === 0 ? this.#eventOf(number) : this.events.add([number, ...coins]),
      coins,
      local: this.#parts.add({ state: done.state, user, clock }),
      sends,
      tells: emits.length > 0,
      enters: emits.some(({ type }) => type === 'entered'),
      violation,
    };
  }

  #eventOf(move: number): number {
    this.#plain[move] ??= this.events.add([move]);
    return this.#plain[move];
  }

  #userAfter(
    here: Local,
    move: Move,
    { emits, failure }: Done,
  ): { user: number; violation: Violation | null } {
    const { setup, bypass, crashes } = this.#parts.question;
    const { problem, assumes } = setup.algorithm;
    const hears = move.kind === 'recv' && crashes > 0 && problem === 'election';
    const crossing = move.kind === 'recv' ? this.#crosses(here, move.item) : null;
    if (move.kind !== 'call' && !hears && emits.length === 0)
      return { user: here.user, violation: failure ?? crossing };
    let user = this.#parts.users.of(here.user);
    let violation = failure ?? crossing;
    if (move.kind === 'call') user = calls(user, move.name, bypass);
    if (hears) user = { ...user, involved: true };
    for (const event of emits) {
      const said = told(user, here.kind, event, bypass, assumes.failures === 'crash');
      user = said.user;
      violation ??= said.violation;
    }
    return { user: this.#parts.user(user), violation };
  }

  /** A message comes from behind the cut to before it. */
  #crosses({ user, kind }: Local, item: number): Violation | null {
    const { late, from } = this.#parts.items.of(item);
    return late && this.#parts.users.of(user).snapshot === 'none' ? inconsistent(kind, from) : null;
  }

  #clockAfter(here: Local, move: Move, { timers }: Done): Clock {
    const parts = this.#parts;
    const { timers: types = [] } = parts.question.setup.algorithm;
    let clock = parts.clocks.of(here.clock);
    if (move.kind === 'timer')
      clock = { ...clock, armed: clock.armed.filter(({ message }) => message.type !== move.message.type) };
    if (move.kind === 'recv' && parts.causal && !parts.items.of(move.item).copy) {
      const { past } = parts.items.of(move.item);
      const known = clock.known!.map((count, k) => Math.max(count, past![k]!));
      clock = { ...clock, known: parts.oneLess(known, parts.channelOf(here.kind, move.item)) };
    }
    return setTimers(clock, timers, { timed: parts.timed, unit: parts.unit(here.kind), types });
  }

  /** The items of the messages that were sent, each after its receiver, and what the sender then knows of. */
  #send(here: Local, done: Done, clock: Clock): { sends: readonly number[]; clock: number } {
    const parts = this.#parts;
    const number = clock === parts.clocks.of(here.clock) ? here.clock : parts.clock(clock);
    if (done.sends !== null) return { sends: done.sends, clock: number };
    const sent = this.#items(here, done.sent, clock);
    this.#sends += sent.sends.length;
    if (!parts.causal && parts.question.setup.snapshots.length === 0) {
      done.sends = sent.sends;
      done.sent = [];
    }
    return { sends: sent.sends, clock: parts.causal ? parts.clock(sent.clock) : number };
  }

  #items(
    { kind: i, user }: Local,
    sent: readonly Sent[],
    clock: Clock,
  ): { sends: readonly number[]; clock: Clock } {
    const parts = this.#parts;
    const { n, latency, algorithm } = parts.question.setup;
    const isRecorded = parts.users.of(user).snapshot !== 'none';
    const result: number[] = [];
    let { known } = clock;
    for (const { to, arrivesAs, message } of sent) {
      const from = parts.alike ? (i - to + n) % n : i;
      const earliest = parts.timed ? latency.min : 0;
      const latest = parts.timed ? latency.max : 0;
      const late = isRecorded && message.type !== algorithm.snapshots!.marker;
      const item = parts.item({ from, arrivesAs, message, earliest, latest, late, past: known, copy: false });
      result.push(parts.alike ? (to - i + n) % n : to, item);
      if (known !== null) known = known.map((count, channel) => (channel === i * n + to ? count + 1 : count));
    }
    return { sends: result, clock: { ...clock, known } };
  }
}
