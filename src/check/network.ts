import type { Message, Pid, World } from '../core/algorithm.ts';
import type { Violation } from '../problems/monitor.ts';
import { budgetOf, costs, isAffordable, priceOf } from './budget.ts';
import { networkTraceOf } from './counterexample.ts';
import { Early } from './early.ts';
import { expansionOf, makeRoom } from './expansion.ts';
import { Jury } from './jury.ts';
import { NetworkLiveness } from './liveness.ts';
import { type Choose, type Expansion, type Model, mark, type Prologue, type Step } from './model.ts';
import type { Novelty } from './novelty.ts';
import type { Move } from './outcomes.ts';
import type { Question } from './question.ts';
import { rotate, toldOf } from './rotation.ts';
import { effect, first, flag, Sites, shiftIn, trait } from './sites.ts';
import { Sleep } from './sleep.ts';
import { Tally } from './tally.ts';
import { askingIn, worldAt } from './world.ts';

type Plan = readonly { process: Pid; move: Move }[];

/** Worlds of processes that send messages: a site for each and, where something may go wrong, how much of it still may. */
export class Network implements Model<Move> {
  readonly width: number;
  readonly sites: Sites;
  readonly expansion: Expansion;
  readonly witnesses: readonly string[];
  readonly liveness: NetworkLiveness;
  readonly commutes: boolean;
  readonly early: Early | null;
  readonly held = (): number => this.sites.held + this.expansion.next.byteLength;
  #isCanonical: boolean; // successors are given in canonical form
  readonly #question: Question;
  readonly #n: number;
  readonly #budget: number;
  readonly #limits: number; // flags of effects that are not always possible
  readonly #forgets: boolean; // causal channels do not wait for who has crashed
  readonly #jury: Jury;
  readonly #rotation: Int32Array;
  readonly #tally: Tally;
  readonly #countsAt: number; // where a world has the messages sent so far, by groups
  readonly #groups: number[] = []; // of items
  readonly #sleep: Sleep;
  #maySleep = false;

  constructor(question: Question) {
    const { setup } = question;
    const { n } = setup;
    this.#question = question;
    this.#n = n;
    this.#budget = budgetOf(question);
    this.#limits = costs | (question.capacity < Infinity ? flag.timer : 0);
    this.#tally = new Tally(question);
    this.#countsAt = n + (this.#budget > 0 ? 1 : 0);
    this.width = this.#countsAt + this.#tally.groups.length;
    this.sites = new Sites(question);
    this.#sleep = new Sleep(this.sites);
    this.early = question.early ? new Early(this.sites) : null;
    this.#isCanonical = question.alike;
    // Not where a channel that gets free lets a timer of another process end, nor where processes change places.
    this.commutes = question.capacity === Infinity && !question.alike;
    this.#forgets = this.sites.parts.causal && question.crashes > 0;
    this.#jury = new Jury(this.sites.parts);
    this.witnesses = this.#jury.witnesses;
    this.liveness = new NetworkLiveness(question, this);
    this.#rotation = new Int32Array(2 * n);
    this.expansion = expansionOf(this.width, 64);
  }

  *initial(choose: Choose = (all) => all): Iterable<Prologue<Move>> {
    const { setup, together, scrambled } = this.#question;
    const { algorithm, starts, entries } = setup;
    const mutex = algorithm.problem === 'mutex';
    const world = new Int32Array(this.width);
    const left = new Int32Array(this.#n);
    for (let k = 0; k < starts.count; k += 1) left[starts.of(k).process] = mutex ? entries : 1;
    for (let i = 0; i < this.#n; i += 1) world[i] = this.sites.initial(i, left[i]!);
    if (this.#budget > 0) world[this.#n] = this.#budget;
    const all = Array.from({ length: this.#n }, (_, i) => i);
    const call = { kind: 'call', name: mutex ? 'request' : 'start' } as const;
    const plan: Plan = [
      ...(algorithm.begin ? all.map((process) => ({ process, move: { kind: 'begin' } as const })) : []),
      ...(scrambled ? all.map((process) => ({ process, move: { kind: 'corrupt' } as const })) : []),
      ...(together ? all.filter((i) => left[i]! > 0).map((process) => ({ process, move: call })) : []),
    ];
    yield* this.#follow(plan, { world, moves: [], violation: null }, choose);
  }

  *#follow(plan: Plan, now: Prologue<Move>, choose: Choose): Iterable<Prologue<Move>> {
    const [first, ...rest] = plan;
    if (first === undefined || now.violation !== null) {
      yield now;
      return;
    }
    const { process, move } = first;
    const { parts, outcomes } = this.sites;
    const site = now.world[process]!;
    for (const outcome of choose(outcomes.of(parts.localOf(site), outcomes.move(move)))) {
      const world = now.world.slice();
      world[process] = parts.site(outcome.local, parts.inboxNumberOf(site));
      for (let k = 0; k < outcome.sends.length; k += 2) {
        const to = this.#position(process, outcome.sends[k]!);
        world[to] = parts.withArrival(world[to]!, outcome.sends[k + 1]!);
        if (this.#countsAt < this.width) this.#count(world, 0, outcome.sends[k + 1]!);
      }
      if (outcome.enters && this.#question.bypass.length > 0) this.#pass(world, 0, process);
      const moves = [...now.moves, { process, move, coins: outcome.coins }];
      const violation = outcome.violation ?? (outcome.tells ? this.broken(world, 0) : null);
      yield* this.#follow(rest, { world, moves, violation }, choose);
    }
  }

  /** Where something is that process i names. */
  #position(i: Pid, named: number): Pid {
    return this.sites.parts.alike ? (i + named) % this.#n : named;
  }

  /**
   * Sleep sets (P. Godefroid, 1996). If two events that are possible in a world commute, both orders of them lead to the same world. Events are
   * taken in turn; after each of them those taken before it, and those that were asleep already, sleep if they commute with it:
   * what happens then has been seen the other way round.
   */
  expand(worlds: Int32Array, offset: number, asleep: number | null): void {
    const { sites, expansion } = this;
    expansion.count = 0;
    expansion.mustGoOn = false;
    this.#maySleep = asleep !== null && !expansion.isLast;
    let sleeping = asleep ?? 0;
    for (let i = 0; i < this.#n; i += 1) {
      this.early?.effectAt(worlds[offset + i]!); // it has to know of all that happens
      const start = sites.effectsOf(worlds[offset + i]!);
      if ((sites.effects[start + 1]! & trait.mustGoOn) !== 0) expansion.mustGoOn = true;
      sleeping = this.#expandAt(worlds, offset, i, start, sleeping);
    }
    if (sites.parts.timed) this.#tick(worlds, offset);
  }

  /**
   * Ample sets (D. Peled, 1993). Where nothing that happens elsewhere adds to what can happen at a process, its events commute with all that
   * others do before them: they may as well come first.
   */
  expandSome(worlds: Int32Array, offset: number, asleep: number | null): boolean {
    const { sites, expansion } = this;
    if (!this.#question.ample) return false;
    this.#maySleep = asleep !== null && !expansion.isLast;
    for (let i = 0; i < this.#n; i += 1) {
      const start = sites.effectsOf(worlds[offset + i]!);
      if (sites.effects[start + 1] !== (trait.closed | trait.mustGoOn)) continue;
      expansion.count = 0;
      expansion.mustGoOn = true;
      this.#expandAt(worlds, offset, i, start, asleep ?? 0);
      return true;
    }
    return false;
  }

  /** The last process first: in a ring with descending ids, where most can happen, that leaves the fewest worlds. */
  expandEarly(worlds: Int32Array, offset: number): number {
    const { early, expansion } = this;
    for (let i = this.#n - 1; early !== null && i >= 0; i -= 1) {
      const site = worlds[offset + i]!;
      const at = early.effectAt(site);
      if (at === 0) continue;
      expansion.count = 0;
      expansion.mustGoOn = true;
      this.#apply(worlds, offset, i, at, 0);
      return early.claimAt(site);
    }
    return -1;
  }

  expandAsIs(worlds: Int32Array, offset: number): void {
    this.#isCanonical = false;
    this.expand(worlds, offset, null);
    this.#isCanonical = this.sites.parts.alike;
  }

  #expandAt(worlds: Int32Array, offset: number, i: Pid, start: number, asleep: number): number {
    const { effects } = this.sites;
    const { sleepers } = this.#sleep;
    let sleeping = asleep;
    let at = start + first;
    for (let k = 0; k < effects[start]!; k += 1) {
      const bit = k < sleepers ? 1 << (sleepers * i + k) : 0;
      const isAwake = (asleep & bit) === 0;
      if (
        isAwake &&
        ((effects[at + effect.flags]! & this.#limits) === 0 || this.#isPossible(worlds, offset, i, at))
      )
        this.#apply(worlds, offset, i, at, this.#maySleep ? sleeping : 0);
      if (this.#maySleep && this.#sleep.maySleep(at)) sleeping |= bit;
      at += effect.size + 2 * effects[at + effect.sends]!;
    }
    return sleeping;
  }

  /** Adds the world after an effect at process i. */
  #apply(worlds: Int32Array, offset: number, i: Pid, at: number, asleep: number): void {
    const { expansion, sites, width } = this;
    const { effects, parts } = sites;
    const k = expansion.count;
    if (k >= expansion.marks.length) makeRoom(expansion, width);
    const { next } = expansion;
    const base = k * width;
    for (let j = 0; j < width; j += 1) next[base + j] = worlds[offset + j]!;
    next[base + i] = effects[at + effect.site]!;
    const flags = effects[at + effect.flags]!;
    const isFelt = shiftIn(flags) >= 0 || this.#isPassing(flags);
    if (isFelt) this.#feel(base, i, flags);
    let still = isFelt || asleep === 0 ? 0 : this.#sleep.after(worlds[offset + i]!, i, at, asleep);
    const end = at + effect.size + 2 * effects[at + effect.sends]!;
    for (let send = at + effect.size; send < end; send += 2) {
      const to = parts.alike ? (i + effects[send]!) % this.#n : effects[send]!;
      const cell = parts.arrivalAt(next[base + to]!, effects[send + 1]!);
      const after = parts.arrivals.valueAt(cell);
      if (still !== 0) still = this.#sleep.afterArrival(next[base + to]!, to, cell, still);
      next[base + to] = after;
      if (this.#countsAt < width) this.#count(next, base, effects[send + 1]!);
    }
    if (this.#forgets && this.#forget(base, i, at)) still = 0;
    if ((flags & costs) !== 0) next[base + this.#n]! -= priceOf(flags);
    if (this.#isCanonical) this.canonise(next, base);
    expansion.asleep[k] = still;
    expansion.via[2 * k] = i;
    expansion.via[2 * k + 1] = at;
    const isNews = this.#question.scrambled ? mark.told : markOf(flags);
    expansion.marks[k] = (flags & flag.breaks) !== 0 ? mark.broken : isNews;
    expansion.count = k + 1;
  }

  #count(worlds: Int32Array, base: number, item: number): void {
    this.#groups[item] ??= this.#tally.groupOf(this.sites.parts.items.of(item).message);
    if (this.#groups[item] >= 0) worlds[base + this.#countsAt + this.#groups[item]]! += 1;
  }

  /** Others feel an effect at process i at once: a message that arrived is not waited for any more, or who waits was passed by. */
  #feel(base: number, i: Pid, flags: number): void {
    if (shiftIn(flags) >= 0) this.#shift(base, i, shiftIn(flags));
    if (this.#isPassing(flags)) this.#pass(this.expansion.next, base, i);
  }

  /** What was sent to who has crashed, or just crashes, is waited for by nobody; true if there is such a thing. */
  #forget(base: number, i: Pid, at: number): boolean {
    const { effects, parts } = this.sites;
    const { next } = this.expansion;
    const gone = (effects[at + effect.flags]! & flag.crash) !== 0 ? [i] : [];
    for (let k = 0; k < effects[at + effect.sends]!; k += 1) {
      const to = effects[at + effect.size + 2 * k]!;
      if (parts.userOf(next[base + to]!).phase === 'crashed') gone.push(to);
    }
    for (const process of gone)
      for (let j = 0; j < this.#n; j += 1) next[base + j] = parts.forgetting(next[base + j]!, process);
    return gone.length > 0;
  }

  /** Who waits elsewhere is passed by. */
  #isPassing(flags: number): boolean {
    return (flags & flag.enters) !== 0 && this.#question.bypass.length > 0;
  }

  #isPossible(worlds: Int32Array, offset: number, i: Pid, at: number): boolean {
    const { effects, parts } = this.sites;
    const flags = effects[at + effect.flags]!;
    const budget = this.#budget > 0 ? worlds[offset + this.#n]! : 0;
    if ((flags & costs) !== 0) return isAffordable(flags, budget);
    const end = at + effect.size + 2 * effects[at + effect.sends]!;
    for (let send = at + effect.size; send < end; send += 2) {
      const to = this.#position(i, effects[send]!);
      if (parts.heldBeside(worlds[offset + to]!, effects[send + 1]!) >= this.#question.capacity) return false;
    }
    return true;
  }

  /** Nobody need wait any more for the message that arrived at i, or was lost on its way there. */
  #shift(base: number, i: Pid, place: number): void {
    const { next } = this.expansion;
    for (let j = 0; j < this.#n; j += 1)
      if (j !== i) next[base + j] = this.sites.parts.shifted(next[base + j]!, place);
  }

  /** Process i has entered: who waits has been passed by once more. */
  #pass(worlds: Int32Array, base: number, i: Pid): void {
    const { bypass } = this.#question;
    const asking = askingIn(this.worldAt(worlds, base));
    const anybody = asking.some((requests) => requests > 0);
    for (let j = 0; j < this.#n; j += 1) {
      if (j === i || this.sites.parts.userOf(worlds[base + j]!).phase !== 'waiting') continue;
      const doesCount = { request: true, heard: asking[j] === 0, quiet: !anybody };
      const counts = bypass.reduce((bits, { from }, k) => bits | (doesCount[from] ? 1 << k : 0), 0);
      worlds[base + j] = this.sites.parts.passed(worlds[base + j]!, counts);
    }
  }

  /** Time passes if nothing must happen before, and if there is something to wait for. */
  #tick(worlds: Int32Array, offset: number): void {
    const { expansion, width } = this;
    const { parts } = this.sites;
    const { clocks } = this.#question.setup;
    let isAwaited = false;
    let mayStart = false;
    if (expansion.count >= expansion.marks.length) makeRoom(expansion, width);
    const base = expansion.count * width;
    for (let i = 0; i < width; i += 1) {
      const site = worlds[offset + i]!;
      const later = i < this.#n ? parts.ticked(site) : site;
      if (later < 0) return;
      expansion.next[base + i] = later;
      if (i >= this.#n) continue;
      if (parts.awaits(site)) isAwaited = true;
      if (parts.userOf(site).left > 0) mayStart = true;
    }
    if (!isAwaited && !(mayStart && clocks !== null)) return;
    if (isAwaited) expansion.mustGoOn = true;
    if (this.#isCanonical) this.canonise(expansion.next, base);
    expansion.via[2 * expansion.count] = -1;
    expansion.asleep[expansion.count] = 0; // it is no process's own
    expansion.marks[expansion.count] = mark.none;
    expansion.count += 1;
  }

  canonise(worlds: Int32Array, offset: number): void {
    if (this.sites.parts.alike) rotate(worlds, offset, this.#n, this.#rotation);
  }

  brokenBy(process: number, what: number): Violation | null {
    const violation = this.sites.violations.get(what) ?? null;
    return violation !== null && this.sites.parts.alike ? toldOf(process, violation) : violation;
  }

  isAtRest(worlds: Int32Array, offset: number): boolean {
    const { sites } = this;
    for (let i = 0; i < this.#n; i += 1) {
      const site = worlds[offset + i]!;
      if (sites.mustGoOn(site) || (sites.parts.timed && sites.parts.awaits(site))) return false;
    }
    return true;
  }

  broken(worlds: Int32Array, offset: number): Violation | null {
    const { violation } = this.#jury.of(worlds, offset);
    return violation !== null && this.liveness.isUnsettled(worlds, offset) ? null : violation;
  }

  atRest(worlds: Int32Array, offset: number): Violation | null {
    const isWrong = this.#jury.of(worlds, offset).atRest ?? this.#miscount(worlds, offset);
    return isWrong ?? this.liveness.atRest(worlds, offset);
  }

  #miscount(worlds: Int32Array, offset: number): Violation | null {
    if (this.#countsAt === this.width) return null;
    const counts = worlds.subarray(offset + this.#countsAt, offset + this.width);
    return this.#tally.broken(this.#jury.users(worlds, offset), counts);
  }

  brokenLemma(worlds: Int32Array, offset: number): Violation | null {
    const { setup, lemmas } = this.#question;
    const { invariants = {} } = setup.algorithm;
    const world = this.worldAt(worlds, offset);
    for (const lemma in lemmas ? invariants : {}) {
      if (!invariants[lemma]!(world as never)) return { property: lemma, why: 'it fails in the last world' };
    }
    const counts = worlds.subarray(offset + this.#countsAt, offset + this.width);
    return counts.length > 0 ? this.#tally.exceeded(this.#jury.users(worlds, offset), counts) : null;
  }

  witnessed(worlds: Int32Array, offset: number): number {
    return this.#jury.of(worlds, offset).shown;
  }

  stepOf(process: number, what: number): Step<Move> {
    if (process < 0) return { process, move: null, coins: [] };
    return { process, ...this.sites.eventAt(what) };
  }

  traceOf(steps: readonly Step<Move>[], verdict: string, loop?: number) {
    return networkTraceOf(this.#question, this, steps, verdict, loop);
  }

  get unused(): readonly string[] {
    return this.sites.outcomes.unused;
  }

  get novelty(): Novelty {
    return this.sites.parts.novelty;
  }

  get executions(): number {
    return this.sites.outcomes.executions;
  }

  get bytes(): number {
    return this.sites.bytes + this.#sleep.bytes;
  }

  worldAt(worlds: Int32Array, offset: number): World<unknown, Message> {
    return worldAt(this.#question, this.sites.parts, worlds, offset);
  }
}

const markOf = (flags: number): number =>
  (flags & flag.tells) !== 0 ? mark.told : flags === flag.free ? mark.asked : mark.none;
