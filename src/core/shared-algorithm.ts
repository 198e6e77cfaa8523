// The contract of algorithms that share memory instead of sending messages. A program is a table of lines; each line makes
// exactly one atomic access, a read or a write of one register, and says which line follows. A line sees the memory only
// through that access, and which one it will be is known before it is made.

import type { Bound, Pid, Plain } from './algorithm.ts';

/** The registers by name: single ones and arrays of them; an array that begins at 1 has null at 0. */
export type Memory = { [name: string]: number | (number | null)[] };

/** The local variables of a process. */
export type Locals = { readonly [name: string]: Plain };

/** What a process knows: its number and how many there are. */
export interface SharedFacts {
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
  init(place: SharedFacts): S;
  readonly request: NoInfer<L>; // the line a request begins at; it leads to the critical section
  readonly release: NoInfer<L>; // the line that follows the critical section; it leads back
  /** The program of process `me`, as the paper writes it with i for its number. */
  program(place: SharedFacts): { readonly [line in L]: Line<M, S, NoInfer<L>> };
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
  program(place: SharedFacts): { readonly [line: string]: any };
}

export interface AnyLine {
  readonly read?: string;
  readonly write?: string;
  readonly at?: number | ((s: any) => number);
  readonly value?: number | ((s: any) => number);
  readonly goto: string | ((...args: any[]) => string);
}
// biome-ignore-end lint/suspicious/noExplicitAny: above

/** For machines and the catalogue; hosts ask about what they need (`src/machine/declarations.ts`). */
export const isShared = <A extends object>(algorithm: A): algorithm is Extract<A, { registers: unknown }> =>
  'program' in algorithm;

export type AccessKind = 'read' | 'write';

/** One access. Two of different processes commute if they concern different registers, or only read. */
export interface Access {
  readonly kind: AccessKind;
  readonly register: string; // `turn`, `flag[1]`
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
    if (!Array.isArray(held)) return [{ name, index: null, register: registerText(name, null), value: held }];
    return held.flatMap((value, index) =>
      value === null ? [] : [{ name, index, register: registerText(name, index), value }],
    );
  });

export const registerText = (name: string, index: number | null): string =>
  index === null ? name : `${name}[${index}]`;

export function put(memory: Memory, name: string, index: number | null, value: number): void {
  if (index === null) memory[name] = value;
  else (memory[name] as number[])[index] = value;
}
