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
  at: string;
  s: unknown;
}

/** The part of an algorithm that a machine needs. */
type Program = Omit<AnySharedAlgorithm, 'assumes'>;

/** Processes that read and write registers. Each step makes one access, which is known in advance. */
export class MemoryMachine implements Machine {
  turn: Pid = 0;
  readonly hasLines = true;
  sink: Sink;
  checksPlainData = true;
  readonly calls = ['request', 'release'];
  readonly kinds = [];
  readonly timers = ['step']; // a simulator schedules the next step like a timer
  readonly counted = ['read', 'write'];
  memory: Memory; // a checker replaces it
  readonly algorithm: Program;
  readonly n: number;
  readonly #programs: { readonly [line: string]: AnyLine }[] = [];

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

  init(i: Pid): LineState {
    return { at: 'noncritical section', s: initialState(this.algorithm.name, i, () => this.#locals(i)) };
  }

  #locals(me: Pid): unknown {
    return this.algorithm.init({ me, n: this.n });
  }

  step(i: Pid, state: LineState, input: Input, sink: Sink = this.sink): void {
    this.turn = i;
    if (input.kind === 'call') this.#call(state, input.name);
    else if (input.kind === 'step') this.#line(state, input.line, sink);
    else if (input.kind === 'crash') this.#crash(state, sink);
    else if (input.kind !== 'recover') fail(`there is no ${input.kind} where memory is shared`);
    if (!isSection(state.at)) sink.continueAt(state.at);
  }

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

  /** The access that the next step of process i makes; null if it is in a section. */
  next(i: Pid, state: LineState): Access | null {
    if (isSection(state.at)) return null;
    const { kind, name, index } = this.#access(i, state);
    return { kind, register: registerText(name, index) };
  }

  fieldsOf({ at, s }: LineState): object {
    return { at, ...(s as object) };
  }

  senderOf(): Pid {
    return fail('its processes share memory: there are no messages');
  }

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
