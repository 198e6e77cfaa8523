import type { Pid } from '../../core/algorithm.ts';
import { isSection, type Memory, put, type SharedWorld } from '../../core/shared-algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { Violation } from '../../problems/monitor.ts';
import { releaseNeverEnds, starved } from '../../problems/mutex-monitor.ts';
import type { CheckConfig } from '../config.ts';
import { effectField, listHeader, listTrait } from '../model/effect-table.ts';
import type { LivenessAssumptions, LivenessGoal, Medium, Step } from '../model/medium.ts';
import type { Successors } from '../model/successors.ts';
import { memoryTrace } from '../path.ts';
import { type MemoryAction, type ProgramState, Programs } from './programs.ts';

const longestSpin = 1000; // steps; who has not come round after that is taken to get somewhere

/** Registers that processes share. The state of a process is its local state; the variables are the values of the registers. */
export class SharedMemory implements Medium<MemoryAction> {
  readonly config: CheckConfig;
  readonly states: Programs;
  readonly variables: readonly number[];
  readonly prologue = [];
  readonly request: MemoryAction = { kind: 'call', name: 'request' };
  readonly liveness: LivenessAssumptions;
  readonly sleepSets = null; // two processes may write the same register
  readonly hasAmpleSets = false;
  readonly earlyDelivery = null;
  readonly lemmas: Medium['lemmas'];
  readonly help = 'write';
  readonly mayFire = (): boolean => true;
  readonly exceeded = (): null => null;
  readonly #n: number;

  constructor(config: CheckConfig) {
    const { algorithm, n } = config.setup;
    this.config = config;
    this.#n = n;
    this.states = new Programs(config);
    this.variables = this.states.registers.map(({ value }) => this.states.value(value));
    this.liveness = {
      goals: Array.from({ length: n }, (_, i) => this.#goal(i)),
      isIllegitimate: () => false,
      fairActionOf: (process, effect) => (this.states.effects.isOptional(effect) ? -1 : process),
      postponed: () => [],
    };
    this.lemmas = (config.lemmas && algorithm.invariants) || {};
  }

  /** Its changes are writes: where the register is, and the value. */
  apply(expansion: Successors, base: number, _: Pid, at: number): number {
    const { next } = expansion;
    const { table } = this.states.effects;
    const end = at + effectField.size + 2 * table[at + effectField.changes]!;
    const isFree = this.states.effects.isOptional(at);
    for (let write = at + effectField.size; write < end; write += 2) {
      const place = base + table[write]!;
      if (!isFree && next[place] !== table[write + 1]) expansion.mustContinue = true;
      next[place] = table[write + 1]!;
    }
    return 0;
  }

  /** Whether an effect writes another value than a register has in this world. */
  #changes(worlds: Int32Array, offset: number, at: number): boolean {
    const { table } = this.states.effects;
    const end = at + effectField.size + 2 * table[at + effectField.changes]!;
    for (let write = at + effectField.size; write < end; write += 2)
      if (worlds[offset + table[write]!] !== table[write + 1]) return true;
    return false;
  }

  /** No step is progress by itself, but processes may get to one that is. */
  complete(expansion: Successors, worlds: Int32Array, offset: number): void {
    expansion.mustContinue ||= !this.isQuiescent(worlds, offset);
  }

  /**
   * Who waits takes steps all the same, so steps never cease. Nothing is bound to happen, though, if all go round reading what nobody
   * will change: no step matters now, and while none does, each goes on as if it were alone.
   */
  isQuiescent(worlds: Int32Array, offset: number): boolean {
    for (let i = 0; i < this.#n; i += 1)
      if (this.#makesProgress(worlds, offset, worlds[offset + i]!)) return false;
    return true;
  }

  /** Whether a process alone comes to a step that matters, instead of coming round to where it was. */
  #makesProgress(worlds: Int32Array, offset: number, from: number): boolean {
    let local = from;
    let seen = from;
    for (let steps = 1, mark = 1; steps <= longestSpin; steps += 1) {
      const list = this.states.enabled(local, worlds, offset);
      const { table } = this.states.effects;
      const at = list + listHeader;
      if ((table[list + 1]! & listTrait.mustContinue) !== 0) return true;
      if (table[list] === 0 || this.states.effects.isOptional(at)) return false;
      if (this.#changes(worlds, offset, at)) return true;
      local = table[at + effectField.state]!;
      if (local === seen) return false;
      if (steps === mark) {
        seen = local;
        mark *= 2;
      }
    }
    return true;
  }

  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return this.#locals(worlds, offset).some(({ at }) => at !== 'noncritical section')
      ? releaseNeverEnds
      : null;
  }

  /** That process i comes to a section: to the critical one if it waits, and otherwise back. */
  #goal(i: Pid): LivenessGoal {
    const local = (worlds: Int32Array, offset: number) => this.states.locals.of(worlds[offset + i]!);
    const isWaiting = ({ client }: ProgramState) => this.states.clients.of(client).phase === 'waiting';
    return {
      isDue: (worlds, offset) => !isSection(local(worlds, offset).at),
      violation: (worlds, offset) =>
        isWaiting(local(worlds, offset)) ? starved(i, 'everybody goes on') : releaseNeverEnds,
      violationIfLost: null,
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

  #locals(worlds: Int32Array, offset: number): ProgramState[] {
    return Array.from({ length: this.#n }, (_, i) => this.states.locals.of(worlds[offset + i]!));
  }

  traceOf(steps: readonly Step<MemoryAction>[], verdict: string, loop?: number): Trace {
    return memoryTrace(this.config, steps, verdict, loop);
  }
}
