import type { Message, Pid, World } from '../core/algorithm.ts';
import type { Trace } from '../core/trace.ts';
import type { Violation } from '../problems/monitor.ts';
import { networkTraceOf } from './counterexample.ts';
import { Early } from './early.ts';
import { allFlags, effect, flag, shiftIn } from './effects.ts';
import { type Expansion, mark } from './expansion.ts';
import { usersIn } from './jury.ts';
import { NetworkLiveness } from './liveness.ts';
import type { Medium, Step } from './medium.ts';
import type { Move } from './outcomes.ts';
import type { Question } from './question.ts';
import { Sites } from './sites.ts';
import { Sleep } from './sleep.ts';
import { Tally } from './tally.ts';
import { askingIn, worldAt } from './world.ts';

/** Channels between processes that send messages. The state of a process is its site; the variables count messages, by groups. */
export class Network implements Medium<Move> {
  readonly question: Question;
  readonly states: Sites;
  readonly liveness: NetworkLiveness;
  readonly sleep: Sleep | null;
  readonly isAmple: boolean;
  readonly early: Early | null;
  readonly prologue: readonly Move[];
  readonly request: Move;
  readonly variables: readonly number[];
  readonly lemmas: Medium['lemmas'];
  readonly help = 'message';
  readonly #n: number;
  readonly #felt: number; // flags of effects that others feel at once
  readonly #forgets: boolean; // causal channels do not wait for who has crashed
  readonly #tally: Tally;
  readonly #counts: boolean; // messages
  readonly #groups: number[] = []; // of items

  constructor(question: Question) {
    const { alike, bypass, capacity, crashes, scrambled, setup } = question;
    const { algorithm, n } = setup;
    this.question = question;
    this.#n = n;
    this.states = new Sites(question);
    this.liveness = new NetworkLiveness(question, this);
    // Not where a channel that gets free lets a timer of another process end, nor where processes change places.
    this.sleep = capacity === Infinity && !alike ? new Sleep(this.states) : null;
    this.isAmple = question.ample;
    this.early = question.early ? new Early(this.states) : null;
    this.prologue = [
      ...(algorithm.begin ? [{ kind: 'begin' } as const] : []),
      ...(scrambled ? [{ kind: 'corrupt' } as const] : []),
    ];
    this.request = { kind: 'call', name: algorithm.problem === 'mutex' ? 'request' : 'start' };
    this.#tally = new Tally(question);
    this.variables = this.#tally.groups.map(() => 0);
    this.#counts = this.variables.length > 0;
    this.lemmas = (question.lemmas && algorithm.invariants) || {};
    this.#felt = ~allFlags | (bypass.length > 0 ? flag.enters : 0);
    this.#forgets = this.states.parts.causal && crashes > 0;
  }

  /** There is room on every channel on which it would send. */
  mayEnd(worlds: Int32Array, offset: number, i: Pid, at: number): boolean {
    const { capacity } = this.question;
    const { table } = this.states.effects;
    const end = capacity < Infinity ? this.states.effects.after(at) : at;
    for (let send = at + effect.size; send < end; send += 2) {
      const site = worlds[offset + this.#position(i, table[send]!)]!;
      if (this.states.parts.heldBeside(site, table[send + 1]!) >= capacity) return false;
    }
    return true;
  }

  /** Where something is that process i names. */
  #position(i: Pid, named: number): Pid {
    return this.states.parts.alike ? (i + named) % this.#n : named;
  }

  /** Its changes are messages: the receiver and the item of each. */
  apply(expansion: Expansion, base: number, i: Pid, at: number, before: number, asleep: number): number {
    const { next } = expansion;
    const { table } = this.states.effects;
    const { parts } = this.states;
    const flags = table[at + effect.flags]!;
    const isFelt = (flags & this.#felt) !== 0;
    if (isFelt) this.#feel(next, base, i, flags);
    let still = isFelt || asleep === 0 ? 0 : this.sleep!.after(before, i, at, asleep);
    const end = at + effect.size + 2 * table[at + effect.changes]!;
    for (let send = at + effect.size; send < end; send += 2) {
      const to = this.#position(i, table[send]!);
      const cell = parts.arrivalAt(next[base + to]!, table[send + 1]!);
      const after = parts.arrivals.valueAt(cell);
      if (still !== 0) still = this.sleep!.afterArrival(next[base + to]!, to, cell, still);
      next[base + to] = after;
      if (this.#counts) this.#count(next, base, table[send + 1]!);
    }
    return this.#forgets && this.#forget(next, base, i, at) ? 0 : still;
  }

  #count(worlds: Int32Array, base: number, item: number): void {
    this.#groups[item] ??= this.#tally.groupOf(this.states.parts.items.of(item).message);
    if (this.#groups[item] >= 0) worlds[base + this.#n + this.#groups[item]]! += 1;
  }

  /** Others feel an effect at process i at once: they no longer wait for a message that arrived or was lost, or they were passed by. */
  #feel(next: Int32Array, base: number, i: Pid, flags: number): void {
    const place = shiftIn(flags);
    for (let j = 0; j < this.#n && place >= 0; j += 1)
      if (j !== i) next[base + j] = this.states.parts.shifted(next[base + j]!, place);
    if ((flags & this.#felt & flag.enters) !== 0) this.#pass(next, base, i);
  }

  /** What was sent to who has crashed, or just crashes, is waited for by nobody; true if there is such a thing. */
  #forget(next: Int32Array, base: number, i: Pid, at: number): boolean {
    const { table } = this.states.effects;
    const { parts } = this.states;
    const gone = (table[at + effect.flags]! & flag.crash) !== 0 ? [i] : [];
    for (let send = at + effect.size; send < this.states.effects.after(at); send += 2) {
      const to = table[send]!;
      if (parts.userOf(next[base + to]!).phase === 'crashed') gone.push(to);
    }
    for (const process of gone)
      for (let j = 0; j < this.#n; j += 1) next[base + j] = parts.forgetting(next[base + j]!, process);
    return gone.length > 0;
  }

  /** Process i has entered: who waits has been passed by once more. */
  #pass(worlds: Int32Array, base: number, i: Pid): void {
    const { bypass } = this.question;
    const { parts } = this.states;
    const asking = askingIn(this.view(worlds, base));
    const anybody = asking.some((requests) => requests > 0);
    for (let j = 0; j < this.#n; j += 1) {
      if (j === i || parts.userOf(worlds[base + j]!).phase !== 'waiting') continue;
      const doesCount = { request: true, heard: asking[j] === 0, quiet: !anybody };
      const counts = bypass.reduce((bits, { from }, k) => bits | (doesCount[from] ? 1 << k : 0), 0);
      worlds[base + j] = parts.passed(worlds[base + j]!, counts);
    }
  }

  /** Time passes if nothing must happen before, and if there is something to wait for. */
  complete(expansion: Expansion, worlds: Int32Array, offset: number): void {
    const { parts } = this.states;
    if (!parts.timed) return;
    let isAwaited = false;
    let mayStart = false;
    for (let i = 0; i < this.#n; i += 1) {
      const site = worlds[offset + i]!;
      if (parts.ticked(site) < 0) return;
      if (parts.awaits(site)) isAwaited = true;
      if (parts.userOf(site).left > 0) mayStart = true;
    }
    if (!isAwaited && !(mayStart && this.question.setup.clocks !== null)) return;
    if (isAwaited) expansion.mustGoOn = true;
    const base = expansion.append(worlds, offset, -1, 0, mark.none);
    for (let i = 0; i < this.#n; i += 1) expansion.next[base + i] = parts.ticked(worlds[offset + i]!);
  }

  isAtRest(worlds: Int32Array, offset: number): boolean {
    const { states } = this;
    for (let i = 0; i < this.#n; i += 1) {
      const site = worlds[offset + i]!;
      if (states.mustGoOn(site) || (states.parts.timed && states.parts.awaits(site))) return false;
    }
    return true;
  }

  atRest(worlds: Int32Array, offset: number): Violation | null {
    return this.#overBound('broken', worlds, offset) ?? this.liveness.atRest(worlds, offset);
  }

  exceeded(worlds: Int32Array, offset: number): Violation | null {
    return this.#overBound('exceeded', worlds, offset);
  }

  #overBound(how: 'broken' | 'exceeded', worlds: Int32Array, offset: number): Violation | null {
    if (!this.#counts) return null;
    const counts = worlds.subarray(offset + this.#n, offset + this.#n + this.variables.length);
    return this.#tally[how](usersIn(this, worlds, offset), counts);
  }

  view(worlds: Int32Array, offset: number): World<unknown, Message> {
    return worldAt(this.question, this.states.parts, worlds, offset);
  }

  traceOf(steps: readonly Step<Move>[], verdict: string, loop?: number): Trace {
    return networkTraceOf(this, steps, verdict, loop);
  }
}
