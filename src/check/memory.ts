import type { Pid } from '../core/algorithm.ts';
import { isSection, type Memory, put, type SharedWorld } from '../core/shared.ts';
import type { Violation } from '../problems/monitor.ts';
import { neverBack, starved } from '../problems/mutex.ts';
import { expansionOf } from './expansion.ts';
import { brokenMutex, mutexWitness, mutexWitnesses, stuckMutex } from './judge.ts';
import {
  type Expansion,
  type Goal,
  type Liveness,
  type Model,
  mark,
  type Prologue,
  type Step,
} from './model.ts';
import type { Novelty } from './novelty.ts';
import {
  effect,
  flag,
  type Local,
  move,
  next,
  Programs,
  plan,
  type SharedMove,
  sharedMoves,
} from './programs.ts';
import type { Question } from './question.ts';
import { sharedTraceOf } from './shared-trace.ts';

const longestRound = 1000; // steps; who has not come round after that is taken to get somewhere

/** Worlds of processes that share memory: the local state of each, the registers and, where there are crashes, how many may still come. */
export class SharedModel implements Model<SharedMove> {
  readonly width: number;
  readonly expansion: Expansion;
  readonly commutes = false; // two processes may write the same register
  readonly early = null;
  readonly witnesses: readonly string[];
  readonly liveness: Liveness;
  readonly #question: Question;
  readonly #programs: Programs;
  readonly #n: number;
  readonly #crashesAt: number; // where in a world; -1 if there are none

  constructor(question: Question) {
    const { setup, crashes } = question;
    this.#question = question;
    this.#n = setup.n;
    this.#programs = new Programs(question);
    const numbers = setup.n + this.#programs.registers.length;
    this.#crashesAt = crashes > 0 ? numbers : -1;
    this.width = numbers + (crashes > 0 ? 1 : 0);
    this.witnesses = setup.entries === Infinity ? mutexWitnesses.slice(0, 1) : mutexWitnesses;
    this.liveness = {
      goals: Array.from({ length: setup.n }, (_, i) => this.#goal(i)),
      dutyOf: (process, what) => this.#dutyOf(process, what),
      postponed: () => [],
    };
    const most = 2 * setup.n; // a step and a crash of each
    this.expansion = expansionOf(this.width, most);
  }

  *initial(): Iterable<Prologue<SharedMove>> {
    const { setup, together, crashes } = this.#question;
    const { starts, entries } = setup;
    const programs = this.#programs;
    const left = Array<number>(this.#n).fill(0);
    for (let k = 0; k < starts.count; k += 1) left[starts.of(k).process] = entries;
    const world = new Int32Array(this.width);
    left.forEach((times, i) => {
      world[i] = programs.atRest(i, times);
    });
    programs.registers.forEach(({ value }, k) => {
      world[this.#n + k] = programs.value(value);
    });
    if (this.#crashesAt >= 0) world[this.#crashesAt] = crashes;
    const moves: Step<SharedMove>[] = [];
    for (let i = 0; i < this.#n && together; i += 1) {
      if (left[i] === 0) continue;
      const request = programs.plans[programs.planOf(world[i]!) + plan.detail]!;
      world[i] = programs.effects[request + effect.local]!;
      moves.push(this.stepOf(i, request));
    }
    yield { world, moves, violation: null };
  }

  expand(worlds: Int32Array, offset: number): void {
    const programs = this.#programs;
    const { expansion } = this;
    const mayCrash = this.#crashesAt >= 0 && worlds[offset + this.#crashesAt]! > 0;
    expansion.count = 0;
    let doesAnythingMatter = false;
    for (let i = 0; i < this.#n; i += 1) {
      const at = programs.planOf(worlds[offset + i]!);
      const kind = programs.plans[at + plan.kind]!;
      const crash = programs.plans[at + plan.crash]!;
      if (kind !== next.nothing) {
        const what = this.#effectAt(worlds, offset, worlds[offset + i]!, at);
        this.#apply(worlds, offset, i, what);
        if (kind !== next.free && this.#matters(worlds, offset, what)) doesAnythingMatter = true;
      }
      if (mayCrash && crash > 0) this.#crash(worlds, offset, i, crash);
    }
    expansion.mustGoOn = doesAnythingMatter || this.#doesAnyoneGetOn(worlds, offset);
  }

  expandSome(): boolean {
    return false;
  }

  expandEarly(): number {
    return -1;
  }

  expandAsIs(worlds: Int32Array, offset: number): void {
    this.expand(worlds, offset);
  }

  /** What the plan at `at` of a local state comes to, with the registers of this world. */
  #effectAt(worlds: Int32Array, offset: number, local: number, at: number): number {
    const { plans } = this.#programs;
    const detail = plans[at + plan.detail]!;
    if (plans[at + plan.kind] !== next.read) return detail;
    return this.#programs.read(local, detail, worlds[offset + this.#n + detail]!);
  }

  #apply(worlds: Int32Array, offset: number, i: number, what: number): void {
    const { expansion, width } = this;
    const { effects } = this.#programs;
    const k = expansion.count;
    const base = k * width;
    for (let j = 0; j < width; j += 1) expansion.next[base + j] = worlds[offset + j]!;
    expansion.next[base + i] = effects[what + effect.local]!;
    const register = effects[what + effect.register]!;
    if (register > 0) expansion.next[base + this.#n + register - 1] = effects[what + effect.value]!;
    expansion.via[2 * k] = i;
    expansion.via[2 * k + 1] = what;
    expansion.marks[k] =
      effects[what + effect.violation]! > 0
        ? mark.broken
        : (effects[what + effect.flags]! & flag.tells) !== 0
          ? mark.told
          : mark.none;
    expansion.count = k + 1;
  }

  #crash(worlds: Int32Array, offset: number, i: number, what: number): void {
    const base = this.expansion.count * this.width;
    this.#apply(worlds, offset, i, what);
    for (const { register, value } of this.#programs.owned[i]!)
      this.expansion.next[base + this.#n + register] = value;
    this.expansion.next[base + this.#crashesAt]! -= 1;
  }

  /** Whether others or the application can see the difference. */
  #matters(worlds: Int32Array, offset: number, what: number): boolean {
    const { effects } = this.#programs;
    if ((effects[what + effect.flags]! & flag.ends) !== 0) return true;
    const register = effects[what + effect.register]!;
    return register > 0 && worlds[offset + this.#n + register - 1] !== effects[what + effect.value];
  }

  /**
   * Who waits takes steps all the same, so steps never cease. Nothing is bound to happen, though, if all go round reading what nobody
   * will change: no step matters now, and while none does, each goes on as if it were alone.
   */
  #doesAnyoneGetOn(worlds: Int32Array, offset: number): boolean {
    for (let i = 0; i < this.#n; i += 1) if (this.#getsOn(worlds, offset, worlds[offset + i]!)) return true;
    return false;
  }

  /** Whether a process alone comes to a step that matters, instead of coming round to where it was. */
  #getsOn(worlds: Int32Array, offset: number, from: number): boolean {
    const programs = this.#programs;
    let local = from;
    let seen = from;
    for (let steps = 1, mark = 1; steps <= longestRound; steps += 1) {
      const at = programs.planOf(local);
      const kind = programs.plans[at + plan.kind]!;
      if (kind === next.nothing || kind === next.free) return false;
      const what = this.#effectAt(worlds, offset, local, at);
      if (this.#matters(worlds, offset, what)) return true;
      local = programs.effects[what + effect.local]!;
      if (local === seen) return false;
      if (steps === mark) {
        seen = local;
        mark *= 2;
      }
    }
    return true;
  }

  canonise(): void {}

  brokenBy(_: number, what: number): Violation | null {
    const violation = this.#programs.effects[what + effect.violation]!;
    return violation === 0 ? null : this.#programs.violations[violation - 1]!;
  }

  broken(worlds: Int32Array, offset: number): Violation | null {
    return brokenMutex(this.#users(worlds, offset));
  }

  isAtRest(worlds: Int32Array, offset: number): boolean {
    this.expand(worlds, offset);
    return !this.expansion.mustGoOn;
  }

  atRest(worlds: Int32Array, offset: number): Violation | null {
    const isAway = this.#locals(worlds, offset).some(({ at }) => at !== 'noncritical section');
    return stuckMutex(this.#users(worlds, offset), 'write') ?? (isAway ? neverBack : null);
  }

  /** That process i comes to a section: to the critical one if it waits, and otherwise back. */
  #goal(i: Pid): Goal {
    const local = (worlds: Int32Array, offset: number) => this.#programs.locals.of(worlds[offset + i]!);
    return {
      isDue: (worlds, offset) => !isSection(local(worlds, offset).at),
      never: (worlds, offset) =>
        local(worlds, offset).user.phase === 'waiting' ? starved(i, 'everybody goes on') : neverBack,
      lost: null,
    };
  }

  /** Everybody goes on who is not in its noncritical section. */
  #dutyOf(process: Pid, what: number): number {
    const kind = this.#programs.effects[what + effect.move]!;
    return kind === move.step || kind === move.release ? process : -1;
  }

  brokenLemma(worlds: Int32Array, offset: number): Violation | null {
    const { invariants = {} } = this.#question.setup.algorithm;
    const world = this.#worldAt(worlds, offset);
    for (const lemma in invariants) {
      if (!invariants[lemma]!(world as never)) return { property: lemma, why: 'it fails in the last world' };
    }
    return null;
  }

  witnessed(worlds: Int32Array, offset: number): number {
    return mutexWitness(this.#users(worlds, offset));
  }

  stepOf(process: number, what: number): Step<SharedMove> {
    return { process, move: sharedMoves[this.#programs.effects[what + effect.move]!]!, coins: [] };
  }

  traceOf(steps: readonly Step<SharedMove>[], verdict: string, loop?: number) {
    return sharedTraceOf(this.#question.setup, steps, verdict, loop);
  }

  /** Lines at which nobody ever is. */
  get unused(): readonly string[] {
    const used = new Set(this.#programs.locals.values.map(({ at }) => at));
    return this.#programs.lines.filter((line) => !used.has(line));
  }

  get novelty(): Novelty {
    return this.#programs.novelty;
  }

  get executions(): number {
    return this.#programs.executions;
  }

  get bytes(): number {
    return this.#programs.bytes;
  }

  held(): number {
    return this.#programs.locals.bytes + this.expansion.next.byteLength;
  }

  #locals(worlds: Int32Array, offset: number): Local[] {
    return Array.from({ length: this.#n }, (_, i) => this.#programs.locals.of(worlds[offset + i]!));
  }

  #users(worlds: Int32Array, offset: number) {
    return this.#locals(worlds, offset).map(({ user }) => user);
  }

  /** The world as algorithms see it. */
  #worldAt(worlds: Int32Array, offset: number): SharedWorld<Memory, unknown, string> {
    const { registers, values } = this.#programs;
    const memory = this.#programs.memory();
    registers.forEach(({ name, index }, k) => {
      put(memory, name, index, values.of(worlds[offset + this.#n + k]!));
    });
    return { memory, processes: this.#locals(worlds, offset) };
  }
}
