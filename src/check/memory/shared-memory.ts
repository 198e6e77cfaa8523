import type { Pid } from '../../core/algorithm.ts';
import { isSection, type Memory, put, type SharedWorld } from '../../core/shared-algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { Violation } from '../../problems/monitor.ts';
import { releaseNeverEnds, starved } from '../../problems/mutex-monitor.ts';
import { noClosure, noConvergence } from '../../problems/stabilisation-monitor.ts';
import type { CheckConfig } from '../config.ts';
import { type EffectId, type FairActionId, type ProcessStateId, stateAt, type ValueId } from '../ids.ts';
import { effectField, listTrait } from '../model/effect-table.ts';
import type { LivenessAssumptions, LivenessGoal, Medium, Step } from '../model/medium.ts';
import type { Successors } from '../model/successors.ts';
import { brokenLemma } from '../properties/lemmas.ts';
import { observedMemory } from '../properties/observed-world.ts';
import { memoryTrace } from './memory-trace.ts';
import { type MemoryAction, type ProgramState, Programs } from './programs.ts';

const longestSpin = 1000; // steps; a process that has not repeated a state by then is taken to make progress

/** Processes that share registers. The variables of the medium are the values of the registers. */
export class SharedMemory implements Medium<MemoryAction> {
  readonly config: CheckConfig;
  readonly states: Programs;
  readonly variables: readonly number[];
  readonly prologue: readonly MemoryAction[];
  readonly request: MemoryAction = { kind: 'call', name: 'request' };
  readonly liveness: LivenessAssumptions;
  readonly sleepSets = null; // effects at two processes may access one register, so they do not commute
  readonly hasAmpleSets = false;
  readonly earlyDelivery = null;
  readonly normalise = null;
  readonly help = 'write';
  readonly mayFire = (): boolean => true;
  readonly exceeded = (): null => null;
  readonly #n: number;

  constructor(config: CheckConfig) {
    const { setup, corrupted } = config;
    const { n } = setup;
    this.config = config;
    this.#n = n;
    this.prologue = corrupted ? [{ kind: 'corrupt' }] : [];
    this.states = new Programs(config);
    this.variables = this.states.registers.map(({ value }) => this.states.addValue(value));
    const isIllegitimate = (worlds: Int32Array, offset: number) =>
      corrupted && !setup.algorithm.stabilises!.legitimate(this.view(worlds, offset));
    const own = Array.from({ length: n }, (_, i) => this.#goal(i));
    this.liveness = {
      goals: corrupted ? [legitimacy(isIllegitimate), ...own] : own,
      end: null, // a process that waits goes on reading
      isIllegitimate,
      fairActionOf: (process, effect) =>
        this.states.effects.isOptional(effect) ? -1 : (process as FairActionId),
      postponed: () => [],
    };
  }

  /** The changes of an effect are writes: the position of the register, and the value. */
  apply(successors: Successors, base: number, _: Pid, effect: EffectId): number {
    const { next } = successors;
    const { table } = this.states.effects;
    const end = effect + effectField.size + 2 * table[effect + effectField.changes]!;
    const isOptional = this.states.effects.isOptional(effect);
    for (let write = effect + effectField.size; write < end; write += 2) {
      const register = base + table[write]!;
      if (!isOptional && next[register] !== table[write + 1]) successors.mustContinue = true;
      next[register] = table[write + 1]!;
    }
    return 0;
  }

  /** Says whether an effect writes another value than a register has in this world. */
  #changes(worlds: Int32Array, offset: number, effect: EffectId): boolean {
    const { table } = this.states.effects;
    const end = effect + effectField.size + 2 * table[effect + effectField.changes]!;
    for (let write = effect + effectField.size; write < end; write += 2)
      if (worlds[offset + table[write]!] !== table[write + 1]) return true;
    return false;
  }

  /** Where no step is progress by itself, a process may still reach one that is. */
  complete(successors: Successors, worlds: Int32Array, offset: number): void {
    successors.mustContinue ||= !this.isQuiescent(worlds, offset);
  }

  /**
   * A waiting process spins, so steps never cease. The world is quiescent if every process spins on registers that no process will change: no
   * step matters now, and while none does, each process goes on as if it were alone.
   */
  isQuiescent(worlds: Int32Array, offset: number): boolean {
    for (let i = 0; i < this.#n; i += 1)
      if (this.#makesProgress(worlds, offset, stateAt(worlds, offset, i))) return false;
    return true;
  }

  /** Says whether a process alone reaches a step that matters, instead of a state it was in before (cycle detection by R. Brent, 1980). */
  #makesProgress(worlds: Int32Array, offset: number, from: ProcessStateId): boolean {
    let local = from;
    let seen = from;
    for (let steps = 1, mark = 1; steps <= longestSpin; steps += 1) {
      const list = this.states.enabled(local, worlds, offset);
      const { table } = this.states.effects;
      const effect = this.states.effects.firstIn(list);
      if ((table[list + 1]! & listTrait.mustContinue) !== 0) return true;
      if (table[list] === 0 || this.states.effects.isOptional(effect)) return false;
      if (this.#changes(worlds, offset, effect)) return true;
      local = this.states.effects.stateAfter(effect);
      if (local === seen) return false;
      if (steps === mark) {
        seen = local;
        mark *= 2;
      }
    }
    return true;
  }

  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    if (this.liveness.isIllegitimate(worlds, offset))
      return noConvergence('no write is left that could change it');
    return this.#locals(worlds, offset).some(({ at }) => at !== 'noncritical section')
      ? releaseNeverEnds
      : null;
  }

  /** Process i reaches a section: the critical one if it waits, otherwise the noncritical one. */
  #goal(i: Pid): LivenessGoal {
    const local = (worlds: Int32Array, offset: number) => this.states.locals.of(stateAt(worlds, offset, i));
    const isWaiting = ({ client }: ProgramState) => this.states.clients.of(client).phase === 'waiting';
    return {
      isDue: (worlds, offset) => !isSection(local(worlds, offset).at),
      violation: (worlds, offset) =>
        isWaiting(local(worlds, offset)) ? starved(i, 'everybody goes on') : releaseNeverEnds,
      violationIfLost: null,
      mustStay: false,
    };
  }

  brokenLemma(worlds: Int32Array, offset: number): Violation | null {
    const { lemmaReads, setup } = this.config;
    if (lemmaReads === null) return null;
    const observedBy = observedMemory.bind(null, this.view(worlds, offset));
    return brokenLemma(setup.algorithm.invariants!, { states: [], inFlight: [], observedBy }, lemmaReads);
  }

  view(worlds: Int32Array, offset: number): SharedWorld<Memory, unknown, string> {
    const { registers, values } = this.states;
    const memory = this.states.memory();
    registers.forEach(({ name, index }, k) => {
      put(memory, name, index, values.of(worlds[offset + this.#n + k]! as ValueId));
    });
    return { memory, processes: this.#locals(worlds, offset) };
  }

  #locals(worlds: Int32Array, offset: number): ProgramState[] {
    return Array.from({ length: this.#n }, (_, i) => this.states.locals.of(stateAt(worlds, offset, i)));
  }

  traceOf(steps: readonly Step<MemoryAction>[], verdict: string, loop?: number): Trace {
    return memoryTrace(this.config, steps, verdict, loop);
  }
}

const legitimacy = (isDue: LivenessGoal['isDue']): LivenessGoal => ({
  isDue,
  violation: () => noConvergence('the run goes round for ever, though everybody goes on'),
  violationIfLost: noClosure,
  mustStay: false,
});
