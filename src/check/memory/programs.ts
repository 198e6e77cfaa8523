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
import type { ClientId, EffectId, EffectListId, EventId, IdArray, ProcessStateId, ValueId } from '../ids.ts';
import { Discovery } from '../model/discovery.ts';
import { EffectTable, effectFlag } from '../model/effect-table.ts';
import type { ProcessStates } from '../model/medium.ts';
import { afterCall, afterEvent, type Client, newClient } from '../properties/client.ts';
import { Interner } from '../storage/interner.ts';
import { PairMap } from '../storage/pair-map.ts';
import { grown } from '../storage/typed-arrays.ts';

type OnMemory = Extract<DeclaredAlgorithm, { registers: unknown }>;

/** The state of a process: where it is in its program, its variables, and its client. */
export interface ProgramState {
  readonly process: Pid;
  readonly at: string;
  readonly s: unknown;
  readonly text: string; // s, encoded
  readonly client: ClientId;
}

/** What can happen at a process. */
export type MemoryAction =
  | { readonly kind: 'call'; readonly name: 'request' | 'release' }
  | { readonly kind: 'step' }
  | { readonly kind: 'crash' };

/** The actions, by the id of their event: no coin is tossed on shared memory. */
export const memoryActions: readonly MemoryAction[] = [
  { kind: 'call', name: 'request' },
  { kind: 'call', name: 'release' },
  { kind: 'step' },
  { kind: 'crash' },
];
export const memoryAction = { request: 0, release: 1, step: 2, crash: 3 } as Record<
  'request' | 'release' | 'step' | 'crash',
  EventId
>;

/** The states of processes, and the effects that are enabled in each. A line is executed once for each state and, if it reads a register, each value. */
export class Programs implements ProcessStates<MemoryAction> {
  readonly registers: readonly Register[];
  readonly locals = new Interner<ProgramState, ProcessStateId>();
  readonly clients = new Interner<Client, ClientId>();
  readonly values = new Interner<number, ValueId>(); // of registers
  readonly effects = new EffectTable();
  executions = 0;
  readonly discovery = new Discovery();
  #lists = new Int32Array(16) as IdArray<EffectListId>; // by process state; if a register decides, ~ the position of the register in a world
  readonly #reads = new PairMap<ProcessStateId, ValueId, EffectListId>(); // where a register decides
  readonly #machine: MemoryMachine; // its memory is overwritten before each step
  #accessed: RegisterAccess[] = []; // by the step in progress
  readonly #registerNumbers: ReadonlyMap<string, number>; // by name
  readonly #crashes: readonly (readonly number[])[]; // by process: what a crash writes
  readonly #mayCrash: boolean;
  readonly #lines: readonly string[];

  constructor({ setup, crashes }: CheckConfig) {
    const access = (accessed: RegisterAccess) => this.#accessed.push(accessed);
    const algorithm = setup.algorithm as OnMemory;
    this.#machine = new MemoryMachine(algorithm, setup, { ...noSink, access });
    this.registers = registersOf(this.#machine.memory);
    this.#registerNumbers = new Map(this.registers.map(({ register }, k) => [register, k]));
    this.#mayCrash = crashes > 0;
    this.#lines = Object.keys(algorithm.program({ me: 0, n: setup.n }));
    this.#crashes = Array.from({ length: setup.n }, (_, i) => this.#resetBy(i));
  }

  /** Returns what a crash of process i writes, found by crashing it when no register has its initial value. */
  #resetBy(i: Pid): number[] {
    const { memory } = this.#machine;
    for (const { name, index, value } of this.registers) put(memory, name, index, value + 1);
    this.#accessed = [];
    this.#machine.step(i, this.#machine.init(i), { kind: 'crash' });
    return this.#accessed.flatMap((written) => this.#write(written));
  }

  /** Returns the registers with their initial values. */
  memory(): Memory {
    return this.#machine.algorithm.registers(this.#machine.n);
  }

  get bytes(): number {
    return this.#lists.byteLength + this.effects.bytes + this.#reads.bytes;
  }

  get objectBytes(): number {
    return this.locals.bytes;
  }

  /** Lines that no process ever reached. */
  get unused(): readonly string[] {
    const used = new Set(this.locals.values.map(({ at }) => at));
    return this.#lines.filter((line) => !used.has(line));
  }

  actionOf(effect: EffectId): number {
    return this.effects.eventOf(effect);
  }

  eventAt(effect: EffectId): { readonly action: MemoryAction; readonly coins: readonly number[] } {
    return { action: memoryActions[this.effects.eventOf(effect)]!, coins: [] };
  }

  clientOf(local: ProcessStateId): ClientId {
    return this.locals.of(local).client;
  }

  addValue(value: number): ValueId {
    return this.values.add(`${value}`, value);
  }

  /** A process begins in its noncritical section. */
  initial(i: Pid, left: number): ProcessStateId {
    const { at, s } = this.#machine.init(i);
    return this.#addLocal(i, at, s, this.#addClient(newClient(left)));
  }

  #addClient(client: Client): ClientId {
    return this.clients.add(`${client.phase} ${client.left}`, client);
  }

  #addLocal(process: Pid, at: string, s: unknown, client: ClientId): ProcessStateId {
    const flaw = whyNotPlain(s, 'its state');
    if (flaw !== null) fail(flaw);
    const text = encode(s);
    const key = JSON.stringify([process, at, text, client]);
    return this.locals.add(key, { process, at, s: freeze(decode(text)), text, client });
  }

  /** Before everything a process is in its noncritical section, and can only request. */
  initialEffectCount(): number {
    return 1;
  }

  initialEffect(local: ProcessStateId): EffectId {
    return this.effects.firstIn(this.#lists[local] || this.#compute(local));
  }

  /** The effects depend on a register of the world if the next step reads one. */
  enabled(local: ProcessStateId, worlds: Int32Array, offset: number): EffectListId {
    const list = this.#lists[local] || this.#compute(local);
    return list > 0 ? list : this.#read(local, ~list, worlds[offset + ~list]! as ValueId);
  }

  #compute(local: ProcessStateId): EffectListId {
    this.discovery.note();
    const here = this.locals.of(local);
    const register = isSection(here.at) ? null : this.#registerRead(here);
    const list = register === null ? this.#list(here) : (~(this.#machine.n + register) as EffectListId);
    if (local >= this.#lists.length) this.#lists = grown(this.#lists, 2 * (local + 1));
    this.#lists[local] = list;
    return list;
  }

  #read(local: ProcessStateId, position: number, value: ValueId): EffectListId {
    const at = this.#reads.at(local, value);
    if (at >= 0) return this.#reads.valueAt(at);
    this.discovery.note();
    const { name, index } = this.registers[position - this.#machine.n]!;
    put(this.#machine.memory, name, index, this.values.of(value));
    const list = this.#list(this.locals.of(local));
    this.#reads.set(local, value, list);
    return list;
  }

  /** Lists a call or a step, and a crash, which would change nothing in the noncritical section. */
  #list(here: ProgramState): EffectListId {
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

  /** Returns the register whose value decides what the next step does. A step that fails reads none. */
  #registerRead({ process, at, text }: ProgramState): number | null {
    try {
      const access = this.#machine.next(process, { at, s: decode(text) })!;
      return access.kind === 'read' ? (this.#registerNumbers.get(access.register) ?? null) : null;
    } catch {
      return null;
    }
  }

  /** A step is not optional, but only one that enters or leaves a section is progress by itself. */
  #step({ process, at, text, client: id }: ProgramState): void {
    this.executions += 1;
    const after: LineState = { at, s: decode(text) };
    const client = this.clients.of(id);
    this.#accessed = [];
    try {
      this.#machine.step(process, after, { kind: 'step', line: at });
      const done = this.#accessed[0]!;
      const enters = after.at === 'critical section';
      const { client: clientAfter, violation } = enters
        ? afterEvent(client, process, { type: 'entered' }, [], false)
        : { client, violation: hasGivenUp(client, after.at) ? returnedWithoutEntering(process) : null };
      const local = this.#addLocal(process, after.at, after.s, this.#addClient(clientAfter));
      const writes = done.kind === 'write' ? this.#write(done) : [];
      if (isSection(after.at)) this.effects.markMustContinue();
      this.effects.add(memoryAction.step, local, enters ? effectFlag.emits : 0, writes, violation);
    } catch (error) {
      this.effects.markMustContinue();
      this.effects.add(memoryAction.step, 0 as ProcessStateId, 0, [], stepFailure(error, process));
    }
  }

  /** Returns a write as a change: the position of the register in a world, and the value. */
  #write({ register, value }: RegisterAccess): [at: number, value: number] {
    return [this.#machine.n + this.#registerNumbers.get(register)!, this.addValue(value)];
  }
}

/** A process that waited is back in its noncritical section. */
const hasGivenUp = ({ phase }: Client, at: string): boolean =>
  at === 'noncritical section' && phase === 'waiting';
