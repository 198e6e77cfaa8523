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
import { turnedBack } from '../problems/mutex.ts';
import { Effects, effect, first, flag } from './effects.ts';
import { Interned } from './interned.ts';
import type { States } from './medium.ts';
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
  readonly user: number;
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

/** Local states by number, and the effects that are enabled in each. A line is executed once for a local state and, if it reads, a value. */
export class Programs implements States<SharedMove> {
  readonly registers: readonly Register[];
  readonly locals = new Interned<Local>();
  readonly users = new Interned<User>();
  readonly values = new Interned<number>(); // that registers hold
  readonly effects = new Effects();
  executions = 0;
  readonly novelty = new Novelty();
  #lists: Int32Array = new Int32Array(16); // of each local state: the list of its effects or, if they depend on a register, ~ its place in a world
  readonly #reads = new Memo(); // local state and value: the list
  readonly #machine: MemoryMachine; // nothing in its memory lasts
  #accessed: Accessed[] = []; // by the step in progress
  readonly #numbers: ReadonlyMap<string, number>; // of registers
  readonly #crashes: readonly (readonly number[])[]; // by process: what a crash writes
  readonly #mayCrash: boolean;
  readonly #lines: readonly string[];

  constructor({ setup, crashes }: Question) {
    const access = (accessed: Accessed) => this.#accessed.push(accessed);
    const algorithm = setup.algorithm as OnMemory;
    this.#machine = new MemoryMachine(algorithm, setup, { ...noSink, access });
    this.registers = registersOf(this.#machine.memory);
    this.#numbers = new Map(this.registers.map(({ register }, k) => [register, k]));
    this.#mayCrash = crashes > 0;
    this.#lines = Object.keys(algorithm.program({ me: 0, n: setup.n }));
    this.#crashes = Array.from({ length: setup.n }, (_, i) => this.#resetBy(i));
  }

  /** What a crash of process i writes if nothing is as in the beginning. */
  #resetBy(i: Pid): number[] {
    const { memory } = this.#machine;
    for (const { name, index, value } of this.registers) put(memory, name, index, value + 1);
    this.#accessed = [];
    this.#machine.step(i, this.#machine.init(i), { kind: 'crash' });
    return this.#accessed.flatMap((written) => this.#write(written));
  }

  /** The registers in the beginning. */
  memory(): Memory {
    return this.#machine.algorithm.registers(this.#machine.n);
  }

  get bytes(): number {
    return this.#lists.byteLength + this.effects.bytes + this.#reads.bytes;
  }

  get held(): number {
    return this.locals.bytes;
  }

  /** Lines at which nobody ever is. */
  get unused(): readonly string[] {
    const used = new Set(this.locals.values.map(({ at }) => at));
    return this.#lines.filter((line) => !used.has(line));
  }

  eventAt(at: number): { readonly move: SharedMove; readonly coins: readonly number[] } {
    return { move: sharedMoves[this.effects.table[at + effect.event]!]!, coins: [] };
  }

  userOf(local: number): number {
    return this.locals.of(local).user;
  }

  value(value: number): number {
    return this.values.add(`${value}`, value);
  }

  /** In its noncritical section. */
  initial(i: Pid, left: number): number {
    const { at, s } = this.#machine.init(i);
    return this.#local(i, at, s, this.#user(fresh(left)));
  }

  #user(user: User): number {
    return this.users.add(`${user.phase} ${user.left}`, user);
  }

  #local(process: Pid, at: string, s: unknown, user: number): number {
    const flaw = unplain(s, 'its state');
    if (flaw !== null) fail(flaw);
    const text = encode(s);
    const key = JSON.stringify([process, at, text, user]);
    return this.locals.add(key, { process, at, s: freeze(decode(text)), text, user });
  }

  /** Before everything a process is in its noncritical section, and can only ask. */
  openings(): number {
    return 1;
  }

  opening(local: number): number {
    return (this.#lists[local] || this.#workOut(local)) + first;
  }

  /** It depends on the registers of the world if the next step reads one. */
  enabled(local: number, worlds: Int32Array, offset: number): number {
    const list = this.#lists[local] || this.#workOut(local);
    return list > 0 ? list : this.#read(local, ~list, worlds[offset + ~list]!);
  }

  #workOut(local: number): number {
    this.novelty.comes();
    const here = this.locals.of(local);
    const register = isSection(here.at) ? null : this.#registerRead(here);
    const list = register === null ? this.#list(here) : ~(this.#machine.n + register);
    if (local >= this.#lists.length) this.#lists = grown(this.#lists, 2 * (local + 1));
    this.#lists[local] = list;
    return list;
  }

  #read(local: number, place: number, value: number): number {
    const at = this.#reads.at(local, value);
    if (at >= 0) return this.#reads.valueAt(at);
    this.novelty.comes();
    const { name, index } = this.registers[place - this.#machine.n]!;
    put(this.#machine.memory, name, index, this.values.of(value));
    const list = this.#list(this.locals.of(local));
    this.#reads.set(local, value, list);
    return list;
  }

  /** A call or a step, and a crash, which in the noncritical section would change nothing. */
  #list(here: Local): number {
    const { process, at } = here;
    const { left } = this.users.of(here.user);
    const list = this.effects.begin(0);
    if (at === 'noncritical section') {
      if (left > 0) this.#call(here, 'request', flag.free);
      return list;
    }
    if (at === 'critical section') this.#call(here, 'release', 0);
    else this.#step(here);
    if (this.#mayCrash) {
      const flags = flag.free | flag.crash;
      this.effects.add(move.crash, this.initial(process, left), flags, this.#crashes[process]!);
    }
    return list;
  }

  #call({ process, at, text, user }: Local, name: 'request' | 'release', flags: number): void {
    const after: LineState = { at, s: decode(text) };
    this.#machine.step(process, after, { kind: 'call', name });
    const caller = this.#user(calls(this.users.of(user), name, []));
    if (flags === 0) this.effects.bind();
    this.effects.add(move[name], this.#local(process, after.at, after.s, caller), flags);
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

  /** A step is bound to happen, but only one that gets somewhere, into a section or out of it, is progress by itself. */
  #step({ process, at, text, user: number }: Local): void {
    this.executions += 1;
    const after: LineState = { at, s: decode(text) };
    const user = this.users.of(number);
    this.#accessed = [];
    try {
      this.#machine.step(process, after, { kind: 'step', line: at });
      const done = this.#accessed[0]!;
      const enters = after.at === 'critical section';
      const said = enters
        ? told(user, process, { type: 'entered' }, [], false)
        : { user, violation: hasGivenUp(user, after.at) ? turnedBack(process) : null };
      const local = this.#local(process, after.at, after.s, this.#user(said.user));
      const writes = done.kind === 'write' ? this.#write(done) : [];
      if (isSection(after.at)) this.effects.bind();
      this.effects.add(move.step, local, enters ? flag.tells : 0, writes, said.violation);
    } catch (error) {
      this.effects.bind();
      this.effects.add(move.step, 0, 0, [], breachOf(error, process));
    }
  }

  /** A write as a change: where the register is in a world, and the number of the value. */
  #write({ register, value }: Accessed): [at: number, value: number] {
    return [this.#machine.n + this.#numbers.get(register)!, this.value(value)];
  }
}

const hasGivenUp = ({ phase }: User, at: string): boolean =>
  at === 'noncritical section' && phase === 'waiting';
