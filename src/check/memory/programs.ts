import type { Pid } from '../../core/algorithm.ts';
import { fail } from '../../core/assert.ts';
import { decode, encode, freeze, whyNotPlain } from '../../core/plain-data.ts';
import { isSection, type Memory, put, type Register, registersOf } from '../../core/shared-algorithm.ts';
import {
  type DeclaredAlgorithm,
  type LineState,
  MemoryMachine,
  noSink,
  type RegisterAccess,
  stepFailure,
} from '../../machine/index.ts';
import { returnedWithoutEntering } from '../../problems/mutex-monitor.ts';
import type { CheckConfig } from '../config.ts';
import { EffectTable, effectField, effectFlag, listHeader } from '../model/effect-table.ts';
import type { ProcessStates } from '../model/medium.ts';
import { Discovery } from '../parallel/discovery.ts';
import { afterCall, afterEvent, type Client, newClient } from '../properties/client.ts';
import { Interner } from '../storage/interner.ts';
import { PairMap } from '../storage/pair-map.ts';
import { grown } from '../storage/tuple-table.ts';

type OnMemory = Extract<DeclaredAlgorithm, { registers: unknown }>;

/** A process by itself: where it is in its program, and what its user is doing. */
export interface ProgramState {
  readonly process: Pid;
  readonly at: string;
  readonly s: unknown;
  readonly text: string; // of s
  readonly client: number;
}

/** What can happen at a process. */
export type MemoryAction =
  | { readonly kind: 'call'; readonly name: 'request' | 'release' }
  | { readonly kind: 'step' }
  | { readonly kind: 'crash' };

export const memoryActions: readonly MemoryAction[] = [
  { kind: 'call', name: 'request' },
  { kind: 'call', name: 'release' },
  { kind: 'step' },
  { kind: 'crash' },
];
export const memoryAction = { request: 0, release: 1, step: 2, crash: 3 };

/** Local states by number, and the effects that are enabled in each. A line is executed once for a local state and, if it reads, a value. */
export class Programs implements ProcessStates<MemoryAction> {
  readonly registers: readonly Register[];
  readonly locals = new Interner<ProgramState>();
  readonly clients = new Interner<Client>();
  readonly values = new Interner<number>(); // that registers hold
  readonly effects = new EffectTable();
  executions = 0;
  readonly discovery = new Discovery();
  #lists: Int32Array = new Int32Array(16); // of each local state: the list of its effects or, if they depend on a register, ~ its place in a world
  readonly #reads = new PairMap(); // local state and value: the list
  readonly #machine: MemoryMachine; // nothing in its memory lasts
  #accessed: RegisterAccess[] = []; // by the step in progress
  readonly #numbers: ReadonlyMap<string, number>; // of registers
  readonly #crashes: readonly (readonly number[])[]; // by process: what a crash writes
  readonly #mayCrash: boolean;
  readonly #lines: readonly string[];

  constructor({ setup, crashes }: CheckConfig) {
    const access = (accessed: RegisterAccess) => this.#accessed.push(accessed);
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

  get objectBytes(): number {
    return this.locals.bytes;
  }

  /** Lines at which nobody ever is. */
  get unused(): readonly string[] {
    const used = new Set(this.locals.values.map(({ at }) => at));
    return this.#lines.filter((line) => !used.has(line));
  }

  eventAt(at: number): { readonly action: MemoryAction; readonly coins: readonly number[] } {
    return { action: memoryActions[this.effects.table[at + effectField.event]!]!, coins: [] };
  }

  clientOf(local: number): number {
    return this.locals.of(local).client;
  }

  value(value: number): number {
    return this.values.add(`${value}`, value);
  }

  /** In its noncritical section. */
  initial(i: Pid, left: number): number {
    const { at, s } = this.#machine.init(i);
    return this.#addLocal(i, at, s, this.#addClient(newClient(left)));
  }

  #addClient(client: Client): number {
    return this.clients.add(`${client.phase} ${client.left}`, client);
  }

  #addLocal(process: Pid, at: string, s: unknown, client: number): number {
    const flaw = whyNotPlain(s, 'its state');
    if (flaw !== null) fail(flaw);
    const text = encode(s);
    const key = JSON.stringify([process, at, text, client]);
    return this.locals.add(key, { process, at, s: freeze(decode(text)), text, client });
  }

  /** Before everything a process is in its noncritical section, and can only ask. */
  initialEffectCount(): number {
    return 1;
  }

  initialEffect(local: number): number {
    return (this.#lists[local] || this.#compute(local)) + listHeader;
  }

  /** It depends on the registers of the world if the next step reads one. */
  enabled(local: number, worlds: Int32Array, offset: number): number {
    const list = this.#lists[local] || this.#compute(local);
    return list > 0 ? list : this.#read(local, ~list, worlds[offset + ~list]!);
  }

  #compute(local: number): number {
    this.discovery.note();
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
    this.discovery.note();
    const { name, index } = this.registers[place - this.#machine.n]!;
    put(this.#machine.memory, name, index, this.values.of(value));
    const list = this.#list(this.locals.of(local));
    this.#reads.set(local, value, list);
    return list;
  }

  /** A call or a step, and a crash, which in the noncritical section would change nothing. */
  #list(here: ProgramState): number {
    const { process, at } = here;
    const { left } = this.clients.of(here.client);
    const list = this.effects.begin(0);
    if (at === 'noncritical section') {
      if (left > 0) this.#call(here, 'request', effectFlag.optional);
      return list;
    }
    if (at === 'critical section') this.#call(here, 'release', 0);
    else this.#step(here);
    if (this.#mayCrash) {
      const flags = effectFlag.optional | effectFlag.crash;
      this.effects.add(memoryAction.crash, this.initial(process, left), flags, this.#crashes[process]!);
    }
    return list;
  }

  #call({ process, at, text, client }: ProgramState, name: 'request' | 'release', flags: number): void {
    const after: LineState = { at, s: decode(text) };
    this.#machine.step(process, after, { kind: 'call', name });
    const caller = this.#addClient(afterCall(this.clients.of(client), name, []));
    if (flags === 0) this.effects.markMustContinue();
    this.effects.add(memoryAction[name], this.#addLocal(process, after.at, after.s, caller), flags);
  }

  /** The register whose value decides what the next step does. A step that fails reads none. */
  #registerRead({ process, at, text }: ProgramState): number | null {
    try {
      const access = this.#machine.next(process, { at, s: decode(text) })!;
      return access.kind === 'read' ? (this.#numbers.get(access.register) ?? null) : null;
    } catch {
      return null;
    }
  }

  /** A step is bound to happen, but only one that gets somewhere, into a section or out of it, is progress by itself. */
  #step({ process, at, text, client: number }: ProgramState): void {
    this.executions += 1;
    const after: LineState = { at, s: decode(text) };
    const client = this.clients.of(number);
    this.#accessed = [];
    try {
      this.#machine.step(process, after, { kind: 'step', line: at });
      const done = this.#accessed[0]!;
      const enters = after.at === 'critical section';
      const said = enters
        ? afterEvent(client, process, { type: 'entered' }, [], false)
        : { user: client, violation: hasGivenUp(client, after.at) ? returnedWithoutEntering(process) : null };
      const local = this.#addLocal(process, after.at, after.s, this.#addClient(said.user));
      const writes = done.kind === 'write' ? this.#write(done) : [];
      if (isSection(after.at)) this.effects.markMustContinue();
      this.effects.add(memoryAction.step, local, enters ? effectFlag.emits : 0, writes, said.violation);
    } catch (error) {
      this.effects.markMustContinue();
      this.effects.add(memoryAction.step, 0, 0, [], stepFailure(error, process));
    }
  }

  /** A write as a change: where the register is in a world, and the number of the value. */
  #write({ register, value }: RegisterAccess): [at: number, value: number] {
    return [this.#machine.n + this.#numbers.get(register)!, this.value(value)];
  }
}

const hasGivenUp = ({ phase }: Client, at: string): boolean =>
  at === 'noncritical section' && phase === 'waiting';
