import type { Pid } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { initialState } from '../core/initial-state.ts';
import {
  type Access,
  type AnyLine,
  type AnySharedAlgorithm,
  isSection,
  type Memory,
  put,
  registerText,
  type Section,
} from '../core/shared-algorithm.ts';
import { type Input, type Machine, noSink, type Sink } from './machine.ts';

/** The state of a process on shared memory: its line or section, and its local variables. */
export interface LineState {
  /** The line of the program, `critical section` or `noncritical section`. */
  at: string;
  /** The local variables. */
  s: unknown;
}

/** The part of an algorithm that a machine needs. */
type Program = Omit<AnySharedAlgorithm, 'assumes'>;

/**
 * Processes that read and write registers. Each step makes one access, which is known in advance. {@link Machine} describes the members
 * that both machines have.
 * @example
 * import { throws } from 'node:assert/strict';
 * import { dekker } from 'batonjs/algorithms';
 * import { MemoryMachine } from 'batonjs/machine';
 *
 * const machine = new MemoryMachine(dekker, { n: 2 });
 * const state = machine.init(0);
 * machine.step(0, state, { kind: 'call', name: 'request' });
 * machine.next(0, state); // → { kind: 'write', register: 'c[0]' }
 * machine.step(0, state, { kind: 'step', line: state.at });
 * machine.world([state, machine.init(1)]);
 * machine.memory; // → { c: [0, 1], turn: 0 }
 * machine.fieldsOf(state); // → { at: 'L: if c[j] = 0' }
 * for (const refused of [() => machine.receive(), () => machine.senderOf()]) throws(refused, /no messages/);
 */
export class MemoryMachine implements Machine {
  /** The process of the current or last step. */
  turn: Pid = 0;
  /** Processes run the lines of a program. */
  readonly hasLines = true;
  /** The sink of `step`, unless another is given. */
  sink: Sink;
  /** There are no messages to check. */
  checksPlainData = true;
  /** The names of the calls that the application may make. */
  readonly calls = ['request', 'release'];
  /** There are no messages. */
  readonly kinds = [];
  /** A simulator schedules the next step like a timer. */
  readonly timers = ['step'];
  /** The kinds of accesses. */
  readonly counted = ['read', 'write'];
  /** The registers. A host that searches interleavings may replace them. */
  memory: Memory;
  /** The algorithm that runs. */
  readonly algorithm: Program;
  /** The number of processes. */
  readonly n: number;
  readonly #programs: { readonly [line: string]: AnyLine }[] = [];

  /** @throws {AssertionError} if the name of a line or a register would break the line of a trace. */
  constructor(algorithm: Program, { n }: { readonly n: number }, sink: Sink = noSink) {
    this.algorithm = algorithm;
    this.n = n;
    this.sink = sink;
    this.memory = algorithm.registers(n);
    for (let me = 0; me < n; me += 1) this.#programs.push(algorithm.program({ me, n }));
    const lines = new Set(this.#programs.flatMap((program) => Object.keys(program)));
    for (const line of lines)
      if (/[\r\n]| => /.test(line)) fail(`'${line}' cannot name a line: it would break that of a trace`);
    for (const name of Object.keys(this.memory))
      if (/\s/.test(name)) fail(`'${name}' cannot name a register: it would break the line of a trace`);
  }

  /** Returns the initial state of process i, in its noncritical section. */
  init(i: Pid): LineState {
    return { at: 'noncritical section', s: initialState(this.algorithm.name, i, () => this.#locals(i)) };
  }

  #locals(me: Pid): unknown {
    return this.algorithm.init({ me, n: this.n });
  }

  /** Takes a step, which changes the state and perhaps a register. */
  step(i: Pid, state: LineState, input: Input, sink: Sink = this.sink): void {
    this.turn = i;
    if (input.kind === 'call') this.#call(state, input.name);
    else if (input.kind === 'step') this.#line(state, input.line, sink);
    else if (input.kind === 'crash') this.#crash(state, sink);
    else if (input.kind !== 'recover') fail(`there is no ${input.kind} where memory is shared`);
    if (!isSection(state.at)) sink.continueAt(state.at);
  }

  /**
   * Refuses, since there are no messages.
   * @throws {AssertionError} always.
   */
  receive(): void {
    fail('its processes share memory: there are no messages');
  }

  /** Goes from a section to the first line of a request or release. */
  #call(state: LineState, name: string): void {
    if (name !== 'request' && name !== 'release') fail(`there is no call '${name}'`);
    const from: Section = name === 'request' ? 'noncritical section' : 'critical section';
    if (state.at !== from) fail(`process ${this.turn} is at '${state.at}'`);
    state.at = this.algorithm[name];
  }

  /** Makes one access and goes to the next line. */
  #line(state: LineState, at: string, sink: Sink): void {
    if (state.at !== at) fail(`process ${this.turn} is at '${state.at}'`);
    const { line, kind, name, index } = this.#access(this.turn, state);
    const register = registerText(name, index);
    const held = this.memory[name];
    const old = index === null ? held : Array.isArray(held) ? held[index] : undefined;
    if (typeof old !== 'number') fail(`there is no register ${register}`);
    const value = kind === 'read' ? old : evaluate(line.value!, state.s);
    if (!Number.isSafeInteger(value)) fail(`it writes ${value} to ${register}: registers hold whole numbers`);
    if (kind === 'write') put(this.memory, name, index, value);
    const { goto } = line;
    if (typeof goto === 'string') state.at = goto;
    else state.at = kind === 'read' ? goto(value, state.s) : goto(state.s);
    if (state.at === 'noncritical section') state.s = this.#locals(this.turn);
    sink.access({ kind, register, value });
    if (state.at === 'critical section') sink.emit({ type: 'entered' });
  }

  /** Stops the process and resets the registers that it owns. */
  #crash(state: LineState, sink: Sink): void {
    const i = this.turn;
    state.at = 'noncritical section';
    state.s = this.#locals(i);
    const fresh = this.algorithm.registers(this.n);
    for (const key of this.algorithm.owned ?? []) {
      const name = String(key);
      const [now, first] = [this.memory[name], fresh[name]];
      if (!Array.isArray(now) || !Array.isArray(first)) fail(`${name} is not an array to own`);
      if (now[i] === first[i]) continue;
      put(this.memory, name, i, first[i]!);
      sink.access({ kind: 'reset', register: registerText(name, i), value: first[i]! });
    }
  }

  /** Returns the access that the next step of process i makes; null if it is in a section. */
  next(i: Pid, state: LineState): Access | null {
    if (isSection(state.at)) return null;
    const { kind, name, index } = this.#access(i, state);
    return { kind, register: registerText(name, index) };
  }

  /** Returns the line and the local variables, for readers. */
  fieldsOf({ at, s }: LineState): object {
    return { at, ...(s as object) };
  }

  /**
   * Refuses, since there are no messages.
   * @throws {AssertionError} always.
   */
  senderOf(): Pid {
    return fail('its processes share memory: there are no messages');
  }

  /** Returns the global state as the algorithm's invariants see it. */
  world(states: readonly object[]): object {
    return { memory: this.memory, processes: states };
  }

  #access(i: Pid, { at, s }: LineState) {
    const program = this.#programs[i]!;
    if (!Object.hasOwn(program, at)) return fail(`there is no line '${at}'`);
    const line = program[at]!;
    const index = line.at === undefined ? null : evaluate(line.at, s);
    if (line.read !== undefined) return { line, kind: 'read', name: line.read, index } as const;
    return { line, kind: 'write', name: line.write!, index } as const;
  }
}

const evaluate = (given: number | ((s: unknown) => number), s: unknown): number =>
  typeof given === 'number' ? given : given(s);
