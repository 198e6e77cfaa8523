import type { Pid } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { initialState } from '../core/initial-state.ts';
import {
  type Access,
  type AnyCompositeLine,
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
type Program = Omit<AnySharedAlgorithm, 'assumes'> & {
  readonly assumes: { readonly failures: string; readonly accesses?: 'composite' };
};

/** The access that a line makes, with its array and index: known before the line is executed. */
interface LineAccess extends Access {
  readonly name: string;
  readonly index: number | null;
}

/**
 * Processes that read and write registers. Each step makes one access, or several if its line is composite. They are known in advance.
 * {@link Machine} describes the members that both machines have.
 * @example
 * import { throws } from 'node:assert/strict';
 * import { dekker } from 'batonjs-lab/algorithms';
 * import { MemoryMachine } from 'batonjs/machine';
 *
 * const machine = new MemoryMachine(dekker, { n: 2 });
 * const state = machine.init(0);
 * machine.hasStep(state); // → false
 * machine.step(0, state, { kind: 'call', name: 'request' });
 * machine.next(0, state); // → [{ kind: 'write', register: 'c[0]' }]
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
  readonly #programs: { readonly [line: string]: AnyLine | AnyCompositeLine }[] = [];

  /**
   * @throws {AssertionError} if the name of a line or a register would break the line of a trace, or the algorithm has composite lines or a
   * line of the noncritical section and does not declare it.
   */
  constructor(algorithm: Program, { n }: { readonly n: number }, sink: Sink = noSink) {
    this.algorithm = algorithm;
    this.n = n;
    this.sink = sink;
    this.memory = algorithm.registers(n);
    for (let me = 0; me < n; me += 1) this.#programs.push(algorithm.program({ me, n }));
    const lines = new Set(this.#programs.flatMap((program) => Object.keys(program)));
    for (const line of lines)
      if (/[\r\n]| => /.test(line)) fail(`'${line}' cannot name a line: it would break that of a trace`);
    if (lines.has('noncritical section') && !algorithm.perpetual)
      fail('its noncritical section has a line, so processes never stop: declare `perpetual: true`');
    const isComposite = this.#programs.some((program) =>
      Object.values(program).some(({ reads }) => reads !== undefined),
    );
    if (isComposite && algorithm.assumes.accesses !== 'composite')
      fail("a line reads and writes in one step: declare `accesses: 'composite'` in `assumes`");
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
    else if (input.kind === 'corrupt') this.#corrupt(sink);
    else if (input.kind !== 'recover' && !(input.kind === 'begin' && this.algorithm.perpetual))
      fail(`there is no ${input.kind} where memory is shared`);
    const isAtFault = input.kind === 'crash' || input.kind === 'corrupt'; // it takes no step, or its next step stays as it was
    if (!isAtFault && this.hasStep(state)) sink.continueAt(state.at);
  }

  /** Returns whether a process can take a step by itself: it is at a line, or its noncritical section has one. */
  hasStep({ at }: LineState): boolean {
    return !isSection(at) || Object.hasOwn(this.#programs[0]!, at);
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

  /** Makes the accesses of a line and goes to the next one. */
  #line(state: LineState, at: string, sink: Sink): void {
    if (state.at !== at) fail(`process ${this.turn} is at '${state.at}'`);
    const line = this.#lineOf(this.turn, state);
    if (line.reads === undefined) this.#access(line, state, sink);
    else this.#composite(line, state, sink);
    if (at === 'noncritical section' && state.at !== at)
      fail(`the line of the noncritical section leads to '${state.at}', not back`);
    if (state.at === 'noncritical section') state.s = this.#locals(this.turn);
    if (state.at === 'critical section') sink.emit({ type: 'entered' });
  }

  #access(line: AnyLine, state: LineState, sink: Sink): void {
    const access = accessOf(line, state.s);
    const old = this.#valueOf(access);
    const value = access.kind === 'read' ? old : evaluate(line.value!, state.s);
    if (access.kind === 'write') this.#write(access, value);
    const { goto } = line;
    if (typeof goto === 'string') state.at = goto;
    else state.at = access.kind === 'read' ? goto(value, state.s) : goto(state.s);
    sink.access({ kind: access.kind, register: access.register, value });
  }

  /** Reads all registers of the line, and perhaps writes one, in one step. */
  #composite(line: AnyCompositeLine, state: LineState, sink: Sink): void {
    const values = line.reads.map((element) => this.#valueOf(elementAccess('read', element)));
    const written = line.writes === undefined ? null : line.value!(values, state.s);
    if (written !== null) this.#write(elementAccess('write', line.writes!), written);
    state.at = typeof line.goto === 'string' ? line.goto : line.goto(values, state.s);
    line.reads.forEach((element, k) => {
      sink.access({ kind: 'read', register: registerText(...element), value: values[k]! });
    });
    if (written !== null)
      sink.access({ kind: 'write', register: registerText(...line.writes!), value: written });
  }

  #valueOf({ name, index, register }: LineAccess): number {
    const held = this.memory[name];
    const value = index === null ? held : Array.isArray(held) ? held[index] : undefined;
    return typeof value === 'number' ? value : fail(`there is no register ${register}`);
  }

  #write(access: LineAccess, value: number): void {
    this.#valueOf(access);
    if (!Number.isSafeInteger(value))
      fail(`it writes ${value} to ${access.register}: registers hold whole numbers`);
    put(this.memory, access.name, access.index, value);
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

  /** Gives registers of the process any values. */
  #corrupt(sink: Sink): void {
    const { turn: me, n } = this;
    const place = { me, n, choose: (options: number) => sink.choose(options) };
    const values = this.algorithm.stabilises?.scramble(place) ?? {};
    for (const [name, value] of Object.entries(values)) {
      const register = registerText(name, me);
      this.#write({ kind: 'write', register, name, index: me }, value!);
      sink.access({ kind: 'reset', register, value: value! });
    }
  }

  /**
   * Returns the accesses that the next step of process i makes, reads first; none if it is in a section without a line. The write of a
   * composite line is conditional.
   */
  next(i: Pid, state: LineState): readonly Access[] {
    if (!this.hasStep(state)) return [];
    const line = this.#lineOf(i, state);
    const accesses =
      line.reads === undefined
        ? [accessOf(line, state.s)]
        : [
            ...line.reads.map((element) => elementAccess('read', element)),
            ...(line.writes === undefined ? [] : [elementAccess('write', line.writes)]),
          ];
    return accesses.map(({ kind, register }) => ({ kind, register }));
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

  #lineOf(i: Pid, { at }: LineState): AnyLine | AnyCompositeLine {
    const program = this.#programs[i]!;
    return Object.hasOwn(program, at) ? program[at]! : fail(`there is no line '${at}'`);
  }
}

const elementAccess = (
  kind: Access['kind'],
  [name, index]: readonly [array: string, index: number],
): LineAccess => ({ kind, register: registerText(name, index), name, index });

function accessOf({ read, write, at }: AnyLine, s: unknown): LineAccess {
  const index = at === undefined ? null : evaluate(at, s);
  const name = (read ?? write)!;
  return { kind: read === undefined ? 'write' : 'read', register: registerText(name, index), name, index };
}

const evaluate = (given: number | ((s: unknown) => number), s: unknown): number =>
  typeof given === 'number' ? given : given(s);
