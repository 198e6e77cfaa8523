import type { Pid } from '../core/algorithm.ts';
import { isSection, type Memory, put, type SharedWorld } from '../core/shared.ts';
import type { Trace } from '../core/trace.ts';
import type { Violation } from '../problems/monitor.ts';
import { neverBack, starved } from '../problems/mutex.ts';
import { sharedTraceOf } from './counterexample.ts';
import { effect, first, trait } from './effects.ts';
import type { Expansion } from './expansion.ts';
import type { Goal, Liveness, Medium, Step } from './medium.ts';
import { type Local, Programs, type SharedMove } from './programs.ts';
import type { Question } from './question.ts';

const longestRound = 1000; // steps; who has not come round after that is taken to get somewhere

/** Registers that processes share. The state of a process is its local state; the variables are the values of the registers. */
export class SharedMemory implements Medium<SharedMove> {
  readonly question: Question;
  readonly states: Programs;
  readonly variables: readonly number[];
  readonly prologue = [];
  readonly request: SharedMove = { kind: 'call', name: 'request' };
  readonly liveness: Liveness;
  readonly sleep = null; // two processes may write the same register
  readonly isAmple = false;
  readonly early = null;
  readonly lemmas: Medium['lemmas'];
  readonly help = 'write';
  readonly mayEnd = (): boolean => true;
  readonly exceeded = (): null => null;
  readonly #n: number;

  constructor(question: Question) {
    const { algorithm, n } = question.setup;
    this.question = question;
    this.#n = n;
    this.states = new Programs(question);
    this.variables = this.states.registers.map(({ value }) => this.states.value(value));
    this.liveness = {
      goals: Array.from({ length: n }, (_, i) => this.#goal(i)),
      isUnsettled: () => false,
      dutyOf: (process, what) => (this.states.effects.isFree(what) ? -1 : process),
      postponed: () => [],
    };
    this.lemmas = (question.lemmas && algorithm.invariants) || {};
  }

  /** Its changes are writes: where the register is, and the value. */
  apply(expansion: Expansion, base: number, _: Pid, at: number): number {
    const { next } = expansion;
    const { table } = this.states.effects;
    const end = at + effect.size + 2 * table[at + effect.changes]!;
    const isFree = this.states.effects.isFree(at);
    for (let write = at + effect.size; write < end; write += 2) {
      const place = base + table[write]!;
      if (!isFree && next[place] !== table[write + 1]) expansion.mustGoOn = true;
      next[place] = table[write + 1]!;
    }
    return 0;
  }

  /** Whether an effect writes another value than a register has in this world. */
  #changes(worlds: Int32Array, offset: number, at: number): boolean {
    const { table } = this.states.effects;
    const end = at + effect.size + 2 * table[at + effect.changes]!;
    for (let write = at + effect.size; write < end; write += 2)
      if (worlds[offset + table[write]!] !== table[write + 1]) return true;
    return false;
  }

  /** No step is progress by itself, but processes may get to one that is. */
  complete(expansion: Expansion, worlds: Int32Array, offset: number): void {
    expansion.mustGoOn ||= !this.isAtRest(worlds, offset);
  }

  /**
   * Who waits takes steps all the same, so steps never cease. Nothing is bound to happen, though, if all go round reading what nobody
   * will change: no step matters now, and while none does, each goes on as if it were alone.
   */
  isAtRest(worlds: Int32Array, offset: number): boolean {
    for (let i = 0; i < this.#n; i += 1) if (this.#getsOn(worlds, offset, worlds[offset + i]!)) return false;
    return true;
  }

  /** Whether a process alone comes to a step that matters, instead of coming round to where it was. */
  #getsOn(worlds: Int32Array, offset: number, from: number): boolean {
    let local = from;
    let seen = from;
    for (let steps = 1, mark = 1; steps <= longestRound; steps += 1) {
      const list = this.states.enabled(local, worlds, offset);
      const { table } = this.states.effects;
      const at = list + first;
      if ((table[list + 1]! & trait.mustGoOn) !== 0) return true;
      if (table[list] === 0 || this.states.effects.isFree(at)) return false;
      if (this.#changes(worlds, offset, at)) return true;
      local = table[at + effect.state]!;
      if (local === seen) return false;
      if (steps === mark) {
        seen = local;
        mark *= 2;
      }
    }
    return true;
  }

  atRest(worlds: Int32Array, offset: number): Violation | null {
    return this.#locals(worlds, offset).some(({ at }) => at !== 'noncritical section') ? neverBack : null;
  }

  /** That process i comes to a section: to the critical one if it waits, and otherwise back. */
  #goal(i: Pid): Goal {
    const local = (worlds: Int32Array, offset: number) => this.states.locals.of(worlds[offset + i]!);
    const isWaiting = ({ user }: Local) => this.states.users.of(user).phase === 'waiting';
    return {
      isDue: (worlds, offset) => !isSection(local(worlds, offset).at),
      never: (worlds, offset) =>
        isWaiting(local(worlds, offset)) ? starved(i, 'everybody goes on') : neverBack,
      lost: null,
    };
  }

  view(worlds: Int32Array, offset: number): SharedWorld<Memory, unknown, string> {
    const { registers, values } = this.states;
    const memory = this.states.memory();
    registers.forEach(({ name, index }, k) => {
      put(memory, name, index, values.of(worlds[offset + this.#n + k]!));
    });
    return { memory, processes: this.#locals(worlds, offset) };
  }

  #locals(worlds: Int32Array, offset: number): Local[] {
    return Array.from({ length: this.#n }, (_, i) => this.states.locals.of(worlds[offset + i]!));
  }

  traceOf(steps: readonly Step<SharedMove>[], verdict: string, loop?: number): Trace {
    return sharedTraceOf(this.question, steps, verdict, loop);
  }
}
