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
  | { readonly kind: 'crash' }
  | { readonly kind: 'corrupt' };

/** The actions, by the id of their event. */
export const memoryActions: readonly MemoryAction[] = [
  { kind: 'call', name: 'request' },
  { kind: 'call', name: 'release' },
  { kind: 'step' },
  { kind: 'crash' },
  { kind: 'corrupt' },
];
export const memoryAction = { request: 0, release: 1, step: 2, crash: 3, corrupt: 4 } as Record<
  'request' | 'release' | 'step' | 'crash' | 'corrupt',
  EventId
>;

/** The states of processes, and the effects that are enabled in each. A line is executed once for each state and, if it reads registers, their values. */
export class Programs implements ProcessStates<MemoryAction> {
  readonly registers: readonly Register[];
  readonly locals = new Interner<ProgramState, ProcessStateId>();
  readonly clients = new Interner<Client, ClientId>();
  readonly values = new Interner<number, ValueId>(); // of registers
  readonly effects = new EffectTable();
  executions = 0;
  readonly discovery = new Discovery();
  /**
   * By process state. If a register decides, ~ the position of the register in a world; if several do, ~ a number above all positions, which
   * stands for the set of them.
   */
  #lists = new Int32Array(16) as IdArray<EffectListId>;
  readonly #reads = new PairMap<ProcessStateId, ValueId, EffectListId>(); // where registers decide: by the value, or the number of the values
  readonly #readSets = new Interner<readonly number[]>(); // the registers that composite lines read
  readonly #valueLists = new PairMap<ValueId, ValueId, ValueId>(); // the number of a list of values, by that of the list without its last one
  #valueListCount = 0;
  readonly #prologues = new Map<string, EffectListId>();
  readonly #coins = new Map<EffectId, readonly number[]>(); // that a corruption tosses
  readonly #machine: MemoryMachine; // its memory is overwritten before each step
  #accessed: RegisterAccess[] = []; // by the step in progress
  readonly #registerNumbers: ReadonlyMap<string, number>; // by name
  readonly #crashes: readonly (readonly number[])[]; // by process: what a crash writes
  readonly #mayCrash: boolean;
  readonly #always: number; // flags of every effect: in a corrupted system each may make the world legitimate
  readonly #lines: readonly string[];

  constructor({ setup, crashes, corrupted }: CheckConfig) {
    const access = (accessed: RegisterAccess) => this.#accessed.push(accessed);
    const algorithm = setup.algorithm as OnMemory;
    this.#machine = new MemoryMachine(algorithm, setup, { ...noSink, access });
    this.registers = registersOf(this.#machine.memory);
    this.#registerNumbers = new Map(this.registers.map(({ register }, k) => [register, k]));
    this.#mayCrash = crashes > 0;
    this.#always = corrupted ? effectFlag.emits : 0;
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
    return this.#lists.byteLength + this.effects.bytes + this.#reads.bytes + this.#valueLists.bytes;
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
    return {
      action: memoryActions[this.effects.eventOf(effect)]!,
      coins: this.#coins.get(effect) ?? [],
    };
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

  /** Before everything a process may be corrupted, in every way, and can request. */
  initialEffectCount(local: ProcessStateId, action: MemoryAction): number {
    const list = this.#prologue(local, action); // before the table is read: it may grow
    return this.effects.table[list]!;
  }

  initialEffect(local: ProcessStateId, action: MemoryAction, k: number): EffectId {
    return this.effects.in(this.#prologue(local, action))[k]!;
  }

  #prologue(local: ProcessStateId, { kind }: MemoryAction): EffectListId {
    const key = `${local} ${kind}`;
    const known = this.#prologues.get(key);
    if (known !== undefined) return known;
    this.discovery.note();
    const here = this.locals.of(local);
    const list = this.effects.begin(0);
    if (kind === 'call') this.#call(here, 'request', effectFlag.optional);
    else this.#corrupt(local, list);
    this.#prologues.set(key, list);
    return list;
  }

  /** Lists every way in which the registers of a process can be corrupted. */
  #corrupt(local: ProcessStateId, list: EffectListId): void {
    const { process, at, text } = this.locals.of(local);
    const tosses: (readonly number[])[] = [];
    for (const { coins, choose } of everyToss()) {
      this.#accessed = [];
      const access = (accessed: RegisterAccess) => this.#accessed.push(accessed);
      this.#machine.step(
        process,
        { at, s: decode(text) },
        { kind: 'corrupt' },
        { ...noSink, access, choose },
      );
      const writes = this.#accessed.flatMap((written) => this.#write(written));
      this.effects.add(memoryAction.corrupt, local, effectFlag.tosses | this.#always, writes);
      tosses.push([...coins]);
    }
    this.effects.in(list).forEach((effect, k) => {
      this.#coins.set(effect, tosses[k]!);
    });
  }

  /** The effects depend on registers of the world if the next step reads some. */
  enabled(local: ProcessStateId, worlds: Int32Array, offset: number): EffectListId {
    const list = this.#lists[local] || this.#compute(local);
    if (list > 0) return list;
    const set = ~list - this.#machine.n - this.registers.length;
    const values =
      set < 0
        ? (worlds[offset + ~list]! as ValueId)
        : this.#valueList(this.#readSets.of(set), worlds, offset);
    const at = this.#reads.at(local, values);
    if (at >= 0) return this.#reads.valueAt(at);
    const registers = set < 0 ? [~list - this.#machine.n] : this.#readSets.of(set);
    return this.#read(local, registers, values, worlds, offset);
  }

  #compute(local: ProcessStateId): EffectListId {
    this.discovery.note();
    const here = this.locals.of(local);
    const registers = this.#registersRead(here);
    const list = registers.length === 0 ? this.#list(here) : (~this.#numberOf(registers) as EffectListId);
    if (local >= this.#lists.length) this.#lists = grown(this.#lists, 2 * (local + 1));
    this.#lists[local] = list;
    return list;
  }

  #numberOf(registers: readonly number[]): number {
    const { n } = this.#machine;
    if (registers.length === 1) return n + registers[0]!;
    return n + this.registers.length + this.#readSets.add(registers.join(' '), registers);
  }

  /** Returns a number for the values of these registers. */
  #valueList(registers: readonly number[], worlds: Int32Array, offset: number): ValueId {
    const first = offset + this.#machine.n;
    let list = worlds[first + registers[0]!]! as ValueId;
    for (let k = 1; k < registers.length; k += 1) {
      const value = worlds[first + registers[k]!]! as ValueId;
      const at = this.#valueLists.at(list, value);
      if (at >= 0) list = this.#valueLists.valueAt(at);
      else {
        this.discovery.note();
        this.#valueListCount += 1;
        this.#valueLists.set(list, value, this.#valueListCount as ValueId);
        list = this.#valueListCount as ValueId;
      }
    }
    return list;
  }

  #read(
    local: ProcessStateId,
    registers: readonly number[],
    values: ValueId,
    worlds: Int32Array,
    offset: number,
  ): EffectListId {
    this.discovery.note();
    for (const register of registers) {
      const { name, index } = this.registers[register]!;
      const value = worlds[offset + this.#machine.n + register]! as ValueId;
      put(this.#machine.memory, name, index, this.values.of(value));
    }
    const list = this.#list(this.locals.of(local));
    this.#reads.set(local, values, list);
    return list;
  }

  /** Lists a call or a step, and a crash, which would change nothing in the noncritical section. A step comes first. */
  #list(here: ProgramState): EffectListId {
    const { process, at } = here;
    const { left } = this.clients.of(here.client);
    const list = this.effects.begin(0);
    if (at === 'noncritical section') {
      if (this.#machine.hasStep(here)) this.#step(here);
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
    const state = this.#addLocal(process, after.at, after.s, caller);
    this.effects.add(memoryAction[name], state, flags | this.#always);
  }

  /** Returns the registers whose values decide what the next step does. A step that fails reads none. */
  #registersRead({ process, at, text }: ProgramState): number[] {
    try {
      const accesses = this.#machine.next(process, { at, s: decode(text) });
      const read = accesses.filter(({ kind }) => kind === 'read');
      return read.flatMap(({ register }) => this.#registerNumbers.get(register) ?? []);
    } catch {
      return [];
    }
  }

  /** A step is not optional, but only one that leads to another section is progress by itself. */
  #step({ process, at, text, client: id }: ProgramState): void {
    this.executions += 1;
    const after: LineState = { at, s: decode(text) };
    const client = this.clients.of(id);
    this.#accessed = [];
    try {
      this.#machine.step(process, after, { kind: 'step', line: at });
      const enters = after.at === 'critical section';
      const { client: clientAfter, violation } = enters
        ? afterEvent(client, process, { type: 'entered' }, [], false)
        : { client, violation: hasGivenUp(client, after.at) ? returnedWithoutEntering(process) : null };
      const local = this.#addLocal(process, after.at, after.s, this.#addClient(clientAfter));
      const writes = this.#accessed.flatMap((done) => (done.kind === 'write' ? this.#write(done) : []));
      if (isSection(after.at) && after.at !== at) this.effects.markMustContinue();
      const flags = this.#always | (enters ? effectFlag.emits : 0);
      this.effects.add(memoryAction.step, local, flags, writes, violation);
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

/** Yields every way coins can fall: `choose` tosses them, and `coins` has those that were tossed. The last one changes first. */
function* everyToss(): Iterable<{ readonly coins: readonly number[]; choose(options: number): number }> {
  const options: number[] = [];
  const coins: number[] = [];
  do {
    let tossed = 0;
    const choose = (of: number) => {
      options[tossed] = of;
      coins[tossed] ??= 0;
      tossed += 1;
      return coins[tossed - 1]!;
    };
    yield { coins, choose };
    while (coins.length > 0 && coins.at(-1)! + 1 === options[coins.length - 1]) coins.pop();
    if (coins.length > 0) coins[coins.length - 1]! += 1;
  } while (coins.length > 0);
}

/** A process that waited is back in its noncritical section. */
const hasGivenUp = ({ phase }: Client, at: string): boolean =>
  at === 'noncritical section' && phase === 'waiting';
