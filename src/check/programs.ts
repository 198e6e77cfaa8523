import type { Pid } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { decode, encode, freeze, unplain } from '../core/plain.ts';
import { isSection, type Memory, put, type Register, registersOf } from '../core/shared.ts';
import {
  type Accessed,
  breachOf,
  type Declared,
  type LineState,
  MemoryMachine,
  noSink,
} from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { turnedBack } from '../problems/mutex.ts';
import { Interned } from './interned.ts';
import { Memo } from './memo.ts';
import { Novelty } from './novelty.ts';
import type { Question } from './question.ts';
import { grown } from './tuples.ts';
import { calls, fresh, told, type User } from './user.ts';

type OnMemory = Extract<Declared, { registers: unknown }>;

/** A process by itself: where it is in its program, and what its user is doing. */
export interface Local {
  readonly process: Pid;
  readonly at: string;
  readonly s: unknown;
  readonly text: string; // of s
  readonly user: User;
}

/** What can happen at a process. */
export type SharedMove =
  | { readonly kind: 'call'; readonly name: 'request' | 'release' }
  | { readonly kind: 'step' }
  | { readonly kind: 'crash' };

export const sharedMoves: readonly SharedMove[] = [
  { kind: 'call', name: 'request' },
  { kind: 'call', name: 'release' },
  { kind: 'step' },
  { kind: 'crash' },
];
export const move = { request: 0, release: 1, step: 2, crash: 3 };

/** What a local state is about to do, in three numbers. */
export const plan = {
  kind: 0, // one of `next`
  detail: 1, // the effect, or the register that is read
  crash: 2, // the effect of a crash, or 0
  size: 3,
} as const;

export const next = {
  nothing: 1, // until it is asked to, and it will not be
  free: 2, // something that need not happen
  bound: 3,
  read: 4, // and what then happens depends on the value
} as const;

export const effect = {
  move: 0, // its number in `sharedMoves`
  local: 1, // that the process is in then
  register: 2, // that is written, its number + 1, or 0
  value: 3, // that is written
  flags: 4,
  violation: 5, // its number + 1, or 0
  size: 6,
} as const;

export const flag = {
  tells: 1, // the application hears something
  ends: 2, // its program gets somewhere: into a section or out of it, or it fails
} as const;

/** Local states by number, and what each is about to do. A line is executed once for a local state and, if it reads, a value. */
export class Programs {
  readonly registers: readonly Register[];
  readonly owned: readonly (readonly { readonly register: number; readonly value: number }[])[]; // by process: as a crash leaves them
  readonly locals = new Interned<Local>();
  readonly values = new Interned<number>(); // that registers hold
  readonly violations: Violation[] = [];
  plans: Int32Array = new Int32Array(256 * plan.size);
  effects: Int32Array = new Int32Array(256 * effect.size);
  executions = 0;
  readonly novelty = new Novelty();
  #end: number = effect.size; // of what is used of `effects`; 0 stands for none
  readonly #reads = new Memo(); // local state and value: the effect
  readonly #machine: MemoryMachine; // nothing in its memory lasts
  #accessed: Accessed[] = []; // by the step in progress
  readonly #numbers: ReadonlyMap<string, number>; // of registers
  readonly #mayCrash: boolean;

  constructor({ setup, crashes }: Question) {
    const access = (accessed: Accessed) => this.#accessed.push(accessed);
    this.#machine = new MemoryMachine(setup.algorithm as OnMemory, setup, { ...noSink, access });
    this.registers = registersOf(this.#machine.memory);
    this.#numbers = new Map(this.registers.map(({ register }, k) => [register, k]));
    this.#mayCrash = crashes > 0;
    this.owned = Array.from({ length: setup.n }, (_, i) => this.#ownedBy(i));
  }

  /** What a crash resets if nothing is as in the beginning. */
  #ownedBy(i: Pid) {
    const { memory } = this.#machine;
    for (const { name, index, value } of this.registers) put(memory, name, index, value + 1);
    this.#accessed = [];
    this.#machine.step(i, this.#machine.init(i), { kind: 'crash' });
    return this.#accessed.map(({ register, value }) => ({
      register: this.#numbers.get(register)!,
      value: this.value(value),
    }));
  }

  /** The registers in the beginning. */
  memory(): Memory {
    return this.#machine.algorithm.registers(this.#machine.n);
  }

  get lines(): string[] {
    return Object.keys(this.#machine.algorithm.program({ me: 0, n: this.#machine.n }));
  }

  get bytes(): number {
    return this.plans.byteLength + this.effects.byteLength + this.#reads.bytes;
  }

  value(value: number): number {
    return this.values.add(`${value}`, value);
  }

  /** The local state of process i in its noncritical section. */
  atRest(i: Pid, left: number): number {
    const { at, s } = this.#machine.init(i);
    return this.#local(i, at, s, fresh(left));
  }

  #local(process: Pid, at: string, s: unknown, user: User): number {
    const flaw = unplain(s, 'its state');
    if (flaw !== null) fail(flaw);
    const text = encode(s);
    const key = JSON.stringify([process, at, text, user.phase, user.left]);
    return this.locals.add(key, { process, at, s: freeze(decode(text)), text, user });
  }

  /** Where the plan of a local state is in `plans`. */
  planOf(local: number): number {
    const at = plan.size * local;
    if (at >= this.plans.length) this.plans = grown(this.plans, 2 * (at + plan.size));
    if (this.plans[at + plan.kind] === 0) this.#workOut(local, at);
    return at;
  }

  #workOut(number: number, at: number): void {
    this.novelty.comes();
    const here = this.locals.of(number);
    const [kind, detail] = this.#nextOf(here);
    this.plans[at + plan.kind] = kind;
    this.plans[at + plan.detail] = detail;
    // A crash in the noncritical section changes nothing.
    this.plans[at + plan.crash] =
      this.#mayCrash && here.at !== 'noncritical section'
        ? this.#record(move.crash, this.atRest(here.process, here.user.left), flag.ends)
        : 0;
  }

  #nextOf(here: Local): [kind: number, detail: number] {
    if (here.at === 'noncritical section')
      return here.user.left > 0 ? [next.free, this.#call(here, 'request')] : [next.nothing, 0];
    if (here.at === 'critical section') return [next.bound, this.#call(here, 'release')];
    const register = this.#registerRead(here);
    return register === null ? [next.bound, this.#step(here)] : [next.read, register];
  }

  #call({ process, at, text, user }: Local, name: 'request' | 'release'): number {
    const after: LineState = { at, s: decode(text) };
    this.#machine.step(process, after, { kind: 'call', name });
    return this.#record(
      move[name],
      this.#local(process, after.at, after.s, calls(user, name, [])),
      flag.ends,
    );
  }

  /** The register whose value decides what the next step does. A step that fails reads none. */
  #registerRead({ process, at, text }: Local): number | null {
    try {
      const access = this.#machine.next(process, { at, s: decode(text) })!;
      return access.kind === 'read' ? (this.#numbers.get(access.register) ?? null) : null;
    } catch {
      return null;
    }
  }

  /** The effect of the next step of a local state that reads a register with this value. */
  read(local: number, register: number, value: number): number {
    const at = this.#reads.at(local, value);
    if (at >= 0) return this.#reads.valueAt(at);
    this.novelty.comes();
    const { name, index } = this.registers[register]!;
    put(this.#machine.memory, name, index, this.values.of(value));
    const what = this.#step(this.locals.of(local));
    this.#reads.set(local, value, what);
    return what;
  }

  #step({ process, at, text, user }: Local): number {
    this.executions += 1;
    const after: LineState = { at, s: decode(text) };
    this.#accessed = [];
    try {
      this.#machine.step(process, after, { kind: 'step', line: at });
      const done = this.#accessed[0]!;
      const enters = after.at === 'critical section';
      const said = enters
        ? told(user, process, { type: 'entered' }, [], false)
        : { user, violation: hasGivenUp(user, after.at) ? turnedBack(process) : null };
      const local = this.#local(process, after.at, after.s, said.user);
      const isWrite = done.kind === 'write';
      const flags = (enters ? flag.tells : 0) | (isSection(after.at) ? flag.ends : 0);
      const written = isWrite ? { register: this.#numbers.get(done.register)!, value: done.value } : null;
      return this.#record(move.step, local, flags, said.violation, written);
    } catch (error) {
      return this.#record(move.step, 0, flag.ends, breachOf(error, process));
    }
  }

  #record(
    kind: number,
    local: number,
    flags: number,
    violation: Violation | null = null,
    written: { readonly register: number; readonly value: number } | null = null,
  ): number {
    const at = this.#end;
    this.#end += effect.size;
    if (this.#end > this.effects.length) this.effects = grown(this.effects, 2 * this.#end);
    const { effects } = this;
    effects[at + effect.move] = kind;
    effects[at + effect.local] = local;
    effects[at + effect.register] = written === null ? 0 : written.register + 1;
    effects[at + effect.value] = written === null ? 0 : this.value(written.value);
    effects[at + effect.flags] = flags;
    effects[at + effect.violation] = violation === null ? 0 : this.violations.push(violation);
    return at;
  }
}

const hasGivenUp = ({ phase }: User, at: string): boolean =>
  at === 'noncritical section' && phase === 'waiting';
