// The contract of algorithms that share memory instead of sending messages. A program is a table of lines; each line makes
// exactly one atomic access, a read or a write of one register, and says which line follows. A line sees the memory only
// through that access, and which one it will be is known before it is made.

import type { AnyAlgorithm, Bound, Pid, Plain } from './algorithm.ts';
import { fail } from './assert.ts';
import { initialState } from './initial.ts';

/** The registers by name: single ones and arrays of them; an array that begins at 1 has null at 0. */
export type Memory = { [name: string]: number | (number | null)[] };

/** The local variables of a process. */
export type Locals = { readonly [name: string]: Plain };

/** What a process knows: its number and how many there are. */
export interface SharedPlace {
  readonly me: Pid;
  readonly n: number;
}

/** Where a process is when it is at none of its lines. */
export type Section = 'critical section' | 'noncritical section';

/** Which register of an array; a single one needs no `at`. */
type At<V, S> = V extends number
  ? { readonly at?: never }
  : { readonly at: number | ((s: Readonly<S>) => number) };

/** `goto` is the line that follows. It gets what was read and is where local variables change; `at` and `value` only look. */
export type Line<M extends Memory, S, L extends string> = {
  [R in keyof M]: At<M[R], S> &
    (
      | {
          readonly read: R;
          readonly write?: never;
          readonly goto: L | Section | ((value: number, s: S) => L | Section);
        }
      | {
          readonly write: R;
          readonly read?: never;
          readonly value: number | ((s: Readonly<S>) => number);
          readonly goto: L | Section | ((s: S) => L | Section);
        }
    );
}[keyof M];

/** A moment of a run, plain data: the registers, and where each process is, with its local variables. */
export interface SharedWorld<M, S, L extends string> {
  readonly memory: M;
  readonly processes: readonly { readonly at: L | Section; readonly s: S }[];
}

export interface SharedAlgorithm<M extends Memory, S extends Locals, L extends string> {
  readonly name: string;
  readonly problem: 'mutex';
  readonly paper: string;
  readonly processes?: { readonly min: number; readonly max?: number }; // for how many it is; any number if not said
  /** `crash`: a process may stop anywhere; the registers it owns are then as in the beginning. */
  readonly assumes: { readonly failures: 'none' | 'crash' };
  readonly bounds: readonly Bound<AccessKind>[]; // accesses per entry
  registers(n: number): M;
  readonly owned?: readonly (keyof M)[]; // arrays whose i-th register lives and dies with process i
  /** The local variables at every request. They last until the release is over. */
  init(place: SharedPlace): S;
  readonly request: NoInfer<L>; // the line a request begins at; it leads to the critical section
  readonly release: NoInfer<L>; // the line that follows the critical section; it leads back
  /** The program of process `me`, as the paper writes it with i for its number. */
  program(place: SharedPlace): { readonly [line in L]: Line<M, S, NoInfer<L>> };
  /** The proof's own lemmas; hosts that look at whole worlds test each one everywhere. */
  readonly invariants?: { readonly [lemma: string]: (world: SharedWorld<M, S, NoInfer<L>>) => boolean };
}

/** Has the compiler find the registers, local variables and lines of an algorithm, and refuse lines that do not exist. */
export const sharedAlgorithm = <M extends Memory, S extends Locals, L extends string>(
  algorithm: SharedAlgorithm<M, S, L>,
): SharedAlgorithm<M, S, L> => algorithm;

/** What hosts are given: an algorithm whose registers, variables and lines are its own business. */
// biome-ignore-start lint/suspicious/noExplicitAny: lines consume their own local variables, so only `any` fits all
export interface AnySharedAlgorithm
  extends Pick<
    SharedAlgorithm<any, any, any>,
    'name' | 'problem' | 'paper' | 'processes' | 'assumes' | 'bounds' | 'init' | 'invariants'
  > {
  readonly owned?: readonly PropertyKey[];
  readonly request: string;
  readonly release: string;
  registers(n: number): Memory;
  program(place: SharedPlace): { readonly [line: string]: any };
}

interface AnyLine {
  readonly read?: string;
  readonly write?: string;
  readonly at?: number | ((s: any) => number);
  readonly value?: number | ((s: any) => number);
  readonly goto: string | ((...args: any[]) => string);
}
// biome-ignore-end lint/suspicious/noExplicitAny: above

export const isShared = (algorithm: AnyAlgorithm | AnySharedAlgorithm): algorithm is AnySharedAlgorithm =>
  'program' in algorithm;

export type AccessKind = 'read' | 'write';

/** One access. Two of different processes commute if they concern different registers, or only read. */
export interface Access {
  readonly kind: AccessKind;
  readonly register: string; // `turn`, `flag[1]`
}

export type Done = Access & { readonly value: number }; // that was read or written

/** A world that a machine moves. */
export interface MovingWorld {
  readonly memory: Memory;
  readonly processes: { at: string; s: unknown }[];
}

/** Executes programs. It keeps nothing: what it moves is the world it is given, plain data that a host may copy before. */
export class SharedMachine {
  readonly n: number;
  readonly #algorithm: AnySharedAlgorithm;
  readonly #programs: { readonly [line: string]: AnyLine }[] = [];

  constructor(algorithm: AnySharedAlgorithm, n: number) {
    this.n = n;
    this.#algorithm = algorithm;
    for (let me = 0; me < n; me += 1) {
      initialState(algorithm.name, me, () => algorithm.init({ me, n }));
      this.#programs.push(algorithm.program({ me, n }));
    }
    for (const line of Object.keys(this.#programs[0]!)) {
      if (/[\r\n]| => /.test(line)) fail(`'${line}' cannot name a line: it would break that of a trace`);
    }
  }

  begin(): MovingWorld {
    const processes = Array.from({ length: this.n }, (_, me) => this.#atRest(me));
    return { memory: this.#algorithm.registers(this.n), processes };
  }

  /** Leaves its section for the first line of its request or release. */
  call(world: MovingWorld, i: Pid, name: 'request' | 'release'): void {
    const process = world.processes[i]!;
    const from: Section = name === 'request' ? 'noncritical section' : 'critical section';
    if (process.at !== from) fail(`${name} at process ${i}, which is at '${process.at}'`);
    process.at = this.#algorithm[name];
  }

  /** The access that the next step of process i makes; null where it has no next step of its own. */
  next({ processes }: MovingWorld, i: Pid): Access | null {
    const { at, s } = processes[i]!;
    if (isSection(at)) return null;
    const { kind, name, index } = this.#access(i, at, s);
    return { kind, register: textOf(name, index) };
  }

  /** One step of process i: one access, and on to the next line. */
  step(world: MovingWorld, i: Pid): Done {
    const process = world.processes[i]!;
    const { line, kind, name, index } = this.#access(i, process.at, process.s);
    const register = textOf(name, index);
    const held = world.memory[name];
    const old = index === null ? held : Array.isArray(held) ? held[index] : undefined;
    if (typeof old !== 'number') return fail(`there is no register ${register}`);
    const value = kind === 'read' ? old : evaluate(line.value!, process.s);
    if (!Number.isSafeInteger(value)) fail(`it writes ${value} to ${register}: registers hold whole numbers`);
    if (kind === 'write') put(world.memory, name, index, value);
    const { goto } = line;
    if (typeof goto === 'string') process.at = goto;
    else process.at = kind === 'read' ? goto(value, process.s) : goto(process.s);
    if (process.at === 'noncritical section') world.processes[i] = this.#atRest(i);
    return { kind, register, value };
  }

  /** Process i stops where it is. What it owns is as in the beginning; what changed by that is returned. */
  crash(world: MovingWorld, i: Pid): readonly Omit<Done, 'kind'>[] {
    world.processes[i] = this.#atRest(i);
    const fresh = this.#algorithm.registers(this.n);
    const reset: Omit<Done, 'kind'>[] = [];
    for (const name of this.#algorithm.owned ?? []) {
      const [now, first] = [world.memory[name as string], fresh[name as string]];
      if (!Array.isArray(now) || !Array.isArray(first)) return fail(`${String(name)} is not an array to own`);
      if (now[i] === first[i]) continue;
      put(world.memory, name as string, i, first[i]!);
      reset.push({ register: textOf(name as string, i), value: first[i]! });
    }
    return reset;
  }

  #atRest(me: Pid): MovingWorld['processes'][number] {
    return { at: 'noncritical section', s: this.#algorithm.init({ me, n: this.n }) };
  }

  #access(i: Pid, at: string, s: unknown) {
    const program = this.#programs[i]!;
    if (!Object.hasOwn(program, at)) return fail(`there is no line '${at}'`);
    const line = program[at]!;
    const index = line.at === undefined ? null : evaluate(line.at, s);
    if (line.read !== undefined) return { line, kind: 'read', name: line.read, index } as const;
    return { line, kind: 'write', name: line.write!, index } as const;
  }
}

export const isSection = (at: string): at is Section =>
  at === 'critical section' || at === 'noncritical section';

export interface Register {
  readonly name: string;
  readonly index: number | null; // in an array of registers
  readonly register: string; // as an access names it
  readonly value: number;
}

/** The registers of a memory, in a fixed order. */
export const registersOf = (memory: Memory): Register[] =>
  Object.entries(memory).flatMap(([name, held]): Register[] => {
    if (!Array.isArray(held)) return [{ name, index: null, register: textOf(name, null), value: held }];
    return held.flatMap((value, index) =>
      value === null ? [] : [{ name, index, register: textOf(name, index), value }],
    );
  });

/** How many registers a memory has. */
export const registersIn = (memory: Memory): number => registersOf(memory).length;

const textOf = (name: string, index: number | null): string => (index === null ? name : `${name}[${index}]`);

const evaluate = (given: number | ((s: unknown) => number), s: unknown): number =>
  typeof given === 'number' ? given : given(s);

export function put(memory: Memory, name: string, index: number | null, value: number): void {
  if (index === null) memory[name] = value;
  else (memory[name] as number[])[index] = value;
}
